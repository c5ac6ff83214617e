import { join } from 'node:path'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import type { KubeObject, ObjectRef } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { sleep } from '../../base/clock.ts'
import { Unexpected } from '../expectation.ts'
import type { ClusterContext } from './cluster-case.ts'

export const NAMESPACE = 'default'
const HOSTNAME = 'kubernetes.io/hostname'

/** When the volume of a claim is created: with the first pod, or at once. */
export type ClassName = 'delayed' | 'immediate'

/** The classes of a case, with the parameters and the topology that the user gave. */
export async function createClasses({ check, cluster: { api } }: ClusterContext): Promise<void> {
  const { settings, features } = check
  const topology = Object.entries(settings.topology)
  for (const name of ['delayed', 'immediate'] satisfies ClassName[])
    await api.create(STORAGE_CLASSES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name },
      provisioner: features.name,
      parameters: settings.parameters,
      allowVolumeExpansion: true,
      volumeBindingMode: name === 'delayed' ? 'WaitForFirstConsumer' : 'Immediate',
      ...(topology.length === 0
        ? {}
        : {
            allowedTopologies: [{ matchLabelExpressions: topology.map(([key, value]) => ({ key, values: [value] })) }],
          }),
    })
}

export type ClaimOptions = Partial<PersistentVolumeClaimSpec> & { readonly class?: ClassName }

export async function createClaim(
  { check: { settings }, cluster: { api } }: ClusterContext,
  name: string,
  { class: className = 'delayed', ...spec }: ClaimOptions = {},
): Promise<void> {
  await api.create(PERSISTENT_VOLUME_CLAIMS, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: NAMESPACE, name },
    spec: {
      storageClassName: className,
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: String(settings.sizeBytes) } },
      ...spec,
    },
  })
}

export type PodOptions = {
  /** Name of the node. Default: the scheduler chooses. */
  readonly node?: string
  readonly block?: boolean
}

/** A pod with one volume for each claim. */
export async function createPod(
  { cluster: { api } }: ClusterContext,
  name: string,
  claims: readonly string[],
  { node, block = false }: PodOptions = {},
): Promise<void> {
  const places = claims.map((claim) => ({ name: claim, path: `/${claim}` }))
  await api.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: NAMESPACE, name },
    spec: {
      containers: [
        {
          name: 'main',
          image: 'none',
          ...(block
            ? { volumeDevices: places.map((place) => ({ name: place.name, devicePath: place.path })) }
            : { volumeMounts: places.map((place) => ({ name: place.name, mountPath: place.path })) }),
        },
      ],
      volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
      ...(node === undefined ? {} : { nodeSelector: { [HOSTNAME]: node } }),
    },
  })
}

export const untilBound = (context: ClusterContext, claim: string): Promise<PersistentVolumeClaim> =>
  until(context, PERSISTENT_VOLUME_CLAIMS, claim, (found) => found?.status?.phase === 'Bound')

export const untilRunning = (context: ClusterContext, pod: string): Promise<Pod> =>
  until(context, PODS, pod, (found) => found?.status?.phase === 'Running')

/** Waits for an object of the case, and explains a timeout. */
export async function until<T extends KubeObject>(
  context: ClusterContext,
  type: ResourceType<T>,
  name: string,
  holds: (object: T | undefined) => boolean,
): Promise<T> {
  const found = await untilObject(context, type, { namespace: NAMESPACE, name }, holds)
  // Only for conditions that hold of an object.
  return found as T
}

/** The limit starts again whenever the driver does something new: it may have many other volumes to serve before this one. */
async function untilObject<T extends KubeObject>(
  { cluster, check: { clock }, limitMs }: ClusterContext,
  type: ResourceType<T>,
  ref: ObjectRef,
  holds: (object: T | undefined) => boolean,
): Promise<T | undefined> {
  for (;;) {
    const startMs = clock.monotonicMs()
    try {
      return await cluster.untilObject(type, ref, holds, { limitMs })
    } catch (error) {
      if (cluster.lastProgressMs() <= startMs) throw error
    }
  }
}

const POLL_MS = 200

/** Waits until exactly so many pods are running, and returns their names. */
export async function untilPods(
  { cluster, check: { clock }, limitMs }: ClusterContext,
  count: number,
): Promise<string[]> {
  const startMs = clock.monotonicMs()
  for (;;) {
    const { items } = await cluster.api.list(PODS, { namespace: NAMESPACE })
    const running = items.filter(({ status }) => status?.phase === 'Running').map(({ metadata }) => metadata.name ?? '')
    if (running.length === count) return running
    if (running.length > count || clock.monotonicMs() - Math.max(startMs, cluster.lastProgressMs()) > limitMs)
      throw new Unexpected(`${count} pods run on the node`, `${running.length}`)
    await sleep(clock, POLL_MS)
  }
}

/** Where the volume of a claim is for a running pod, on the machine. */
export async function pathOf({ cluster }: ClusterContext, pod: string, claim: string): Promise<string> {
  const { metadata, spec } = await cluster.api.get(PODS, { namespace: NAMESPACE, name: pod })
  const { spec: claimSpec } = await cluster.api.get(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: claim })
  const node = cluster.nodes.find(({ name }) => name === spec?.nodeName)
  const directory = join(node?.rootDir ?? '', 'pods', metadata.uid ?? '')
  const volume = claimSpec.volumeName ?? ''
  return claimSpec.volumeMode === 'Block'
    ? join(directory, 'volumeDevices/kubernetes.io~csi', volume)
    : join(directory, 'volumes/kubernetes.io~csi', volume, 'mount')
}

export async function deletePod(context: ClusterContext, name: string): Promise<void> {
  await context.cluster.api.delete(PODS, { namespace: NAMESPACE, name })
  await untilObject(context, PODS, { namespace: NAMESPACE, name }, (pod) => pod === undefined)
}

/** Deletes every object of the case, and waits until the cluster has removed what belongs to it. */
export async function deleteEverything(context: ClusterContext): Promise<void> {
  const { api } = context.cluster
  for (const type of [PODS, VOLUME_SNAPSHOTS, PERSISTENT_VOLUME_CLAIMS] as readonly ResourceType[])
    await api.deleteCollection(type, { namespace: NAMESPACE })
  const kinds: readonly ResourceType[] = [
    PODS,
    VOLUME_SNAPSHOTS,
    VOLUME_SNAPSHOT_CONTENTS,
    PERSISTENT_VOLUME_CLAIMS,
    VOLUME_ATTACHMENTS,
    PERSISTENT_VOLUMES,
  ]
  for (const type of kinds) {
    const { items } = await api.list(type)
    for (const { metadata } of items)
      await untilObject(
        context,
        type,
        { name: metadata.name ?? '', ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }) },
        (object) => object === undefined,
      )
  }
}
