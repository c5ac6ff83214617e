import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { driverUnderCheck, volumesOf } from '../check/testing/check-under-test.ts'
import type { DriverUnderCheck } from '../check/testing/check-under-test.ts'
import type { Fault } from '../check/testing/fault.ts'
import { MAIN } from '../cluster/testing/describe-up.ts'
import { startCommand } from './testing/cli-under-test.ts'

const flagsOf = ({ options: { endpoint, work } }: DriverUnderCheck): string[] => [
  endpoint,
  `--work=${work}`,
  '--size=16Mi',
]

/** Reports sizes that are too small until it is mended. */
function createRounding(): { fault: Fault; mend(): void } {
  let isBroken = true
  const fault: Fault = {
    id: 'x',
    does: 'reports sizes that are too small',
    handlers: ({ real }) => ({
      createVolume: async (request) => {
        const { volume } = await real.createVolume(request)
        return { volume: volume && { ...volume, capacityBytes: isBroken ? 1n : volume.capacityBytes } }
      },
    }),
  }
  return { fault, mend: () => void (isBroken = false) }
}

/** Keeps every call of an RPC until it is released. */
function createHolding(method: 'createVolume' | 'deleteVolume') {
  const { promise: held, resolve: hold } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const keep = async (): Promise<void> => {
    hold()
    await released
  }
  const fault: Fault = {
    id: 'x',
    does: 'does not answer',
    handlers: ({ real }) =>
      method === 'createVolume'
        ? { createVolume: async (request) => real.createVolume((await keep(), request)) }
        : { deleteVolume: async (request) => real.deleteVolume((await keep(), request)) },
  }
  return { fault, held, release }
}

test('the command that a failure prints repeats it with the same settings', async (t) => {
  const under = await driverUnderCheck(t, createRounding().fault)
  const words = ['check', ...flagsOf(under), '--timeout=7s', '--only=create/large-enough,create/repeat']
  const first = startCommand(t, words)
  equal(await first.ended, 1)
  match(first.out(), /FAILED: .*: 1 passed, 1 failed, 0 not applicable/)
  const [, command = ''] = /^ {2}repeat +holdfast (.*)$/m.exec(first.out()) ?? []
  const { endpoint, work } = under.options
  equal(command, `check ${endpoint} --size=16Mi --timeout=7s --work=${work} --only=create/large-enough`)
  const again = startCommand(t, command.split(' '))
  equal(await again.ended, 1)
  match(again.out(), /expected +capacity_bytes of at least 16777216\n +found +1\n/)
  match(again.out(), /FAILED: .*: 0 passed, 1 failed, 0 not applicable/)
})

test('the command that a run prints removes what is left after kill -9', async (t) => {
  const { fault, held, release } = createHolding('deleteVolume')
  const under = await driverUnderCheck(t, fault)
  const words = ['check', ...flagsOf(under), '--only=create/returns-volume']
  const killed = spawn(process.execPath, [MAIN, ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  killed.stdout.on('data', (part: Buffer) => (text += part.toString()))
  await held
  killed.kill('SIGKILL')
  await new Promise((resolve) => killed.on('close', resolve))
  equal((await volumesOf(under)).length, 1)
  release()
  const [, command = ''] = /remove what is left with: holdfast (.*)$/m.exec(text) ?? []
  const clean = startCommand(t, command.split(' '))
  equal(await clean.ended, 0, clean.err())
  match(clean.out(), /^removed volume \S+\nnothing of run [0-9a-f]{8} is left\n$/)
  deepEqual([await volumesOf(under), readdirSync(under.options.work)], [[], []])
})

test('Ctrl-C lets the running cases end and remove their volumes, and is no success', async (t) => {
  const { fault, held, release } = createHolding('createVolume')
  const under = await driverUnderCheck(t, fault)
  const junit = join(under.directory, 'report.xml')
  const command = startCommand(t, ['check', ...flagsOf(under), '--only=create', `--junit=${junit}`, '--load=5'])
  await held
  const ended = command.stop()
  await command.untilErr(/Stopping: the running cases end first/)
  release()
  equal(await ended, 1)
  match(command.out(), /\nINTERRUPTED: .* failed, .* not applicable/)
  deepEqual([await volumesOf(under), readdirSync(under.options.work)], [[], []])
  ok(!readdirSync(under.directory).includes('report.xml'), 'no report of a part of the cases')
})

test('--watch runs only the failed case again when the driver comes back, and ends when it passes', async (t) => {
  const { fault, mend } = createRounding()
  const under = await driverUnderCheck(t, fault)
  const command = startCommand(t, ['check', ...flagsOf(under), '--watch', '--only=create/large-enough,create/repeat'])
  await command.untilOut(/\n1 case is run again when the driver comes back\. Ctrl-C stops\.\n/)
  mend()
  await under.driver.restart()
  equal(await command.ended, 0)
  match(command.out(), /Run \w+: 2 cases.*FAILED: .*Run \w+: 1 cases.*PASSED: .*: 1 passed, 0 failed/s)
  equal(command.out().match(/create\/repeat {2}/g)?.length, 1)
})

test('--load reports rate and latency of each RPC, and says before what it creates', async (t) => {
  const under = await driverUnderCheck(t)
  const flags = [...flagsOf(under), '--only=identity', '--load=3', '--parallel=2']
  const dry = startCommand(t, ['check', ...flags, '--dry-run'])
  equal(await dry.ended, 0)
  match(dry.out(), /load\/lives .*It creates \d+ volumes of 16Mi .*, at most 2 at a time/s)
  deepEqual(await volumesOf(under), [])
  const command = startCommand(t, ['check', ...flags])
  equal(await command.ended, 0)
  match(command.out(), /RPC +calls +failed +per second +p50 +p99\n/)
  match(command.out(), /^CreateVolume +3 +0 +\d+\.\d +\S+ ms +\S+ ms$/m)
  deepEqual(await volumesOf(under), [])
})
