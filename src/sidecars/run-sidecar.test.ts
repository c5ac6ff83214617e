import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { ApiError } from '../api/api-error.ts'
import type { Api } from '../api/api.ts'
import { CONFIG_MAPS } from '../api/kinds/config-map.ts'
import { LEASES } from '../api/kinds/lease.ts'
import { createSystemClock } from '../base/clock.ts'
import { createSilentLogger } from '../base/logger.ts'
import { createSystemRandom } from '../base/random.ts'
import { openTestCore } from '../apiserver/testing/open-test-core.ts'
import { connectDriver, ControllerCapability } from '../csi/index.ts'
import { defineDriver } from '../csi/kit/index.ts'
import type { Dispatcher } from '../csi/kit/index.ts'
import { openTestDirectory } from '../csi/testing/open-test-directory.ts'
import { defineTestDriver, serveTest } from '../csi/testing/start-test-driver.ts'
import { runSidecar } from './run-sidecar.ts'
import type { SidecarParts } from './run-sidecar.ts'
import { configOf, openSidecarWorld, PUBLISHING, recordedRole, TEST_DRIVER } from './testing/describe-sidecar.ts'

describe('a sidecar on a socket', () => {
  const clock = createSystemClock()
  const open = async (context: TestContext, path: string, ...words: string[]): Promise<SidecarParts> => {
    const { api } = await openTestCore(context)
    return {
      config: configOf(`--csi-address=${path}`, ...words),
      connect: (observe) => connectDriver({ endpoint: path, clock, observe }),
      callTimeoutMs: 5000,
      api,
      electionApi: api,
      identity: 'me',
      namespace: 'default',
      clock,
      random: createSystemRandom(),
      log: createSilentLogger(),
    }
  }

  test('runs its roles while the driver is connected, and anew when the driver was restarted', async (context) => {
    const path = join(await openTestDirectory(context), 'csi.sock')
    const first = await serveTest(context, path, defineTestDriver(PUBLISHING))
    const { role, lines, until } = recordedRole()
    const sidecar = await runSidecar([role], await open(context, path))
    await until(1)
    await first.stop({ graceMs: 0 })
    await until(2)
    await serveTest(context, path, defineTestDriver(PUBLISHING))
    await until(3)
    await sidecar.stop()
    deepEqual(lines, [`starts for ${TEST_DRIVER}`, 'stops', `starts for ${TEST_DRIVER}`, 'stops'])
  })

  test('waits for a driver that comes later', async (context) => {
    const path = join(await openTestDirectory(context), 'csi.sock')
    const { role, until } = recordedRole()
    const sidecar = await runSidecar([role], await open(context, path))
    await serveTest(context, path, defineTestDriver(PUBLISHING))
    await until(1)
    equal((await sidecar.ready).name, TEST_DRIVER)
    await sidecar.stop()
    await sidecar.ended
  })

  test('serves metrics of its calls, its queues and its elections, and its health', async (context) => {
    const path = join(await openTestDirectory(context), 'csi.sock')
    await serveTest(context, path, defineTestDriver(PUBLISHING))
    const { role, until } = recordedRole()
    const sidecar = await runSidecar(
      [role],
      await open(context, path, '--http-endpoint=127.0.0.1:0', '--leader-election'),
    )
    try {
      await until(1)
      const get = async (where: string): Promise<string> =>
        (await fetch(`http://127.0.0.1:${sidecar.httpPort}${where}`)).text()
      const metrics = await get('/metrics')
      match(
        metrics,
        /csi_sidecar_operations_seconds_count\{driver_name="[^"]+",method_name="\/csi.v1.Identity\/GetPluginInfo",grpc_status_code="OK"\} 1/,
      )
      match(metrics, /^leader_election_master_status\{name="recorded-test-holdfast-dev"\} 1$/m)
      match(metrics, /^csi_sidecars_controller_working\{controller="recorded"\} 1$/m)
      equal(await get('/healthz/leader-election'), 'ok')
    } finally {
      await sidecar.stop()
    }
  })

  const noHealth: [behaviour: string, words: string[]][] = [
    ['no election', ['--http-endpoint=127.0.0.1:0']],
    ['only the old address of metrics', ['--metrics-address=127.0.0.1:0', '--leader-election']],
  ]
  for (const [behaviour, words] of noHealth) {
    test(`has no health of elections with ${behaviour}`, async (context) => {
      const path = join(await openTestDirectory(context), 'csi.sock')
      const sidecar = await runSidecar([], await open(context, path, ...words, '--metrics-path=/numbers'))
      try {
        const get = async (where: string): Promise<number> =>
          (await fetch(`http://127.0.0.1:${sidecar.httpPort}${where}`)).status
        deepEqual(
          [await get('/healthz/leader-election'), await get('/numbers'), await get('/metrics')],
          [404, 200, 404],
        )
      } finally {
        await sidecar.stop()
      }
    })
  }

  test('is unhealthy once it counts a lease as its own that has expired 20 s ago, as a process that was frozen does', async (context) => {
    const path = join(await openTestDirectory(context), 'csi.sock')
    await serveTest(context, path, defineTestDriver(PUBLISHING))
    const { role, until } = recordedRole()
    let frozenMs = 0
    const frozen = { ...clock, monotonicMs: () => clock.monotonicMs() + frozenMs }
    const sidecar = await runSidecar([role], {
      ...(await open(context, path, '--http-endpoint=127.0.0.1:0', '--leader-election')),
      clock: frozen,
    })
    try {
      await until(1)
      const health = async () => {
        const response = await fetch(`http://127.0.0.1:${sidecar.httpPort}/healthz/leader-election`)
        return [response.status, await response.text()]
      }
      frozenMs = 15_000
      deepEqual(await health(), [200, 'ok'])
      frozenMs = 60_000
      deepEqual(await health(), [500, 'not renewed and not given up: recorded-test-holdfast-dev\n'])
    } finally {
      await sidecar.stop()
    }
  })

  test('an address that is taken fails at once', async (context) => {
    const path = join(await openTestDirectory(context), 'csi.sock')
    const first = await runSidecar([], await open(context, path, '--http-endpoint=127.0.0.1:0'))
    await rejects(
      runSidecar([], await open(context, path, `--http-endpoint=127.0.0.1:${first.httpPort}`)),
      /can't listen on 127.0.0.1:\d+/,
    )
    await first.stop()
  })
})

