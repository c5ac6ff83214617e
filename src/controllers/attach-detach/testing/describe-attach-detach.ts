import type { TestContext } from 'node:test'
import { ignoreNotFound } from '../../../api/api-error.ts'
import type { Api } from '../../../api/api.ts'
import { CSI_DRIVERS } from '../../../api/kinds/csi-driver.ts'
import type { CSIDriver } from '../../../api/kinds/csi-driver.ts'
import { EVENTS } from '../../../api/kinds/event.ts'
import { NODES } from '../../../api/kinds/node.ts'
import type { Node } from '../../../api/kinds/node.ts'
import type { AccessMode, PersistentVolume } from '../../../api/kinds/persistent-volume.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import type { Pod, Volume } from '../../../api/kinds/pod.ts'
import { VOLUME_ATTACHMENTS } from '../../../api/kinds/volume-attachment.ts'
import type { VolumeAttachment, VolumeAttachmentStatus } from '../../../api/kinds/volume-attachment.ts'
import { openTestCore } from '../../../apiserver/testing/open-test-core.ts'
import type { TestCore } from '../../../apiserver/testing/open-test-core.ts'
import { createSilentLogger } from '../../../base/logger.ts'
import { createSeededRandom } from '../../../base/random.ts'
import { createEventRecorder } from '../../../kube/controller/event-recorder.ts'
import type { EventRecorder } from '../../../kube/controller/event-recorder.ts'
import { createInformers } from '../../../kube/cache/informers.ts'
import type { Informers } from '../../../kube/cache/informers.ts'
import { recordWrites } from '../../../kube/testing/record-writes.ts'
import { attachmentName } from '../../../storage/attachment-name.ts'
import { uniqueVolumeName } from '../../../storage/unique-volume-name.ts'
import type { RunningRole } from '../../../kube/process/running-role.ts'
import { attachDetachOptions } from '../attach-detach-options.ts'
import type { AttachDetachConfig } from '../attach-detach-options.ts'
import { startAttachDetach } from '../start-attach-detach.ts'
import { claimOf, createBoundPair, createOn, nodeOf, podOf, volumeOf } from '../../../testing/objects.ts'
import type { PodParts } from '../../../testing/objects.ts'

// Shared by the tests of the whole controller: a server in memory, a stopped clock, and a test that acts as attacher and node.

export const DRIVER = 'test.holdfast.dev'
export const FINALIZER = 'external-attacher/test-holdfast-dev'
const MANAGED = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' }

// The table's keys are those of the configuration, and none of them is required.
export const DEFAULTS = {
  ...Object.fromEntries(Object.entries(attachDetachOptions).map(([key, { fallback }]) => [key, fallback])),
  skipAttach: true,
} as AttachDetachConfig

