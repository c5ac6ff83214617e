import { deepEqual } from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { ignoreNotFound } from '../../../api/api-error.ts'
import { CSI_DRIVERS } from '../../../api/kinds/csi-driver.ts'
import type { CSIDriverSpec } from '../../../api/kinds/csi-driver.ts'
import { EVENTS } from '../../../api/kinds/event.ts'
import { NODES } from '../../../api/kinds/node.ts'
import type { Node } from '../../../api/kinds/node.ts'
import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import type { CSIPersistentVolumeSource, PersistentVolumeSpec } from '../../../api/kinds/persistent-volume.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import type { Pod, PodSpec, Volume } from '../../../api/kinds/pod.ts'
import { SERVICE_ACCOUNTS } from '../../../api/kinds/service-account.ts'
import { VOLUME_ATTACHMENTS } from '../../../api/kinds/volume-attachment.ts'
import { nodeUser } from '../../../apiserver/authorization/node-identity.ts'
import { openTestCore } from '../../../apiserver/testing/open-test-core.ts'
import type { TestCore } from '../../../apiserver/testing/open-test-core.ts'
import { createSimulatedHost, makeDirectories } from '../../../base/host/index.ts'
import type { Host, SimulatedHost } from '../../../base/host/index.ts'
import { createLogger } from '../../../base/logger.ts'
import { createSeededRandom } from '../../../base/random.ts'
import type { Tracer } from '../../../base/tracing/index.ts'
import { createInformers } from '../../../kube/cache/informers.ts'
import { recordWrites } from '../../../kube/testing/record-writes.ts'
import { attachmentName } from '../../../storage/attachment-name.ts'
import { uniqueVolumeName } from '../../../storage/unique-volume-name.ts'
import { DEFAULT_VOLUMES, startVolumeManager } from '../index.ts'
import type { RunningVolumeManager, VolumeConfig } from '../index.ts'
import { claimOf, createBoundPair, createOn, nodeOf, podOf, volumeOf, volumeOfClaim } from '../../../testing/objects.ts'
import { createLedger, createTestDriverStore, DRIVER } from './ledger-driver.ts'
import type { Ledger, LedgerFeatures, TestDriverStore } from './ledger-driver.ts'

// Shared by the tests of the volume manager: a server in memory with a node's permissions, a machine in memory, a driver with a ledger, and a stopped
// clock.

export const NODE = 'node-1'
export const ROOT = '/var/lib/kubelet'

export type VolumesUnderTest = TestCore & {
  readonly machine: SimulatedHost
  readonly ledger: Ledger
  readonly store: TestDriverStore
  /** Every write of the node but events. */
  readonly writes: string[]
  /** Every read: `get secrets pass`. */
  readonly reads: string[]
  readonly logged: string[]
  manager(): RunningVolumeManager
  start(config?: Partial<VolumeConfig>): Promise<void>
  stop(): Promise<void>
  settled(): Promise<void>
  advance(byMs: number): Promise<void>
  pod(name: string, namespace?: string): Promise<Pod | undefined>
  node(): Promise<Node>
  inUse(): Promise<readonly string[]>
  events(): Promise<string[]>
  /** Paths of all files and directories below the root, and of mounts. */
  tree(): string[]
}

export type VolumesOptions = {
  features?: LedgerFeatures
  config?: Partial<VolumeConfig>
  /** Of the CSIDriver; undefined for a driver without one. Default: no attaching. */
  csiDriver?: CSIDriverSpec | undefined
  apiOf?: (api: Api) => Api
  hostOf?: (host: Host) => Host
  start?: boolean
  requiresPublishPod?: boolean
  tracer?: Tracer
}

export async function openVolumes(context: TestContext, options: VolumesOptions = {}): Promise<VolumesUnderTest> {
  const core = await openTestCore(context)
  const { api, server, clock } = core
  const machine = createSimulatedHost({ random: createSeededRandom(1) })
  await makeDirectories(machine.files, ROOT)
  const ledger = createLedger(machine, options.features)
  const store = createTestDriverStore()
  store.register(DRIVER, ledger.driver(clock), { requiresPublishPod: options.requiresPublishPod ?? false })
  const [writes, reads, logged]: [string[], string[], string[]] = [[], [], []]
  const log = createLogger({ clock, level: 'debug', format: 'json', write: (line) => void logged.push(line) })
  const nodeApi = recordReads(
    recordWrites((options.apiOf ?? ((plain) => plain))(server.core.as(nodeUser(NODE))), writes),
    reads,
  )
  const annotations = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' }
  await createOn(api, NODES, nodeOf(NODE, { metadata: { annotations } }))
  await api
    .create(SERVICE_ACCOUNTS, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { namespace: 'default', name: 'default' },
    })
    .catch(() => {})
  const spec =
    'csiDriver' in options
      ? options.csiDriver
      : { attachRequired: false, volumeLifecycleModes: ['Persistent', 'Ephemeral'] as const }
  if (spec)
    await api.create(CSI_DRIVERS, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: DRIVER },
      spec,
    })

  let running: { manager: RunningVolumeManager; stop(): Promise<void> } | undefined
  const start = async (config: Partial<VolumeConfig> = {}): Promise<void> => {
    const random = createSeededRandom(7)
    const informers = createInformers({ api: nodeApi, clock, random, log })
    const parts = {
      host: (options.hostOf ?? ((host) => host))(machine),
      clock,
      random,
      log,
      api: nodeApi,
      informers,
      nodeName: NODE,
      rootDir: ROOT,
      drivers: store,
      tracer: options.tracer?.as(NODE),
    }
    const manager = await startVolumeManager(
      { ...DEFAULT_VOLUMES, ...options.config, ...config },
      parts,
      new AbortController().signal,
    )
    running = {
      manager,
      stop: async () => {
        await manager.stop()
        await informers.stop()
      },
    }
    await settled()
  }
  const stop = async (): Promise<void> => {
    await running?.stop()
    running = undefined
  }
  context.after(stop)
  const settled = async (): Promise<void> => {
    for (let quiet = 0, turns = 0; quiet < 8; turns++) {
      if (turns > 20_000) throw new Error(`the volume manager does not settle\n${logged.slice(-30).join('')}`)
      await clock.advance(0)
      await server.idle()
      quiet = (running?.manager.isIdle() ?? true) ? quiet + 1 : 0
    }
  }
  context.after(() => deepEqual(ledger.violations, []))
  if (options.start ?? true) await start()
  const node = (): Promise<Node> => api.get(NODES, { name: NODE })
  return {
    ...core,
    machine,
    ledger,
    store,
    writes,
    reads,
    logged,
    manager: () => running?.manager ?? raise('the volume manager does not run'),
    start,
    stop,
    settled,
    advance: async (byMs) => {
      await clock.advance(byMs)
      await settled()
    },
    pod: (name, namespace = 'default') => api.get(PODS, { namespace, name }).catch(ignoreNotFound),
    node,
    inUse: async () => (await node()).status?.volumesInUse ?? [],
    events: async () => (await api.list(EVENTS)).items.map(({ reason, message }) => `${reason}: ${message}`),
    tree: () =>
      machine
        .snapshotTree()
        .map(({ path }) => path)
        .filter((path) => path.startsWith(`${ROOT}/`)),
  }
}

