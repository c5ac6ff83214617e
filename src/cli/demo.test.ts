import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { createSystemClock } from '../base/clock.ts'
import { createSystemHost } from '../base/host/index.ts'
import { createSilentLogger } from '../base/logger.ts'
import { createSystemRandom } from '../base/random.ts'
import { DEMO_STEPS, runDemo } from '../cluster/demo/index.ts'
import type { DemoStep, StepReport } from '../cluster/demo/index.ts'
import { MAIN, mountsBelow, openClusterDirectory } from '../cluster/testing/describe-up.ts'
import { startCommand } from './testing/cli-under-test.ts'

const LIMIT = { timeout: 120_000 }

describe('holdfast demo', () => {
  test('every step holds, each is told with its calls and objects, and nothing is left', LIMIT, async (context) => {
    const directory = await openClusterDirectory(context)
    const demo = startCommand(context, ['demo', '--json'], { env: { TMPDIR: directory } })
    const code = await demo.ended
    const { held, steps } = JSON.parse(demo.out()) as { held: boolean; steps: StepReport[] }
    deepEqual(
      steps.map(({ name, outcome, problem }) => [name, outcome, problem]),
      DEMO_STEPS.map(({ name }) => [name, 'held', undefined]),
    )
    deepEqual([code, held, demo.err()], [0, true, ''])
    for (const [index, { calls, objects, checks }] of DEMO_STEPS.entries()) {
      const { happenings = [], checks: checked = [] } = steps[index] ?? {}
      const told = new Set(happenings.map((each) => (each.kind === 'call' ? each.rpc : each.object.split(' ')[0])))
      for (const name of [...calls, ...objects.map((object) => object.split(' ')[0])])
        ok(told.has(name), `${name} in step ${index + 1}`)
      equal(checked.length, checks.length)
    }
    // Neither the secret of the class nor a token.
    ok(!/shown-to-the-driver-alone|eyJ/.test(demo.out()))
    deepEqual([await readdir(directory), await mountsBelow(directory)], [[], []])
  })

  test(
    'stopped in the middle it ends with 1, says how far it came, and leaves nothing mounted',
    LIMIT,
    async (context) => {
      const directory = await openClusterDirectory(context)
      const demo = startCommand(context, ['demo'], { env: { TMPDIR: directory } })
      await demo.untilOut(/^7\. topology/m)
      equal(await demo.stop(), 1)
      match(demo.out(), /^1\. provision: A claim that names a class becomes a volume$/m)
      match(demo.out(), /CreateVolume, by sidecars, \d+ ms\n +name: pvc-/)
      match(demo.out(), /problem: stopped by SIGTERM/)
      match(
        demo.out(),
        /\n17\. nothing is left: .*\n {3}not tried\n\n.* did not hold; \d+ of 17 steps did, \d+.* in all\n$/,
      )
      deepEqual([await readdir(directory), await mountsBelow(directory)], [[], []])
    },
  )

  test(
    'when one step does not hold it ends with 1, as JSON too, with what was not true and what was not tried',
    LIMIT,
    async (context) => {
      const directory = await openClusterDirectory(context)
      const host = createSystemHost()
      const readFile = (path: string): Promise<Uint8Array> =>
        path.endsWith('/note') ? Promise.resolve(Buffer.from('of another volume')) : host.files.readFile(path)
      const demo = startCommand(context, ['demo', '--json'], {
        env: { TMPDIR: directory },
        host: { ...host, files: { ...host.files, readFile } },
      })
      equal(await demo.ended, 1)
      const { held, steps } = JSON.parse(demo.out()) as { held: boolean; steps: StepReport[] }
      deepEqual(
        [held, steps.map(({ outcome }) => outcome).slice(0, 4)],
        [false, ['held', 'held', 'failed', 'not tried']],
      )
      equal(steps[2]?.problem, "it is not true that a file written through the pod's path is in the volume")
      deepEqual([await readdir(directory), await mountsBelow(directory)], [[], []])
    },
  )

  test('a place where it can not be is told as such', async (context) => {
    const demo = startCommand(context, ['demo'], { env: { TMPDIR: '/proc' } })
    equal(await demo.ended, 1)
    match(
      demo.err(),
      /^holdfast: can't make the directory \/proc\/holdfast-demo-.*: there is no such file or directory; set TMPDIR to a writable directory\n$/,
    )
  })

  test('a temporary directory too deep for sockets is left for another', LIMIT, async (context) => {
    const demo = startCommand(context, ['demo'], { env: { TMPDIR: `/tmp/${'x'.repeat(60)}` } })
    await demo.untilOut(/^A cluster of 3 nodes in \/tmp\/holdfast-demo-/)
    equal(await demo.stop(), 1)
  })

  test('whoever stops reading, as head does, does not keep it from cleaning up', LIMIT, async (context) => {
    const directory = await openClusterDirectory(context)
    const demo = spawn(process.execPath, [MAIN, 'demo'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, TMPDIR: directory },
    })
    context.after(() => demo.kill('SIGKILL'))
    const exited = once(demo, 'exit')
    let errors = ''
    demo.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString('utf8')))
    await once(demo.stdout, 'data')
    demo.stdout.destroy()
    deepEqual([await exited, errors], [[0, null], ''])
    deepEqual([await readdir(directory), await mountsBelow(directory)], [[], []])
  })

  for (const [behaviour, broken, problem, timeoutMs = 30_000] of brokenSteps()) {
    test(behaviour, LIMIT, async (context) => {
      const directory = await openClusterDirectory(context)
      const parts = {
        host: createSystemHost(),
        clock: createSystemClock(),
        random: createSystemRandom(),
        log: createSilentLogger(),
        version: 'test',
      }
      const options = {
        directory: `${directory}/demo`,
        timeoutMs,
        signal: new AbortController().signal,
        onReady: () => {},
        onStep: () => {},
      }
      const reports = await runDemo([broken, ...DEMO_STEPS.slice(1, 2)], parts, options)
      deepEqual(
        reports.map(({ outcome }) => outcome),
        ['failed', 'not tried'],
      )
      match(reports[0]?.problem ?? '', problem)
      deepEqual([await readdir(directory), await mountsBelow(directory)], [[], []])
    })
  }
})

function brokenSteps(): [behaviour: string, step: DemoStep, problem: RegExp, timeoutMs?: number][] {
  const [provision] = DEMO_STEPS
  if (!provision) throw new Error('there are no steps')
  const { act: _act, ...withoutAct } = provision
  const throwing = { says: 'there is a file', holds: () => Promise.reject(new Error('no such file')) }
  return [
    [
      'a step whose check is not true has failed',
      { ...provision, checks: [{ says: 'the moon is a volume', holds: () => false }] },
      /^it is not true that the moon is a volume$/,
    ],
    [
      'a check that throws has failed, and says why',
      { ...provision, checks: [throwing] },
      /^there is a file: no such file$/,
    ],
    [
      'a person who is refused has failed',
      { ...provision, act: () => Promise.reject(new Error('forbidden')) },
      /^forbidden; no CreateVolume that went well/,
    ],
    [
      'a step that never comes to its end has failed, with the calls that are missing',
      withoutAct,
      /^timed out after 0\.3 s; no CreateVolume that went well$/,
      300,
    ],
    [
      'a step whose calls are not made has failed, whatever its objects look like',
      { ...provision, until: () => true, calls: ['DeleteVolume'] },
      /no DeleteVolume that went well/,
      300,
    ],
  ]
}
