import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '../base/random.ts'
import { createSimulatedHost, isHostError } from '../base/host/index.ts'
import { ProcessKilled } from '../base/life.ts'
import { createStoppableHost } from './stoppable-host.ts'

const open = () => {
  const machine = createSimulatedHost({ random: createSeededRandom(1) })
  return { machine, ...createStoppableHost(machine) }
}
const names = async ({ machine }: ReturnType<typeof open>): Promise<string[]> =>
  (await machine.files.list('/')).map(({ name }) => name)

test('without a stop it is the machine itself, failures included', async () => {
  const view = open()
  await view.host.files.makeDirectory('/a')
  await rejects(view.host.files.makeDirectory('/a'), (error) => isHostError(error, 'EEXIST'))
  deepEqual(await view.host.mounts.list(), await view.machine.mounts.list())
  deepEqual([view.steps(), view.isStopped()], [3, false])
})

test('killed before a step, that step does not happen', async () => {
  const view = open()
  await view.host.files.makeDirectory('/a')
  view.stopAfter(2, 'before')
  await view.host.files.makeDirectory('/b')
  await rejects(view.host.files.makeDirectory('/c'), ProcessKilled)
  deepEqual(await names(view), ['a', 'b', 'dev'])
  equal(view.isStopped(), true)
})

test('killed after a step, that step has happened but its result is not seen', async () => {
  const view = open()
  view.stopAfter(1, 'after')
  await rejects(view.host.files.makeDirectory('/a'), ProcessKilled)
  deepEqual(await names(view), ['a', 'dev'])
})

test('a killed process does nothing more, on files, mounts, devices or programs', async () => {
  const view = open()
  view.stopAfter(1, 'before')
  await rejects(view.host.loops.list(), ProcessKilled)
  const before = view.machine.snapshotTree()
  await rejects(view.host.files.makeDirectory('/a'), ProcessKilled)
  await rejects(view.host.mounts.bind('/dev', '/dev', { readOnly: false }), ProcessKilled)
  await rejects(view.host.processes.run('true', []), ProcessKilled)
  deepEqual(view.machine.snapshotTree(), before)
  equal(view.steps(), 1)
})

test('steps under way when the process is killed may happen, but are not seen', async () => {
  const view = open()
  view.stopAfter(2, 'before')
  const results = await Promise.allSettled([view.host.files.makeDirectory('/a'), view.host.files.makeDirectory('/b')])
  deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  deepEqual(await names(view), ['a', 'dev'])
})

test('what another process does on the machine goes on', async () => {
  const view = open()
  const other = createStoppableHost(view.machine)
  view.stopAfter(1, 'before')
  await rejects(view.host.files.list('/'), ProcessKilled)
  await other.host.files.makeDirectory('/a')
  deepEqual(await names(view), ['a', 'dev'])
})
