import type { TestContext } from 'node:test'
import type { Registry } from 'prom-client'
import type { Api } from '../../../api/api.ts'
import { EVENTS } from '../../../api/kinds/event.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../../api/kinds/persistent-volume.ts'
import { STORAGE_CLASSES } from '../../../api/kinds/storage-class.ts'
import type { StorageClass } from '../../../api/kinds/storage-class.ts'
import { ignoreNotFound } from '../../../api/api-error.ts'
import { openTestCore } from '../../../apiserver/testing/open-test-core.ts'
import type { TestCore } from '../../../apiserver/testing/open-test-core.ts'
import type { Clock } from '../../../base/clock.ts'
import { defaultsOf } from '../../../base/options/index.ts'
import { createSilentLogger } from '../../../base/logger.ts'
import { joinDriver } from '../../../csi/index.ts'
import type { Driver } from '../../../csi/index.ts'
import { defineDriver } from '../../../csi/kit/index.ts'
import type { CsiHandlers, DriverFeatures } from '../../../csi/kit/index.ts'
import { startRoleUnderTest } from '../../testing/describe-role.ts'
import type { RoleUnderTest } from '../../testing/describe-role.ts'
import { STORAGE_PROVISIONER } from '../../../storage/names.ts'
import { provisionerOptions } from '../provisioner-options.ts'
import type { ProvisionerConfig } from '../provisioner-options.ts'
import { startProvisioner } from '../start-provisioner.ts'
import type { ProvisionerPlace } from '../start-provisioner.ts'
import { claimOf, classOf, createOn } from '../../../testing/objects.ts'

// Shared by the tests of the whole provisioner. Each has a server in memory, a stopped clock, and a driver in process; the test itself acts as
// binder, scheduler and kubelet.

export const DRIVER = 'test.holdfast.dev'
export const NAMESPACE = 'default'
export const PLACE: ProvisionerPlace = { namespace: 'kube-system', hostname: 'host-1' }

export const DEFAULTS = defaultsOf(provisionerOptions)

type CreateHandler = NonNullable<CsiHandlers['createVolume']>
export type CreateRequest = Parameters<CreateHandler>[0]

/** A driver that creates and deletes volumes and records its calls. */
export type ScriptedDriver = {
  readonly driver: Driver
  /** `create pvc-…`, `delete id-of-pvc-…`, in the order of the calls' starts. */
  readonly calls: string[]
  readonly requests: CreateRequest[]
  /** IDs of the existing volumes, by name. */
  readonly volumes: Map<string, string>
  /** The most concurrent calls for one volume. */
  mostAtOnce: number
  /** Replaces the behavior; the default creates and deletes. */
  create: CreateHandler
  delete: NonNullable<CsiHandlers['deleteVolume']>
}

export type ScriptOptions = { features?: DriverFeatures; more?: CsiHandlers }

export function createScriptedDriver(clock: Clock, { features = {}, more = {} }: ScriptOptions = {}): ScriptedDriver {
  const calls: string[] = []
  const requests: CreateRequest[] = []
  const volumes = new Map<string, string>()
  const running = new Map<string, number>()
  const counted = async <T>(what: string, id: string, act: () => Promise<T>): Promise<T> => {
    calls.push(`${what} ${id}`)
    const name = id.replace(/^id-of-/, '')
    running.set(name, (running.get(name) ?? 0) + 1)
    script.mostAtOnce = Math.max(script.mostAtOnce, running.get(name) ?? 0)
    try {
      return await act()
    } finally {
      running.set(name, (running.get(name) ?? 0) - 1)
    }
  }
  const handlers: CsiHandlers = {
    createVolume: (request, call) => {
      requests.push(request)
      return counted('create', request.name, () => script.create(request, call))
    },
    deleteVolume: (request, call) => counted('delete', request.volumeId, () => script.delete(request, call)),
  }
  const server = defineDriver(
    { name: DRIVER, version: '1', features },
    { handlers: { ...handlers, ...more }, log: createSilentLogger() },
  )
  const script: ScriptedDriver = {
    driver: joinDriver(server, { clock }),
    calls,
    requests,
    volumes,
    mostAtOnce: 0,
    create: (request) => {
      volumes.set(request.name, `id-of-${request.name}`)
      return Promise.resolve({ volume: volumeFor(request) })
    },
    delete: ({ volumeId }) => {
      for (const [name, id] of volumes) if (id === volumeId) volumes.delete(name)
      return Promise.resolve({})
    },
  }
  return script
}

/** The response of a driver that created the requested volume, in the first preferred topology. */
export const volumeFor = ({ name, capacityRange, volumeContentSource, accessibilityRequirements }: CreateRequest) => ({
  volumeId: `id-of-${name}`,
  capacityBytes: capacityRange?.requiredBytes ?? 0n,
  contentSource: volumeContentSource,
  accessibleTopology: (accessibilityRequirements?.preferred ?? []).slice(0, 1),
})