export type UnderTest = TestCore & {
  /** `create volumeattachments csi-…`: every write of the controller except events. */
  readonly writes: string[]
  settled(): Promise<void>
  advance(byMs: number): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

export type UnderTestOptions = {
  config?: Partial<AttachDetachConfig>
  before?: (core: TestCore) => Promise<void>
  apiOf?: (api: Api) => Api
}

/** A running controller on a server with two nodes, `node-1` and `node-2`. */
export async function startUnderTest(context: TestContext, options: UnderTestOptions = {}): Promise<UnderTest> {
  const core = await openTestCore(context)
  const { api, clock, server } = core
  const writes: string[] = []
  const log = createSilentLogger()
  for (const name of ['node-1', 'node-2']) await createNode(api, name)
  await options.before?.(core)

  let running: { controller: RunningRole; informers: Informers; events: EventRecorder } | undefined
  const start = async (): Promise<void> => {
    const own = recordWrites(options.apiOf?.(api) ?? api, writes)
    const random = createSeededRandom(1)
    const informers = createInformers({ api: own, clock, random, log })
    const events = createEventRecorder({ api: own, clock, log, component: 'attachdetach-controller' })
    let controller: RunningRole | undefined
    void startAttachDetach(
      { ...DEFAULTS, ...options.config },
      { api: own, informers, events, clock, random, log },
      new AbortController().signal,
    ).then((started) => (controller = started))
    for (let turns = 0; !controller; turns++) {
      if (turns > 1000) throw new Error('the controller does not start')
      await clock.advance(0)
    }
    running = { controller, informers, events }
    await settled()
  }
  const stop = async (): Promise<void> => {
    await running?.controller.stop()
    await running?.informers.stop()
    running = undefined
  }
  const settled = async (): Promise<void> => {
    for (let quiet = 0, turns = 0; quiet < 5; turns++) {
      if (turns > 1000) throw new Error('the controller does not settle')
      await clock.advance(0)
      await server.idle()
      quiet = (running?.controller.isIdle() ?? true) ? quiet + 1 : 0
    }
    await running?.events.flush()
  }
  const advance = async (byMs: number): Promise<void> => {
    await clock.advance(byMs)
    await settled()
  }
  await start()
  context.after(stop)
  return { ...core, writes, settled, advance, start, stop }
}

/** With a pod `web` on `node-1`, its volume `v1` attached, and all reports done. */
export async function startAttached(context: TestContext, options: UnderTestOptions = {}): Promise<UnderTest> {
  const under = await startUnderTest(context, options)
  await createBound(under.api, 'v1')
  await createPod(under.api, 'web', { node: 'node-1', claims: ['v1'] })
  await under.settled()
  await attach(under.api, 'v1', 'node-1')
  await under.settled()
  under.writes.length = 0
  return under
}

export const createNode = (
  api: Api,
  name: string,
  metadata: Node['metadata'] = { annotations: MANAGED },
): Promise<Node> => createReady(api, nodeOf(name, { metadata }))

async function createReady(api: Api, node: Node): Promise<Node> {
  await createOn(api, NODES, node)
  return setReady(api, node.metadata.name ?? '', true)
}

export async function setReady(api: Api, name: string, ready: boolean): Promise<Node> {
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'Unknown' }]
  return api.patch(NODES, { name }, { type: 'merge', value: { status: { conditions } } }, { subresource: 'status' })
}

/** Acts as the node agent before it mounts, and after it has unmounted. */
export const setInUse = (api: Api, node: string, ...volumes: string[]): Promise<Node> =>
  api.patch(
    NODES,
    { name: node },
    { type: 'merge', value: { status: { volumesInUse: volumes.map(uniqueNameOf) } } },
    { subresource: 'status' },
  )

/** The attached volumes in the node's status, by the names of their PersistentVolumes. */
export async function attachedTo(api: Api, node: string): Promise<string[]> {
  const { status } = await api.get(NODES, { name: node })
  return (status?.volumesAttached ?? []).map(({ name }) => name.replace(/^.*\^handle-/, ''))
}

export const uniqueNameOf = (volume: string): string => uniqueVolumeName(DRIVER, `handle-${volume}`)
export const nameOf = (volume: string, nodeName: string): string =>
  attachmentName({ driver: DRIVER, volumeHandle: `handle-${volume}`, nodeName })

/** A claim and a volume with the same name, bound to each other. */
export async function createBound(
  api: Api,
  name: string,
  { accessModes = ['ReadWriteOnce'], namespace = 'default', csi = {} }: BoundOptions = {},
): Promise<PersistentVolume> {
  const { volume } = await createBoundPair(api, {
    claim: claimOf({ namespace, name, modes: accessModes }),
    volume: volumeOf({
      name,
      modes: accessModes,
      spec: { csi: { driver: DRIVER, volumeHandle: `handle-${name}`, ...csi } },
    }),
  })
  return volume
}
type BoundOptions = {
  accessModes?: AccessMode[]
  namespace?: string
  csi?: Partial<NonNullable<PersistentVolume['spec']['csi']>>
}

