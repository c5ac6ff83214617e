import type { TestContext } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { EVENTS } from '../../../api/kinds/event.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../../api/kinds/persistent-volume.ts'
import { STORAGE_CLASSES } from '../../../api/kinds/storage-class.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../../../api/kinds/volume-attributes-class.ts'
import { openTestCore } from '../../../apiserver/testing/open-test-core.ts'
import type { TestCore } from '../../../apiserver/testing/open-test-core.ts'
import type { Clock } from '../../../base/clock.ts'
import { createSilentLogger } from '../../../base/logger.ts'
import { defaultsOf } from '../../../base/options/index.ts'
import { joinDriver } from '../../../csi/index.ts'
import type { Driver } from '../../../csi/index.ts'
import { defineDriver } from '../../../csi/kit/index.ts'
import type { CsiHandlers } from '../../../csi/kit/index.ts'
import { claimOf, classOf, createBoundPair, volumeOf } from '../../../testing/objects.ts'
import { startRoleUnderTest } from '../../testing/describe-role.ts'
import type { RoleUnderTest } from '../../testing/describe-role.ts'
import { resizerOptions } from '../resizer-options.ts'
import type { ResizerConfig } from '../resizer-options.ts'
import { startResizer } from '../start-resizer.ts'

export const DRIVER = 'test.holdfast.dev'
export const DEFAULTS = defaultsOf(resizerOptions)
export const CLAIM = { namespace: 'default', name: 'c1' }

type Expand = NonNullable<CsiHandlers['controllerExpandVolume']>
type Modify = NonNullable<CsiHandlers['controllerModifyVolume']>

/** A driver that expands and modifies, and records its calls. */
export type ScriptedDriver = {
  readonly driver: Driver
  /** `expand v1 2147483648`, `modify v1 {"iops":"9"}`. */
  readonly calls: string[]
  /** Replaces the behavior; by default everything succeeds, and the node has nothing to do. */
  expand: Expand
  modify: Modify
}

export function createScriptedDriver(
  clock: Clock,
  more: CsiHandlers = {},
  only: 'all' | 'node' = 'all',
): ScriptedDriver {
  const calls: string[] = []
  const handlers: CsiHandlers = {
    controllerExpandVolume: (request, call) => {
      calls.push(`expand ${request.volumeId} ${request.capacityRange?.requiredBytes}`)
      return script.expand(request, call)
    },
    controllerModifyVolume: (request, call) => {
      calls.push(`modify ${request.volumeId} ${JSON.stringify(request.mutableParameters)}`)
      return script.modify(request, call)
    },
  }
  const server = defineDriver(
    { name: DRIVER, version: '1' },
    { handlers: { ...(only === 'all' ? handlers : {}), ...more }, log: createSilentLogger() },
  )
  const script: ScriptedDriver = {
    driver: joinDriver(server, { clock }),
    calls,
    expand: ({ capacityRange }) =>
      Promise.resolve({ capacityBytes: capacityRange?.requiredBytes ?? 0n, nodeExpansionRequired: false }),
    modify: () => Promise.resolve({}),
  }
  return script
}

export type ResizerUnderTest = TestCore &
  RoleUnderTest & {
    readonly script: ScriptedDriver
    claim(): Promise<PersistentVolumeClaim>
    volume(): Promise<PersistentVolume>
    request(size: string): Promise<void>
    requestClass(name: string): Promise<void>
    /** `VolumeResizeFailed: …`, in order. */
    eventTexts(): Promise<string[]>
  }

export type UnderTestOptions = {
  config?: Partial<ResizerConfig>
  driver?: Parameters<typeof createScriptedDriver>
  apiOf?: (core: TestCore) => Api
  csi?: Partial<NonNullable<PersistentVolume['spec']['csi']>>
  before?: (core: TestCore) => Promise<void>
}

/** A running resizer on a server with claim `c1`, bound to volume `v1` of 1Gi. */
export async function startUnderTest(context: TestContext, options: UnderTestOptions = {}): Promise<ResizerUnderTest> {
  const core = await openTestCore(context)
  const { api, clock } = core
  const [, more, only] = options.driver ?? []
  const script = createScriptedDriver(clock, more, only)
  await createBoundClaim(api, options.csi)
  await options.before?.(core)
  const role = await startRoleUnderTest(context, core, {
    driver: script.driver,
    component: `external-resizer ${DRIVER}`,
    ...(options.apiOf ? { api: options.apiOf(core) } : {}),
    progress: () => script.calls.length,
    startRole: (parts) => startResizer({ ...DEFAULTS, ...options.config }, parts, new AbortController().signal),
  })
  const patch = async (spec: object): Promise<void> => {
    await api.patch(PERSISTENT_VOLUME_CLAIMS, CLAIM, { type: 'merge', value: { spec } })
    await role.settled()
  }
  return {
    ...core,
    ...role,
    script,
    claim: () => api.get(PERSISTENT_VOLUME_CLAIMS, CLAIM),
    volume: () => api.get(PERSISTENT_VOLUMES, { name: 'v1' }),
    request: (storage) => patch({ resources: { requests: { storage } } }),
    requestClass: (volumeAttributesClassName) => patch({ volumeAttributesClassName }),
    eventTexts: async () => (await api.list(EVENTS)).items.map(({ reason, message }) => `${reason}: ${message}`),
  }
}

export async function createBoundClaim(
  api: Api,
  csi: Partial<NonNullable<PersistentVolume['spec']['csi']>> = {},
): Promise<void> {
  await api.create(STORAGE_CLASSES, classOf({ allowVolumeExpansion: true }))
  await createBoundPair(api, {
    claim: claimOf({ className: 'fast' }),
    volume: volumeOf({ spec: { storageClassName: 'fast', csi: { driver: DRIVER, volumeHandle: 'v1', ...csi } } }),
  })
}

export const createAttributesClass = async (
  api: Api,
  name: string,
  parameters: Record<string, string> = { class: name },
): Promise<void> =>
  void (await api.create(VOLUME_ATTRIBUTES_CLASSES, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttributesClass',
    metadata: { name },
    driverName: DRIVER,
    parameters,
  }))
