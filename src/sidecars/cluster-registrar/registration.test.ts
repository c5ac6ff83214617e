import { deepEqual, equal, match } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { parseAllDocuments } from 'yaml'
import type { Api } from '../../api/api.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../api/kinds/custom-resource-definition.ts'
import { EVENTS } from '../../api/kinds/event.ts'
import type { ClusterRole } from '../../api/kinds/rbac.ts'
import { openTestCore } from '../../apiserver/testing/open-test-core.ts'
import type { TestCore } from '../../apiserver/testing/open-test-core.ts'
import { grantRules } from '../../apiserver/testing/grant-rules.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { createSeededRandom } from '../../base/random.ts'
import { ALPHA_CSI_DRIVER_CRD } from '../../compat/alpha-crds.ts'
import { ALPHA_CSI_DRIVERS } from '../../compat/alpha-csi-driver.ts'
import type { AlphaCSIDriver, AlphaCSIDriverSpec } from '../../compat/alpha-csi-driver.ts'
import { joinDriver } from '../../csi/index.ts'
import { defineDriver } from '../../csi/kit/index.ts'
import { createEventRecorder } from '../../kube/controller/event-recorder.ts'
import { createInformers } from '../../kube/cache/informers.ts'
import { recordWrites } from '../../kube/testing/record-writes.ts'
import { discoverDriver } from '../discover-driver.ts'
import { clusterRegistrarOptions } from './cluster-registrar-options.ts'
import type { ClusterRegistrarConfig } from './cluster-registrar-options.ts'
import { startClusterRegistrar } from './start-cluster-registrar.ts'
import type { RunningRegistrar } from './start-cluster-registrar.ts'

const DEFAULTS = Object.fromEntries(
  Object.entries(clusterRegistrarOptions).map(([key, { fallback }]) => [key, fallback]),
) as ClusterRegistrarConfig

const SHIPPED_RULES =
  parseAllDocuments(readFileSync(join(import.meta.dirname, '../../../examples/driver-registry/rbac.yaml'), 'utf8'))
    .map((document) => document.toJS() as ClusterRole)
    .find(({ metadata }) => metadata.name === 'cluster-driver-registrar')?.rules ?? []

const asShippedRegistrar: Options = {
  apiOf: ({ server }) => server.core.as({ name: 'registrar', groups: ['system:authenticated'] }),
  before: ({ api }) => grantRules(api, 'registrar', SHIPPED_RULES),
}

type Options = {
  name?: string
  attaches?: boolean
  config?: Partial<ClusterRegistrarConfig>
  apiOf?: (core: TestCore) => Api
  before?: (core: TestCore) => Promise<unknown>
}

/** The registrar at work for a driver in process, on a server in memory and a clock that stands still. */
async function startUnderTest(
  context: TestContext,
  { name = 'csi.example.com', attaches = false, config = {}, apiOf, before }: Options = {},
) {
  const core = await openTestCore(context)
  const { api, clock, server } = core
  await before?.(core)
  const writes: string[] = []
  const state = { exiting: false }
  let running: { registrar: RunningRegistrar; stop(): Promise<void> } | undefined
  const settled = async (): Promise<void> => {
    for (let quiet = 0, turns = 0; quiet < 6; turns++) {
      if (turns > 1000) throw new Error('the registrar does not settle')
      await clock.advance(0)
      await server.idle()
      quiet = (running?.registrar.isIdle() ?? true) ? quiet + 1 : 0
    }
  }
  const start = async (changes: Partial<ClusterRegistrarConfig> = {}): Promise<void> => {
    const log = createSilentLogger()
    const random = createSeededRandom(1)
    const handlers = attaches
      ? { controllerPublishVolume: async () => ({}), controllerUnpublishVolume: async () => ({}) }
      : {}
    const driver = joinDriver(defineDriver({ name, version: '1' }, { handlers, log }), { clock })
    const own = recordWrites(apiOf?.(core) ?? api, writes)
    const informers = createInformers({ api: own, clock, random, log })
    const events = createEventRecorder({ api: own, clock, log, component: 'registrar' })
    const facts = await discoverDriver(driver, { clock, log, path: '/csi.sock', timeoutMs: 1000 })
    const all = { ...DEFAULTS, ...config, ...changes, isExiting: () => state.exiting }
    const registrar = await startClusterRegistrar(
      all,
      { api: own, driver, facts, informers, events, clock, random, log },
      new AbortController().signal,
    )
    running = { registrar, stop: () => registrar.stop().then(() => informers.stop()) }
    await settled()
  }
  const stop = async (exiting = true): Promise<void> => {
    state.exiting = exiting
    await running?.stop()
    running = undefined
    state.exiting = false
  }
  const find = async (): Promise<CSIDriver | undefined> =>
    (await api.list(CSI_DRIVERS)).items.find(({ metadata }) => metadata.name === name)
  const findAlpha = async (): Promise<AlphaCSIDriver | undefined> =>
    (await api.list(ALPHA_CSI_DRIVERS)).items.find(({ spec }) => spec.driver === name)
  await start()
  context.after(() => stop())
  const advance = async (byMs: number): Promise<void> => {
    await clock.advance(byMs)
    await settled()
  }
  return {
    ...core,
    writes,
    settled,
    advance,
    start,
    stop,
    find,
    findAlpha,
    isRegistered: () => running?.registrar.isRegistered() ?? false,
  }
}

