import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Api } from '../api/api.ts'
import { EVENTS } from '../api/kinds/event.ts'
import { createSilentLogger } from '../base/logger.ts'
import { ControllerCapability } from '../csi/index.ts'
import { CsiError } from '../csi/csi-error.ts'
import { defineTestDriver } from '../csi/testing/start-test-driver.ts'
import { defineDriver } from '../csi/kit/index.ts'
import type { Dispatcher } from '../csi/kit/index.ts'
import { openSidecarWorld, PUBLISHING, recordedRole, TEST_DRIVER } from './testing/describe-sidecar.ts'

/** What the events about the driver say, in the order of their first time. */
async function toldAbout(api: Api, name = TEST_DRIVER): Promise<string[]> {
  const { items } = await api.list(EVENTS, {
    fieldSelector: `involvedObject.kind=CSIDriver,involvedObject.name=${name}`,
  })
  return items
    .toSorted((one, other) => (one.firstTimestamp ?? '').localeCompare(other.firstTimestamp ?? ''))
    .map(({ type, reason, message, count }) => `${type} ${reason} ${count}: ${message}`)
}

const NOT_LISTENING = `driver ${TEST_DRIVER} is not listening on /run/csi/socket`

describe('events about a driver', () => {
  test('a driver that is not listening is told while that lasts, and when it is back', async (context) => {
    const { api, start, until, clock } = await openSidecarWorld(context)
    const { role, lines } = recordedRole()
    const { connection } = await start([role])
    await until(() => lines.length === 1)
    deepEqual(await toldAbout(api), [])
    connection.go()
    await until(async () => (await toldAbout(api)).length === 1)
    deepEqual(await toldAbout(api), [`Warning DriverNotListening 1: ${NOT_LISTENING}`])
    await clock.advance(600_000)
    await until(async () => (await toldAbout(api))[0] !== `Warning DriverNotListening 1: ${NOT_LISTENING}`)
    connection.come()
    await until(async () => (await toldAbout(api)).length === 2)
    equal((await toldAbout(api))[1], `Normal DriverConnected 1: driver ${TEST_DRIVER} can be used`)
  })

  test('a driver whose connection is only replaced is not told', async (context) => {
    const { api, start, until, clock } = await openSidecarWorld(context)
    const { role, lines } = recordedRole()
    const { connection } = await start([role])
    await until(() => lines.length === 1)
    connection.go()
    connection.come()
    await until(() => lines.length === 3)
    await clock.advance(60_000)
    deepEqual(await toldAbout(api), [])
  })

  const answers: [behaviour: string, handlers: Parameters<typeof defineTestDriver>[0], told: string][] = [
    [
      'is not ready',
      { probe: async () => ({ ready: false }) },
      `Warning DriverNotReady 1: driver ${TEST_DRIVER} is not ready: Probe answers ready=false`,
    ],
    [
      'does not answer Probe',
      { probe: () => new Promise(() => {}) },
      `Warning DriverNotReady 1: driver ${TEST_DRIVER} is not ready: Probe does not answer within 5 s`,
    ],
  ]
  for (const [behaviour, handlers, told] of answers)
    test(`a driver that ${behaviour} is told although it was never used`, async (context) => {
      const { api, start, until } = await openSidecarWorld(context)
      await start([recordedRole().role], { driver: handlers })
      await until(async () => (await toldAbout(api)).length > 0)
      deepEqual(await toldAbout(api), [told])
    })

  test('a driver that fails to say what it can do after a restart is told', async (context) => {
    const { api, start, until } = await openSidecarWorld(context)
    const { role, lines } = recordedRole()
    let current = defineTestDriver(PUBLISHING)
    const driver: Dispatcher = { ...current, unary: (...call) => current.unary(...call) }
    const { connection } = await start([role], { driver })
    await until(() => lines.length === 1)
    current = defineTestDriver({
      ...PUBLISHING,
      probe: () => Promise.reject(new CsiError('FAILED_PRECONDITION', 'no license')),
    })
    connection.go()
    connection.come()
    await until(async () => (await toldAbout(api)).length > 0)
    deepEqual(await toldAbout(api), [
      `Warning DriverUnusable 1: driver ${TEST_DRIVER} cannot be used: Probe: FailedPrecondition: no license`,
    ])
  })

  test('a driver with another name than before is told under its former one, for as long as it has the new one', async (context) => {
    const { api, start, until, clock } = await openSidecarWorld(context)
    const { role, lines } = recordedRole()
    let current = defineTestDriver(PUBLISHING)
    const driver: Dispatcher = { ...current, unary: (...call) => current.unary(...call) }
    const { connection } = await start([role], { driver })
    await until(() => lines.length === 1)
    current = defineDriver(
      { name: 'other.holdfast.dev', version: '1' },
      { handlers: PUBLISHING, log: createSilentLogger() },
    )
    connection.go()
    connection.come()
    await until(() => lines.length === 3)
    await clock.advance(400_000)
    const told = `Warning DriverRenamed 2: the driver that was ${TEST_DRIVER} now has the name other.holdfast.dev`
    await until(async () => (await toldAbout(api)).includes(told))
    deepEqual(await toldAbout(api, 'other.holdfast.dev'), [])
  })

  test('a role that a driver cannot have is told, and that it can be used once it can', async (context) => {
    const { api, start, until } = await openSidecarWorld(context)
    const provisioner = recordedRole('provisioner', {
      notNeeded: ({ controller }) =>
        controller.has(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME) ? undefined : 'does not announce X',
    })
    // Nothing is waiting for a role of this name.
    const monitor = recordedRole('health-monitor', { notNeeded: () => 'does not announce Y' })
    let current = defineTestDriver({})
    const driver: Dispatcher = { ...current, unary: (...call) => current.unary(...call) }
    const { connection } = await start([provisioner.role, monitor.role], { driver })
    await until(async () => (await toldAbout(api)).length > 0)
    const missing = `Normal CapabilityMissing 1: driver ${TEST_DRIVER} does not announce X, so its provisioner creates no volumes`
    deepEqual(await toldAbout(api), [missing])
    current = defineTestDriver(PUBLISHING)
    connection.go()
    connection.come()
    await until(async () => (await toldAbout(api)).length === 2)
    deepEqual(await toldAbout(api), [missing, `Normal DriverConnected 1: driver ${TEST_DRIVER} can be used`])
  })

  test('a call that runs for 40 seconds is told, and its end', async (context) => {
    const { api, start, until, clock } = await openSidecarWorld(context)
    const { role, lines, started } = recordedRole()
    const hanging = Promise.withResolvers<object>()
    await start([role], { driver: { ...PUBLISHING, controllerUnpublishVolume: () => hanging.promise } })
    await until(() => lines.length === 1)
    const call = started[0]?.driver.controllerUnpublishVolume({ volumeId: 'v', nodeId: 'n' }, { timeoutMs: 300_000 })
    await clock.advance(39_000)
    deepEqual(await toldAbout(api), [])
    await until(async () => (await toldAbout(api)).length === 1)
    const told = `Warning DriverNotAnswering 1: driver ${TEST_DRIVER} has not answered ControllerUnpublishVolume for 40 s`
    deepEqual(await toldAbout(api), [told])
    hanging.resolve({})
    await call
    await until(async () => (await toldAbout(api)).length === 2)
    deepEqual(await toldAbout(api), [told, `Normal DriverConnected 1: driver ${TEST_DRIVER} can be used`])
  })
})