describe('a sidecar and its driver', () => {
  test('says that it waits, for as long as it takes', async (context) => {
    const world = await openSidecarWorld(context)
    const { role, lines } = recordedRole()
    const { connection } = await world.start([role], { isThere: false })
    await world.clock.advance(600_000)
    ok(world.log.filter((line) => /waiting for the driver.*\/run\/csi\/socket/.test(line)).length > 100)
    connection.come()
    await world.until(() => lines.length === 1)
  })

  test('can be stopped while it waits', async (context) => {
    const { start, clock } = await openSidecarWorld(context)
    const sidecar = await start([recordedRole().role], { isThere: false })
    await clock.advance(0)
    await sidecar.stop()
    await sidecar.ended
    await rejects(sidecar.ready, /was stopped/)
  })

  test('with --exit-on-driver-loss a driver that is not there in time ends it', async (context) => {
    const { start, clock } = await openSidecarWorld(context)
    const sidecar = await start([], { isThere: false, words: ['--exit-on-driver-loss'] })
    const ended = rejects(sidecar.ended, /no driver answered on \/run\/csi\/socket within 30 s/)
    await clock.advance(30_000)
    await ended
  })

  test('with --exit-on-driver-loss a driver that goes ends it, once its roles have stopped', async (context) => {
    const { start, clock, until } = await openSidecarWorld(context)
    const { role, lines } = recordedRole()
    const sidecar = await start([role], { words: ['--exit-on-driver-loss'] })
    await until(() => lines.length === 1)
    const ended = rejects(sidecar.ended, /the connection to the driver at \/run\/csi\/socket is lost/)
    sidecar.connection.go()
    await clock.advance(0)
    await ended
    deepEqual(lines, [`starts for ${TEST_DRIVER}`, 'stops'])
  })

  test('S3-130: leaves out a role that the driver does not need, and asks again when the driver comes back', async (context) => {
    const { start, until, log } = await openSidecarWorld(context)
    const publishes = recordedRole('publishes', {
      notNeeded: ({ controller }) =>
        controller.has(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME) ? undefined : 'does not publish',
    })
    let current = defineTestDriver({})
    const driver: Dispatcher = { ...current, unary: (...call) => current.unary(...call) }
    const { connection, ready, roles } = await start([publishes.role], { driver })
    await until(() => ready.then(() => true))
    deepEqual([roles().length, publishes.lines], [0, []])
    match(log.join(''), /not needed.*the driver does not publish/)
    connection.go()
    current = defineTestDriver(PUBLISHING)
    connection.come()
    await until(() => publishes.lines.length === 1)
    deepEqual(
      roles().map(({ name }) => name),
      ['publishes'],
    )
  })

  test('a driver that comes back under another name is served under that, with a warning that names both', async (context) => {
    const { start, until, log } = await openSidecarWorld(context)
    const { role, lines } = recordedRole()
    const named = (name: string): Dispatcher =>
      defineDriver({ name, version: '1' }, { handlers: PUBLISHING, log: createSilentLogger() })
    let current = named('one.example.com')
    const { connection } = await start([role], { driver: { ...current, unary: (...call) => current.unary(...call) } })
    await until(() => lines.length === 1)
    connection.go()
    current = named('two.example.com')
    connection.come()
    await until(() => lines.length === 3)
    equal(lines.at(-1), 'starts for two.example.com')
    match(
      log.find((line) => line.includes('another name than before')) ?? '',
      /"level":"warn".*"before":"one\.example\.com","driver":"two\.example\.com"/,
    )
  })

  test('a driver that comes back and answers wrongly is asked again until it answers', async (context) => {
    const { start, clock, until, log } = await openSidecarWorld(context)
    const { role, lines } = recordedRole()
    let isBroken = false
    const { connection } = await start([role], {
      driver: {
        ...PUBLISHING,
        probe: () => (isBroken ? Promise.reject(new Error('the disk is gone')) : Promise.resolve({ ready: true })),
      },
    })
    await until(() => lines.length === 1)
    isBroken = true
    connection.go()
    connection.come()
    await clock.advance(60_000)
    deepEqual(lines, [`starts for ${TEST_DRIVER}`, 'stops'])
    match(log.join(''), /asking again.*the disk is gone/)
    isBroken = false
    await until(() => lines.length === 3, 30_000)
  })

  test('a driver that comes back and does not answer at all is asked again until it answers', async (context) => {
    const { start, clock, until } = await openSidecarWorld(context)
    const { role, lines } = recordedRole()
    let hangs = false
    const { connection } = await start([role], {
      driver: { ...PUBLISHING, probe: () => (hangs ? new Promise(() => {}) : Promise.resolve({})) },
    })
    await until(() => lines.length === 1)
    hangs = true
    connection.go()
    connection.come()
    await clock.advance(60_000)
    equal(lines.length, 2)
    hangs = false
    await until(() => lines.length === 3, 10_000)
  })

  test('S3-141: gives its leases back when the driver goes, so that a replica with a driver takes over', async (context) => {
    const { start, until, lease } = await openSidecarWorld(context)
    const [one, other] = [recordedRole(), recordedRole()]
    const first = await start([one.role], { identity: 'first', words: ['--leader-election'] })
    await until(() => one.lines.length === 1)
    await start([other.role], { identity: 'second', words: ['--leader-election'] })
    first.connection.go()
    await until(() => other.lines.length === 1, 15_000)
    deepEqual(one.lines, [`starts for ${TEST_DRIVER}`, 'stops'])
    equal((await lease('recorded-test-holdfast-dev')).spec?.holderIdentity, 'second')
  })

  test('what a role does after its time is over reaches neither API nor driver', async (context) => {
    const { start, until, clock } = await openSidecarWorld(context)
    const { role, lines, started } = recordedRole()
    const { connection } = await start([role])
    await until(() => lines.length === 1)
    const [parts] = started
    ok(parts)
    await parts.driver.probe({})
    connection.go()
    await clock.advance(0)
    await rejects(parts.driver.probe({}), /CANCELLED|Canceled/)
    await rejects(parts.api.list(CONFIG_MAPS), /the role has ended/)
  })
})