export type ProvisionerUnderTest = TestCore &
  RoleUnderTest & { readonly script: ScriptedDriver; events(): Promise<string[]> }

export type UnderTestOptions = {
  config?: Partial<ProvisionerConfig>
  driver?: ScriptOptions
  place?: ProvisionerPlace
  /** The provisioner's API. Default: it may do everything. */
  apiOf?: (core: TestCore) => Api
  /** Before the provisioner starts. */
  before?: (core: TestCore) => Promise<void>
  registry?: Registry
  /** Replaces the scripted one. */
  openDriver?: (clock: Clock) => Promise<Driver>
}

/** A running provisioner on a server with the class `fast`. */
export async function startUnderTest(
  context: TestContext,
  options: UnderTestOptions = {},
): Promise<ProvisionerUnderTest> {
  const core = await openTestCore(context)
  const { api, clock } = core
  const script = createScriptedDriver(clock, options.driver)
  await createClass(api)
  await options.before?.(core)
  const driver = (await options.openDriver?.(clock)) ?? script.driver
  const config = { ...DEFAULTS, ...options.config }
  const role = await startRoleUnderTest(context, core, {
    driver,
    component: `${DRIVER}_host-1_test`,
    ...(options.apiOf ? { api: options.apiOf(core) } : {}),
    progress: () => script.calls.length,
    startRole: (parts) =>
      startProvisioner(
        config,
        { ...parts, ...(options.registry ? { registry: options.registry } : {}), place: options.place ?? PLACE },
        new AbortController().signal,
      ),
  })
  const events = async (): Promise<string[]> => {
    await role.settled()
    return (await api.list(EVENTS)).items.map(
      ({ involvedObject, type, reason, message }) => `${involvedObject.kind} ${type} ${reason}: ${message}`,
    )
  }
  return { ...core, ...role, script, events }
}

export const createClass = (api: Api, given: Partial<StorageClass> = {}): Promise<StorageClass> =>
  createOn(api, STORAGE_CLASSES, classOf({ provisioner: DRIVER, ...given }))

/** A claim that the binder has assigned to the provisioner. */
export const createClaim = (
  api: Api,
  name = 'data',
  spec: Partial<PersistentVolumeClaimSpec> = {},
  metadata: PersistentVolumeClaim['metadata'] = {},
): Promise<PersistentVolumeClaim> => {
  const annotations = { [STORAGE_PROVISIONER]: DRIVER, ...metadata.annotations }
  const parts = { name, namespace: NAMESPACE, className: 'fast', metadata: { ...metadata, name, annotations }, spec }
  return createOn(api, PERSISTENT_VOLUME_CLAIMS, claimOf(parts))
}

export const volumeOf = ({ metadata }: PersistentVolumeClaim): string => `pvc-${metadata.uid}`

export const getVolume = (api: Api, claim: PersistentVolumeClaim): Promise<PersistentVolume> =>
  api.get(PERSISTENT_VOLUMES, { name: volumeOf(claim) })

/** Binds the claim, as the binder does once the volume exists. */
export async function bind(api: Api, claim: PersistentVolumeClaim): Promise<void> {
  const name = volumeOf(claim)
  const ref = { namespace: NAMESPACE, name: claim.metadata.name ?? '' }
  await api.patch(
    PERSISTENT_VOLUMES,
    { name },
    { type: 'merge', value: { status: { phase: 'Bound' } } },
    { subresource: 'status' },
  )
  await api.patch(PERSISTENT_VOLUME_CLAIMS, ref, {
    type: 'merge',
    value: { metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } }, spec: { volumeName: name } },
  })
  await api.patch(
    PERSISTENT_VOLUME_CLAIMS,
    ref,
    { type: 'merge', value: { status: { phase: 'Bound' } } },
    { subresource: 'status' },
  )
}

/** Deletes the claim, as if no pod used it. */
export async function deleteClaim(api: Api, name = 'data'): Promise<void> {
  const ref = { namespace: NAMESPACE, name }
  await api.delete(PERSISTENT_VOLUME_CLAIMS, ref)
  await api
    .patch(PERSISTENT_VOLUME_CLAIMS, ref, { type: 'merge', value: { metadata: { finalizers: null } } })
    .catch(ignoreNotFound)
}

/** Releases the volume and removes its protection, as the binder does once the claim is deleted. */
export async function releaseVolume(api: Api, name: string): Promise<void> {
  await api
    .patch(
      PERSISTENT_VOLUMES,
      { name },
      { type: 'merge', value: { status: { phase: 'Released' } } },
      { subresource: 'status' },
    )
    .catch(ignoreNotFound)
  const protection = { metadata: { '$deleteFromPrimitiveList/finalizers': ['kubernetes.io/pv-protection'] } }
  await api.patch(PERSISTENT_VOLUMES, { name }, { type: 'strategic', value: protection }).catch(ignoreNotFound)
}
