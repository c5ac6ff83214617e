import { createHash } from 'node:crypto'
import { isConflict, isInvalid, isNotFound } from '../../src/api/api-error.ts'
import type { Api } from '../../src/api/api.ts'
import { removeFinalizerPatch } from '../../src/api/finalizers.ts'
import { CSI_NODES } from '../../src/api/kinds/csi-node.ts'
import { EVENTS } from '../../src/api/kinds/event.ts'
import type { Event } from '../../src/api/kinds/event.ts'
import { NODES } from '../../src/api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../src/api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../src/api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../src/api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../src/api/kinds/persistent-volume.ts'
import { STORAGE_CLASSES } from '../../src/api/kinds/storage-class.ts'
import type { StorageClass, VolumeBindingMode } from '../../src/api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../../src/api/kinds/volume-attachment.ts'
import type { VolumeAttachment } from '../../src/api/kinds/volume-attachment.ts'
import { createSilentLogger, createSystemClock, createSystemRandom } from '../../src/base/index.ts'
import { createInformers } from '../../src/kube/cache/informers.ts'
import type { ObjectCache } from '../../src/kube/cache/object-cache.ts'

export const NAMESPACE = 'default'
export const NODE = 'node-1'
export const NODE_ID = 'node-1-of-the-driver'
export const TOPOLOGY = { 'topology.holdfast.dev/zone': 'a' } as const

/** What the sidecars expect of the rest of Kubernetes, played by writes to the API: binder, scheduler, attach/detach controller, protection, kubelet. */
export interface PlayedCluster {
  readonly api: Api
  readonly claims: ObjectCache<PersistentVolumeClaim>
  readonly volumes: ObjectCache<PersistentVolume>
  readonly attachments: ObjectCache<VolumeAttachment>
  readonly events: ObjectCache<Event>
  /** Makes a claim of 1 GiB. */
  claim(name: string, className: string): Promise<PersistentVolumeClaim>
  /** Wants the volume on the node, as the attach/detach controller does. */
  attach(volume: PersistentVolume): Promise<void>
  detach(attachment: VolumeAttachment): Promise<void>
  deleteClaim(name: string): Promise<void>
  /** Resolves when it holds; looks again after each change. Rejects after two minutes. */
  until(what: string, holds: () => boolean): Promise<void>
  stop(): Promise<void>
}

const PATIENCE_MS = 120_000
const PROVISIONER = 'volume.kubernetes.io/storage-provisioner'
const SELECTED_NODE = 'volume.kubernetes.io/selected-node'
const CLAIM_PROTECTION = 'kubernetes.io/pvc-protection'
const VOLUME_PROTECTION = 'kubernetes.io/pv-protection'