describe('elections of a sidecar', () => {
  const election = ['--leader-election']
  const isLeading = (lines: readonly string[]): boolean => lines.at(-1)?.startsWith('starts') ?? false

  test('S3-138, S3-140: of two replicas one works; when it dies without a word the other takes over', async (context) => {
    const { start, until, clock, lease } = await openSidecarWorld(context)
    const [one, other] = [recordedRole(), recordedRole()]
    const cut = cuttable()
    await start([one.role], { identity: 'first', words: election, apiOf: cut.api })
    await until(() => isLeading(one.lines))
    await start([other.role], { identity: 'second', words: election })
    await clock.advance(60_000)
    deepEqual([one.lines.length, other.lines.length], [1, 0])
    cut.off()
    await until(() => isLeading(other.lines), 40_000)
    // The one that could not renew had stopped before.
    deepEqual(
      [isLeading(one.lines), (await lease('recorded-test-holdfast-dev')).spec?.holderIdentity],
      [false, 'second'],
    )
  })

  test('one role loses its lease, and comes back, while the other goes on', async (context) => {
    const { api, start, until, lease, clock } = await openSidecarWorld(context)
    const [one, other] = [recordedRole('one'), recordedRole('other')]
    await start([one.role, other.role], { words: election })
    await until(() => isLeading(one.lines) && isLeading(other.lines))
    const taken = await lease('one-test-holdfast-dev')
    await api.update(LEASES, { ...taken, spec: { ...taken.spec, holderIdentity: 'a-thief', leaseDurationSeconds: 15 } })
    await until(() => !isLeading(one.lines), 10_000)
    await until(() => isLeading(one.lines), 60_000)
    await clock.advance(0)
    deepEqual([one.lines.length, other.lines.length], [3, 1])
  })

  test('a role that fails again and again leaves the others alone', async (context) => {
    const { start, until, clock } = await openSidecarWorld(context)
    const broken = recordedRole('broken', { start: () => Promise.reject(new Error('no such kind')) })
    const fine = recordedRole('fine')
    const sidecar = await start([broken.role, fine.role], { words: election })
    await until(() => isLeading(fine.lines))
    await clock.advance(3_600_000)
    deepEqual(
      [
        fine.lines.length,
        sidecar
          .roles()
          .find(({ name }) => name === 'broken')
          ?.state().kind,
      ],
      [1, 'failed'],
    )
  })

  test('with a shared election all roles follow one lease', async (context) => {
    const { api, start, until, lease } = await openSidecarWorld(context)
    const [one, other] = [recordedRole('one'), recordedRole('other')]
    await start([one.role, other.role], { words: election, parts: { sharedElection: true } })
    await until(() => isLeading(one.lines) && isLeading(other.lines))
    deepEqual(
      (await api.list(LEASES, { namespace: 'default' })).items.map(({ metadata }) => metadata.name),
      ['holdfast-sidecar-test-holdfast-dev'],
    )
    const taken = await lease('holdfast-sidecar-test-holdfast-dev')
    await api.update(LEASES, { ...taken, spec: { ...taken.spec, holderIdentity: 'a-thief', leaseDurationSeconds: 15 } })
    await until(() => !isLeading(one.lines) && !isLeading(other.lines), 10_000)
    await until(() => isLeading(one.lines) && isLeading(other.lines), 60_000)
  })

  test('S3-138: a role without a lease works on every replica', async (context) => {
    const { api, start, until } = await openSidecarWorld(context)
    const [one, other] = [
      recordedRole('one', { leaseName: () => undefined }),
      recordedRole('one', { leaseName: () => undefined }),
    ]
    await start([one.role], { identity: 'first', words: election })
    await start([other.role], { identity: 'second', words: election })
    await until(() => isLeading(one.lines) && isLeading(other.lines))
    equal((await api.list(LEASES, { namespace: 'default' })).items.length, 0)
  })

  test('labels and timing of the lease are those of the flags', async (context) => {
    const { start, until, lease } = await openSidecarWorld(context)
    const { role, lines } = recordedRole()
    const words = [
      '--leader-election',
      '--leader-election-labels=app:csi',
      '--leader-election-lease-duration=30s',
      '--leader-election-renew-deadline=20s',
    ]
    await start([role], { words })
    await until(() => isLeading(lines))
    const { metadata, spec } = await lease('recorded-test-holdfast-dev')
    deepEqual([metadata.labels, spec?.leaseDurationSeconds], [{ app: 'csi' }, 30])
  })
})

/** An API that the test can cut off: then nothing answers any more. */
function cuttable(): { api(api: Api): Api; off(): void } {
  let isOff = false
  const wrap = (api: Api): Api =>
    new Proxy(api, {
      get: (target, name, receiver) => {
        const call = Reflect.get(target, name, receiver) as (...args: unknown[]) => unknown
        return (...args: unknown[]) =>
          isOff ? Promise.reject(new ApiError('ServiceUnavailable', 'cut off', { code: 0 })) : call.apply(target, args)
      },
    })
  return { api: wrap, off: () => void (isOff = true) }
}