const createOwn = (api: Api, spec: CSIDriver['spec'], name = 'csi.example.com') =>
  api.create(CSI_DRIVERS, { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name }, spec })
const createSeed = (api: Api, name: string, spec: AlphaCSIDriverSpec) =>
  api.create(ALPHA_CSI_DRIVERS, {
    apiVersion: 'csi.storage.k8s.io/v1alpha1',
    kind: 'CSIDriver',
    metadata: { name },
    spec,
  })
const eventsOf = async (api: Api): Promise<string[]> =>
  (await api.list(EVENTS)).items.map(({ reason, message }) => `${reason}: ${message}`)

const BOTH = [
  'create csidrivers csi.example.com',
  'create csidrivers csi.example.com',
  'patch csidrivers/status csi.example.com',
]

describe('registering a driver', () => {
  test('S1-9, S1-23, S1-25, S3-128, H6: both objects bear the name that the driver tells', async (context) => {
    const { writes, find, findAlpha, isRegistered } = await startUnderTest(context)
    equal((await find())?.metadata.name, 'csi.example.com')
    equal((await findAlpha())?.spec.driver, 'csi.example.com')
    deepEqual(writes, BOTH)
    equal(isRegistered(), true)
  })

  test('S1-4, S1-26, H12: for a driver without ControllerPublishVolume both objects say that it needs no attach, made with the rights that ship', async (context) => {
    const { find, findAlpha, isRegistered } = await startUnderTest(context, asShippedRegistrar)
    deepEqual(
      [(await find())?.spec.attachRequired, (await findAlpha())?.spec.attachRequired, isRegistered()],
      [false, false, true],
    )
  })

  test('S1-26: whoever makes the object may fill its optional members, or leave them open', async (context) => {
    const { findAlpha, find } = await startUnderTest(context, {
      ...asShippedRegistrar,
      attaches: true,
      config: { driverRequiresAttachment: false, podInfoRequiredOnMount: true },
    })
    deepEqual((await findAlpha())?.spec, {
      driver: 'csi.example.com',
      attachRequired: false,
      podInfoRequiredOnMount: true,
    })
    equal((await find())?.spec.attachRequired, false)
  })

  test('H12: a driver with it does', async (context) => {
    const { find, findAlpha } = await startUnderTest(context, { attaches: true })
    deepEqual([(await find())?.spec.attachRequired, (await findAlpha())?.spec.attachRequired], [true, true])
  })

  test('the flag decides over what the driver can do', async (context) => {
    const { find } = await startUnderTest(context, { attaches: true, config: { driverRequiresAttachment: false } })
    equal((await find())?.spec.attachRequired, false)
  })

  for (const config of [{ podInfoMount: true }, { podInfoMountVersion: 'v1' }]) {
    test(`S0-32, H2: pod data are asked for with ${Object.keys(config)[0]}`, async (context) => {
      const { find, findAlpha } = await startUnderTest(context, { config })
      deepEqual([(await find())?.spec.podInfoOnMount, (await findAlpha())?.spec.podInfoOnMountVersion], [true, 'v1'])
    })
  }

  test('H3: pod data under the document’s keys are asked for in its object alone', async (context) => {
    const { find, findAlpha } = await startUnderTest(context, { config: { podInfoRequiredOnMount: true } })
    deepEqual([(await find())?.spec.podInfoOnMount, (await findAlpha())?.spec.podInfoRequiredOnMount], [false, true])
  })

  test('S1-22, H12: objects that somebody made stay as they are, and a difference is told', async (context) => {
    const { api, writes, find, isRegistered, advance } = await startUnderTest(context, {
      before: async ({ api: admin }) => {
        await createOwn(admin, { attachRequired: true })
        await createSeed(admin, 'theirs', { driver: 'csi.example.com', attachRequired: true })
      },
    })
    await advance(600_000)
    deepEqual([(await find())?.spec.attachRequired, (await find())?.metadata.annotations], [true, undefined])
    deepEqual(writes, ['patch csidrivers/status theirs'])
    const [event = '', ...more] = await eventsOf(api)
    deepEqual(more, [])
    match(event, /^ObjectMadeByOthers: .*attachRequired should be false/)
    equal(isRegistered(), true)
  })

  test('H5: a driver with capitals is described in the registry alone', async (context) => {
    const { writes, find, findAlpha, isRegistered } = await startUnderTest(context, { name: 'CSI.example.com' })
    equal(await find(), undefined)
    deepEqual(
      [(await findAlpha())?.metadata.name, (await findAlpha())?.spec.driver],
      ['csi.example.com', 'CSI.example.com'],
    )
    deepEqual([writes.length, isRegistered()], [2, true])
  })

  test('the object of another driver that has the name is left alone', async (context) => {
    const { api, writes, findAlpha } = await startUnderTest(context, {
      before: ({ api: admin }) => createSeed(admin, 'csi.example.com', { driver: 'other' }),
    })
    equal(await findAlpha(), undefined)
    deepEqual(writes, ['create csidrivers csi.example.com'])
    match((await eventsOf(api)).join(), /ObjectOfAnotherDriver/)
  })

  test('objects that somebody deletes come back', async (context) => {
    const { api, settled, find, findAlpha } = await startUnderTest(context)
    await api.delete(CSI_DRIVERS, { name: 'csi.example.com' })
    await api.delete(ALPHA_CSI_DRIVERS, { name: 'csi.example.com' })
    await settled()
    equal((await find())?.spec.attachRequired, false)
    equal((await findAlpha())?.status?.ready, true)
  })

  test('S3-34: without the registry’s kind there is today’s object, and the other follows when the kind comes', async (context) => {
    const { api, writes, advance, findAlpha, isRegistered } = await startUnderTest(context, {
      before: async ({ api: admin, server }) => {
        await admin.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: ALPHA_CSI_DRIVER_CRD.metadata.name ?? '' })
        await server.idle()
      },
    })
    deepEqual([writes, isRegistered()], [['create csidrivers csi.example.com'], true])
    await api.create(CUSTOM_RESOURCE_DEFINITIONS, ALPHA_CSI_DRIVER_CRD)
    await advance(120_000)
    equal((await findAlpha())?.status?.ready, true)
  })

  test('costs no write once it is done', async (context) => {
    const { writes, advance } = await startUnderTest(context)
    writes.length = 0
    await advance(3_600_000)
    deepEqual(writes, [])
  })
})