export async function playCluster(api: Api, driver: string): Promise<PlayedCluster> {
  const informers = createInformers({
    api,
    clock: createSystemClock(),
    random: createSystemRandom(),
    log: createSilentLogger(),
  })
  const claims = informers.get(PERSISTENT_VOLUME_CLAIMS)
  const volumes = informers.get(PERSISTENT_VOLUMES)
  const attachments = informers.get(VOLUME_ATTACHMENTS)
  const events = informers.get(EVENTS)
  const classes = informers.get(STORAGE_CLASSES)
  claims.addIndex('uid', ({ metadata }) => [metadata.uid ?? ''])
  volumes.addIndex('claim', ({ spec }) => [spec.claimRef?.uid ?? ''])
  await informers.synced()

  const waiting = new Set<() => void>()
  const failures: Error[] = []
  const lookAgain = (): void => {
    for (const look of [...waiting]) look()
  }
  // A write that came too late is followed by the event that brings us back.
  const attempt = (write: Promise<unknown>): void =>
    void write.catch((error: unknown) => {
      if (isNotFound(error) || isConflict(error)) return
      failures.push(error instanceof Error ? error : new Error(String(error)))
      lookAgain()
    })

  const playForClaim = (claim: PersistentVolumeClaim): void => {
    const ref = { namespace: NAMESPACE, name: claim.metadata.name ?? '' }
    const { annotations = {}, deletionTimestamp } = claim.metadata
    if (deletionTimestamp !== undefined) {
      const patch = removeFinalizerPatch(claim, CLAIM_PROTECTION, { form: 'json' })
      if (patch) attempt(api.patch(PERSISTENT_VOLUME_CLAIMS, ref, patch).catch(ignoreInvalid))
      return
    }
    if (claim.spec.volumeName !== undefined) return
    const annotate = (added: Readonly<Record<string, string>>): void =>
      attempt(api.patch(PERSISTENT_VOLUME_CLAIMS, ref, { type: 'merge', value: { metadata: { annotations: added } } }))
    const isDelayed = classes.get(claim.spec.storageClassName ?? '')?.volumeBindingMode === 'WaitForFirstConsumer'
    // The scheduler first: nobody provisions for a claim whose place is not known yet.
    if (isDelayed && annotations[SELECTED_NODE] === undefined) annotate({ [SELECTED_NODE]: NODE })
    else if (annotations[PROVISIONER] === undefined)
      annotate({ [PROVISIONER]: driver, 'volume.beta.kubernetes.io/storage-provisioner': driver })
  }

  const bind = async (claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> => {
    const name = volume.metadata.name ?? ''
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
    const { capacity, accessModes } = volume.spec
    await api.patch(
      PERSISTENT_VOLUME_CLAIMS,
      ref,
      { type: 'merge', value: { status: { phase: 'Bound', capacity, accessModes } } },
      { subresource: 'status' },
    )
  }

  const playForVolume = (volume: PersistentVolume): void => {
    const ref = { name: volume.metadata.name ?? '' }
    const phase = volume.status?.phase
    const [claim] = claims.byIndex('uid', volume.spec.claimRef?.uid ?? '')
    if (volume.metadata.deletionTimestamp !== undefined && phase !== 'Bound') {
      const patch = removeFinalizerPatch(volume, VOLUME_PROTECTION, { form: 'json' })
      if (patch) attempt(api.patch(PERSISTENT_VOLUMES, ref, patch).catch(ignoreInvalid))
    } else if (claim && claim.spec.volumeName === undefined && phase !== 'Bound') attempt(bind(claim, volume))
    else if (!claim && phase === 'Bound')
      attempt(
        api.patch(
          PERSISTENT_VOLUMES,
          ref,
          { type: 'merge', value: { status: { phase: 'Released' } } },
          { subresource: 'status' },
        ),
      )
  }

  claims.onChange(({ before, after }) => {
    if (after) playForClaim(after)
    for (const volume of volumes.byIndex('claim', (after ?? before)?.metadata.uid ?? '')) playForVolume(volume)
    lookAgain()
  })
  volumes.onChange(({ after }) => {
    if (after) playForVolume(after)
    lookAgain()
  })
  attachments.onChange(lookAgain)
  events.onChange(lookAgain)

  const until = async (what: string, holds: () => boolean): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const look = (): void => {
      const [failure] = failures
      if (failure) reject(failure)
      else if (holds()) resolve()
    }
    const timer = setTimeout(() => reject(new Error(`waited in vain until ${what}`)), PATIENCE_MS)
    waiting.add(look)
    look()
    try {
      await promise
    } finally {
      clearTimeout(timer)
      waiting.delete(look)
    }
  }

  return {
    api,
    claims,
    volumes,
    attachments,
    events,
    until,
    claim: (name, className) => api.create(PERSISTENT_VOLUME_CLAIMS, claimOf(name, className)),
    attach: async (volume) => void (await api.create(VOLUME_ATTACHMENTS, attachmentOf(volume, driver))),
    detach: async ({ metadata }) => void (await api.delete(VOLUME_ATTACHMENTS, { name: metadata.name ?? '' })),
    deleteClaim: async (name) => void (await api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name })),
    stop: () => informers.stop(),
  }
}

// Somebody else took a finalizer off at the same time, and the entries have moved.
function ignoreInvalid(error: unknown): void {
  if (!isInvalid(error)) throw error
}

/** The node as its kubelet registers it, and a class for each way to bind. */
export async function registerDriver(api: Api, driver: string): Promise<void> {
  await api.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: NODE, labels: TOPOLOGY } })
  const registered = { name: driver, nodeID: NODE_ID, topologyKeys: Object.keys(TOPOLOGY) }
  await api.create(CSI_NODES, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name: NODE },
    spec: { drivers: [registered] },
  })
  await api.create(STORAGE_CLASSES, classOf('immediate', driver, 'Immediate'))
  await api.create(STORAGE_CLASSES, classOf('delayed', driver, 'WaitForFirstConsumer'))
}

const classOf = (name: string, driver: string, volumeBindingMode: VolumeBindingMode): StorageClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  provisioner: driver,
  parameters: { 'csi.storage.k8s.io/fstype': 'ext4' },
  reclaimPolicy: 'Delete',
  mountOptions: ['noatime'],
  volumeBindingMode,
})

const claimOf = (name: string, storageClassName: string): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: NAMESPACE, name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName },
})

function attachmentOf({ metadata, spec }: PersistentVolume, driver: string): VolumeAttachment {
  const hash = createHash('sha256')
    .update(`${spec.csi?.volumeHandle ?? ''}${driver}${NODE}`)
    .digest('hex')
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: `csi-${hash}` },
    spec: { attacher: driver, nodeName: NODE, source: { persistentVolumeName: metadata.name ?? '' } },
  }
}