export type PodOptions = { node?: string; claims?: string[]; volumes?: Volume[]; namespace?: string }

/** A pod that runs on a node and uses these claims. */
export const createPod = (api: Api, name: string, { node, ...parts }: PodOptions & PodParts): Promise<Pod> =>
  createOn(api, PODS, podOf(name, { ...parts, nodeName: node }))

export const deletePod = async (api: Api, name: string, namespace = 'default'): Promise<void> =>
  void (await api.delete(PODS, { namespace, name }, { gracePeriodSeconds: 0 }))

export const createDriver = (
  api: Api,
  spec: CSIDriver['spec'],
  annotations: Record<string, string> = {},
): Promise<CSIDriver> =>
  api.create(CSI_DRIVERS, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: DRIVER, annotations },
    spec,
  })

export const createAttachment = (
  api: Api,
  name: string,
  spec: Partial<VolumeAttachment['spec']> = {},
  metadata: VolumeAttachment['metadata'] = {},
): Promise<VolumeAttachment> =>
  api.create(VOLUME_ATTACHMENTS, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { ...metadata, name },
    spec: { attacher: DRIVER, nodeName: 'node-1', source: { persistentVolumeName: 'v1' }, ...spec },
  })

export const findAttachment = (api: Api, name: string): Promise<VolumeAttachment | undefined> =>
  api.get(VOLUME_ATTACHMENTS, { name }).catch(ignoreNotFound)

/** `v1 node-1`, for each existing attachment. */
export async function listAttachments(api: Api): Promise<string[]> {
  const { items } = await api.list(VOLUME_ATTACHMENTS)
  return items
    .map(
      ({ spec }) =>
        `${spec.source.persistentVolumeName ?? spec.source.inlineVolumeSpec?.csi?.volumeHandle} ${spec.nodeName}`,
    )
    .sort()
}

const setStatus = (api: Api, name: string, status: Partial<VolumeAttachmentStatus>): Promise<VolumeAttachment> =>
  api.patch(
    VOLUME_ATTACHMENTS,
    { name },
    { type: 'merge', value: { status: { attached: false, ...status } } },
    { subresource: 'status' },
  )

/** Acts as the attacher: its finalizer first, then the status. */
export async function attach(api: Api, volume: string, node: string): Promise<void> {
  const name = nameOf(volume, node)
  await api.patch(VOLUME_ATTACHMENTS, { name }, { type: 'merge', value: { metadata: { finalizers: [FINALIZER] } } })
  await setStatus(api, name, { attached: true })
}

export const failAttach = (api: Api, volume: string, node: string, message: string): Promise<unknown> =>
  setStatus(api, nameOf(volume, node), { attachError: { message } })
export const failDetach = (api: Api, volume: string, node: string, message: string): Promise<unknown> =>
  setStatus(api, nameOf(volume, node), { attached: true, detachError: { message } })

/** Acts as the attacher once the volume is unpublished. */
export const release = async (api: Api, volume: string, node: string): Promise<void> =>
  void (await api.patch(
    VOLUME_ATTACHMENTS,
    { name: nameOf(volume, node) },
    { type: 'merge', value: { metadata: { finalizers: null } } },
  ))

/** `Warning FailedAttachVolume Pod/web: text ×2`, in order. */
export async function eventsOf(api: Api): Promise<string[]> {
  const { items } = await api.list(EVENTS)
  const sorted = items.toSorted((a, b) =>
    (a.metadata.resourceVersion ?? '').padStart(9, '0') < (b.metadata.resourceVersion ?? '').padStart(9, '0') ? -1 : 1,
  )
  return sorted.map(
    ({ type, reason, involvedObject, message, count = 1 }) =>
      `${type} ${reason} ${involvedObject.kind}/${involvedObject.name}: ${message}${count > 1 ? ` ×${count}` : ''}`,
  )
}