describe('a registered driver', () => {
  test('S1-27, H9: is ready while it serves, and not after', async (context) => {
    const { findAlpha, find, stop, start } = await startUnderTest(context)
    equal((await findAlpha())?.status?.ready, true)
    await stop()
    equal((await findAlpha())?.status?.ready, false)
    equal((await find())?.spec.attachRequired, false)
    await start()
    equal((await findAlpha())?.status?.ready, true)
  })

  test('S1-27: is ready again after another replica said at its end that it is not', async (context) => {
    const { api, settled, findAlpha } = await startUnderTest(context)
    await api.patch(
      ALPHA_CSI_DRIVERS,
      { name: 'csi.example.com' },
      { type: 'merge', value: { status: { ready: false } } },
      { subresource: 'status' },
    )
    await settled()
    equal((await findAlpha())?.status?.ready, true)
  })

  test('has what the registrar made changed with its flags', async (context) => {
    const { writes, find, findAlpha, stop, start } = await startUnderTest(context, { config: { podInfoMount: true } })
    await stop()
    writes.length = 0
    await start({ podInfoMount: false })
    deepEqual(
      [(await find())?.spec.podInfoOnMount, (await findAlpha())?.spec.podInfoOnMountVersion],
      [false, undefined],
    )
    deepEqual(writes, [
      'patch csidrivers csi.example.com',
      'patch csidrivers csi.example.com',
      'patch csidrivers/status csi.example.com',
    ])
  })

  test('keeps what can not be changed, and somebody is told', async (context) => {
    const { api, find, findAlpha, stop, start } = await startUnderTest(context)
    await stop()
    await start({ driverRequiresAttachment: true })
    deepEqual([(await find())?.spec.attachRequired, (await findAlpha())?.spec.attachRequired], [false, true])
    match((await eventsOf(api)).join(), /ObjectCanNotChange/)
  })

  test('has it made anew where that is asked for', async (context) => {
    const { find, stop, start } = await startUnderTest(context)
    await stop()
    await start({ driverRequiresAttachment: true, recreateOnImmutableChange: true })
    equal((await find())?.spec.attachRequired, true)
  })

  test('is not fought over by two registrars with different flags', async (context) => {
    const { api, writes, settled, advance } = await startUnderTest(context, { config: { podInfoMount: true } })
    writes.length = 0
    for (let turn = 0; turn < 5; turn++) {
      await api.patch(
        CSI_DRIVERS,
        { name: 'csi.example.com' },
        { type: 'merge', value: { spec: { podInfoOnMount: false } } },
      )
      await api.patch(
        ALPHA_CSI_DRIVERS,
        { name: 'csi.example.com' },
        { type: 'merge', value: { spec: { podInfoOnMountVersion: null } } },
      )
      await settled()
    }
    equal(writes.length, 2)
    await advance(120_000)
    equal(writes.length, 4)
  })

  test('loses its objects at the end where that is asked for, and not when only the driver was lost', async (context) => {
    const { find, findAlpha, stop, start } = await startUnderTest(context, { config: { deleteOnExit: true } })
    await stop(false)
    equal((await findAlpha())?.status?.ready, false)
    await start()
    await stop(true)
    deepEqual([await find(), await findAlpha()], [undefined, undefined])
  })

  test('keeps at the end what somebody else made', async (context) => {
    const { find, findAlpha, stop } = await startUnderTest(context, {
      config: { deleteOnExit: true },
      before: async ({ api }) => {
        await createOwn(api, { attachRequired: false })
        await createSeed(api, 'theirs', { driver: 'csi.example.com' })
      },
    })
    await stop()
    equal((await find())?.metadata.name, 'csi.example.com')
    equal((await findAlpha())?.status?.ready, false)
  })
})