const raise = (message: string): never => {
  throw new Error(message)
}

function recordReads(api: Api, reads: string[]): Api {
  return {
    ...api,
    get: (type, ref, options) => (reads.push(`get ${type.plural} ${ref.name}`), api.get(type, ref, options)),
    createSubresource: (type, ref, subresource, body, options) => (
      reads.push(`create ${type.plural}/${subresource} ${ref.name}`),
      api.createSubresource(type, ref, subresource, body, options)
    ),
  }
}

export type VolumeOptions = {
  namespace?: string
  source?: Partial<CSIPersistentVolumeSource>
  spec?: Partial<PersistentVolumeSpec>
  size?: string
  claimSize?: string
}

/** A volume `NAME` with the handle `h-NAME`, bound to a claim of the same name. */
export async function bindVolume(
  api: Api,
  name: string,
  { namespace = 'default', source = {}, spec = {}, size = '1Gi', claimSize = size }: VolumeOptions = {},
): Promise<PersistentVolumeClaim> {
  const { accessModes: modes = ['ReadWriteOnce'], volumeMode = 'Filesystem' } = spec
  const status = { capacity: { storage: claimSize } }
  const { claim } = await createBoundPair(api, {
    claim: claimOf({ namespace, name, size, modes, spec: { volumeMode }, status }),
    volume: volumeOf({
      name,
      size,
      modes,
      spec: {
        persistentVolumeReclaimPolicy: 'Retain',
        volumeMode,
        csi: { driver: DRIVER, volumeHandle: `h-${name}`, ...source },
        ...spec,
      },
    }),
  })
  return claim
}

export type PodOptions = {
  namespace?: string
  volumes?: readonly Volume[]
  spec?: Partial<PodSpec>
  nodeName?: string
  asDevice?: boolean
}

/** A pod on the node that uses all of its volumes; by default one claim with the pod's own name. */
export function createPod(
  api: Api,
  name: string,
  {
    namespace = 'default',
    volumes = [volumeOfClaim(name, 'data')],
    spec = {},
    nodeName = NODE,
    asDevice = false,
  }: PodOptions = {},
): Promise<Pod> {
  const pod = podOf(name, { namespace, volumes, nodeName })
  const volumeDevices = volumes.map((volume) => ({ name: volume.name, devicePath: `/dev/${volume.name}` }))
  const containers = asDevice ? [{ name: 'main', image: 'none', volumeDevices }] : pod.spec.containers
  const account = { serviceAccountName: 'default', automountServiceAccountToken: false }
  return createOn(api, PODS, { ...pod, spec: { ...pod.spec, ...account, containers, ...spec } })
}

/** Deletes the pod as a user would: the agent completes the deletion later. */
export const deletePod = (api: Api, name: string, namespace = 'default'): Promise<unknown> =>
  api.delete(PODS, { namespace, name })

export const nameInUse = (name: string): string => uniqueVolumeName(DRIVER, `h-${name}`)

/** What attach/detach controller and attacher do together. */
export async function attach(
  api: Api,
  name: string,
  { metadata = {}, attached = true }: { metadata?: Record<string, string>; attached?: boolean } = {},
): Promise<void> {
  const va = attachmentName({ driver: DRIVER, volumeHandle: `h-${name}`, nodeName: NODE })
  const made = await api.create(VOLUME_ATTACHMENTS, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: va },
    spec: { attacher: DRIVER, nodeName: NODE, source: { persistentVolumeName: name } },
  })
  await api.update(
    VOLUME_ATTACHMENTS,
    { ...made, status: { attached, attachmentMetadata: metadata } },
    { subresource: 'status' },
  )
  await listAttached(api, name)
}

export async function listAttached(api: Api, name: string): Promise<void> {
  const node = await api.get(NODES, { name: NODE })
  const volumesAttached = [...(node.status?.volumesAttached ?? []), { name: nameInUse(name), devicePath: '' }]
  await api.patch(
    NODES,
    { name: NODE },
    { type: 'merge', value: { status: { volumesAttached } } },
    { subresource: 'status' },
  )
}