describe('its permissions', () => {
  const all = SHIPPED_RULES
  const cases: [behaviour: string, rules: NonNullable<ClusterRole['rules']>, inRegistry: boolean][] = [
    ['are those of examples/driver-registry/rbac.yaml', all, true],
    ['may lack those for the registry', all.filter(({ apiGroups }) => apiGroups?.includes('storage.k8s.io')), false],
  ]
  for (const [behaviour, rules, inRegistry] of cases) {
    test(behaviour, async (context) => {
      const { find, findAlpha, isRegistered, stop, start } = await startUnderTest(context, {
        config: { deleteOnExit: true, podInfoMount: true },
        apiOf: ({ server }) => server.core.as({ name: 'registrar', groups: ['system:authenticated'] }),
        before: async ({ api }) => {
          await grantRules(api, 'registrar', rules)
        },
      })
      deepEqual(
        [(await find())?.spec.attachRequired, (await findAlpha())?.status?.ready, isRegistered()],
        [false, inRegistry ? true : undefined, true],
      )
      await stop(false)
      await start({ podInfoMount: false })
      deepEqual([(await find())?.spec.podInfoOnMount, isRegistered()], [false, true])
      await stop()
      deepEqual([await find(), await findAlpha()], [undefined, undefined])
    })
  }
})
