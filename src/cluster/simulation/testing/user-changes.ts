import type { Api } from '../../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaimSpec } from '../../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import type { Pod, Volume } from '../../../api/kinds/pod.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../../../api/kinds/volume-attributes-class.ts'
import { VOLUME_GROUP_SNAPSHOT_CLASSES, VOLUME_GROUP_SNAPSHOTS } from '../../../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOTS } from '../../../api/kinds/volume-snapshot.ts'
import type { DeletionPolicy } from '../../../api/kinds/volume-snapshot.ts'
import { compareQuantities } from '../../../api/quantity.ts'
import type { Random } from '../../../base/random.ts'
import { DEFAULT_DRIVER_NAME } from '../../../drivers/hostpath/index.ts'
import { requestedSizeOf } from '../../../storage/requested-size.ts'
import { makeChange, pick } from '../../../testing/index.ts'
import type { UserChange } from '../../../testing/index.ts'
import { claimOf, createOn, podOf, volumeOfClaim } from '../../../testing/objects.ts'
import { NAMESPACE } from './describe-world.ts'
import type { ClusterWorld } from './describe-world.ts'
import { isOfSet, setChanges } from './set-changes.ts'

/** `raw` is a block device, which its node has to expand. */
const CLAIMS = ['a', 'b', 'c', 'shared', 'raw']
/** Copies of `a`, of a snapshot of a file system, and of one of a block device. */
const COPIES = ['copy', 'restored', 'restored-raw']

export const isBlock = (claim: string): boolean => claim.endsWith('raw')

/** Claims of which snapshots are taken at one moment. */
export const GROUPED: readonly string[] = ['a', 'b']
const GROUP_LABELS = { group: 'books' }
const SNAPSHOTS = ['s1', 's2', 's-raw']
const POLICIES: readonly DeletionPolicy[] = ['Delete', 'Retain']
const SIZES = ['2Mi', '3Mi', '4Mi']
/** More than the driver has, which it says. */
const TOO_LARGE = '1Ei'
/** At least that of every source, and more than any claim has got when its user gives up on `TOO_LARGE`. */
const LARGEST = '6Mi'
/** What each class asks of the driver. */
export const ATTRIBUTES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  fast: { iops: '500' },
  slow: { iops: '100' },
}
const MOST_PODS = 6

/** What people find in the cluster before they begin. */
export async function createClasses(api: Api): Promise<void> {
  for (const deletionPolicy of POLICIES)
    await api.create(VOLUME_SNAPSHOT_CLASSES, {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshotClass',
      metadata: { name: deletionPolicy.toLowerCase() },
      driver: DEFAULT_DRIVER_NAME,
      deletionPolicy,
    })
  await api.create(VOLUME_GROUP_SNAPSHOT_CLASSES, {
    apiVersion: 'groupsnapshot.storage.k8s.io/v1',
    kind: 'VolumeGroupSnapshotClass',
    metadata: { name: 'delete' },
    driver: DEFAULT_DRIVER_NAME,
    deletionPolicy: 'Delete',
  })
  for (const [name, parameters] of Object.entries(ATTRIBUTES))
    await api.create(VOLUME_ATTRIBUTES_CLASSES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttributesClass',
      metadata: { name },
      driverName: DEFAULT_DRIVER_NAME,
      parameters,
    })
}

/** One of the things that people do. */
export async function changeSomething({ api, simulation }: ClusterWorld, number: number): Promise<void> {
  const { random } = simulation
  const pods = (await api.list(PODS)).items
  const own = pods.filter((pod) => !isOfSet(pod))
  const changes = [
    ...claimChanges(random),
    ...podChanges(random, { pods, own }, `p${number}`),
    ...volumeChanges(random),
    ...snapshotChanges(random),
    ...groupChanges(random),
    ...setChanges(random, `v${number}`),
  ]
  await makeChange(api, changes, simulation)
}

const claimRef = (name: string) => ({ namespace: NAMESPACE, name })

function claimChanges(random: Random): UserChange<Api>[] {
  const [claim, copy] = [pick(random, CLAIMS), pick(random, COPIES)]
  return [
    [5, { what: `makes the claim ${claim}`, make: (api) => createClaim(api, claim) }],
    [2, { what: `deletes the claim ${claim}`, make: (api) => api.delete(PERSISTENT_VOLUME_CLAIMS, claimRef(claim)) }],
    [
      1,
      {
        what: 'copies the claim a',
        make: (api) => createCopy(api, 'copy', { dataSource: { kind: 'PersistentVolumeClaim', name: 'a' } }),
      },
    ],
    [1, { what: `deletes the claim ${copy}`, make: (api) => api.delete(PERSISTENT_VOLUME_CLAIMS, claimRef(copy)) }],
  ]
}

function podChanges(
  random: Random,
  { pods, own }: { pods: readonly Pod[]; own: readonly Pod[] },
  name: string,
): UserChange<Api>[] {
  const [claim, copy] = [pick(random, CLAIMS), pick(random, COPIES)]
  const pod = pods.length === 0 ? '' : (pick(random, pods).metadata.name ?? '')
  const ref = { namespace: NAMESPACE, name: pod }
  return [
    [2, { what: `makes the pod ${name} with ${copy}`, make: (api) => createPod(api, own, name, copy, random) }],
    [5, { what: `makes the pod ${name} with ${claim}`, make: (api) => createPod(api, own, name, claim, random) }],
    [3, { what: `deletes the pod ${pod}`, make: (api) => api.delete(PODS, ref) }],
    [3, { what: `replaces the pod ${pod} by ${name}`, make: (api) => replacePod(api, own, pod, name, random) }],
    [1, { what: `deletes the pod ${pod} by force`, make: (api) => api.delete(PODS, ref, { gracePeriodSeconds: 0 }) }],
  ]
}

function volumeChanges(random: Random): UserChange<Api>[] {
  const [claim, size, attributes] = [pick(random, CLAIMS), pick(random, SIZES), pick(random, Object.keys(ATTRIBUTES))]
  return [
    [4, { what: `grows the claim ${claim} to ${size}`, make: (api) => requestSize(api, claim, size) }],
    [1, { what: `asks too much for ${claim}`, make: (api) => requestSize(api, claim, TOO_LARGE) }],
    [
      3,
      {
        what: `makes the claim ${claim} ${attributes}`,
        make: (api) => patchClaim(api, claim, { volumeAttributesClassName: attributes }),
      },
    ],
  ]
}

function snapshotChanges(random: Random): UserChange<Api>[] {
  const [snapshot, policy] = [pick(random, SNAPSHOTS), pick(random, POLICIES)]
  const source = isBlock(snapshot)
    ? 'raw'
    : pick(
        random,
        CLAIMS.filter((claim) => !isBlock(claim)),
      )
  const restored = isBlock(snapshot) ? 'restored-raw' : 'restored'
  const dataSource = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: snapshot }
  return [
    [
      4,
      {
        what: `takes the snapshot ${snapshot} of ${source} (${policy})`,
        make: (api) => createSnapshot(api, snapshot, source, policy),
      },
    ],
    [
      2,
      {
        what: `deletes the snapshot ${snapshot}`,
        make: (api) => api.delete(VOLUME_SNAPSHOTS, { namespace: NAMESPACE, name: snapshot }),
      },
    ],
    [2, { what: `restores ${snapshot}`, make: (api) => createCopy(api, restored, { dataSource }) }],
  ]
}

function groupChanges(random: Random): UserChange<Api>[] {
  const name = pick(random, ['g1', 'g2'])
  const ref = { namespace: NAMESPACE, name }
  const spec = { source: { selector: { matchLabels: GROUP_LABELS } }, volumeGroupSnapshotClassName: 'delete' }
  return [
    [
      2,
      {
        what: `takes the group snapshot ${name}`,
        make: (api) =>
          api.create(VOLUME_GROUP_SNAPSHOTS, {
            apiVersion: 'groupsnapshot.storage.k8s.io/v1',
            kind: 'VolumeGroupSnapshot',
            metadata: ref,
            spec,
          }),
      },
    ],
    [1, { what: `deletes the group snapshot ${name}`, make: (api) => api.delete(VOLUME_GROUP_SNAPSHOTS, ref) }],
  ]
}

/** `shared` may be used by pods on all nodes, the others by one pod at a time. */
const createClaim = (
  api: Api,
  name: string,
  { size = '1Mi', spec = {} }: { size?: string; spec?: Partial<PersistentVolumeClaimSpec> } = {},
): Promise<unknown> =>
  createOn(
    api,
    PERSISTENT_VOLUME_CLAIMS,
    claimOf({
      name,
      namespace: NAMESPACE,
      ...(GROUPED.includes(name) ? { metadata: { labels: GROUP_LABELS } } : {}),
      size,
      modes: [name === 'shared' ? 'ReadWriteMany' : 'ReadWriteOnce'],
      className: undefined,
      spec: { ...(isBlock(name) ? { volumeMode: 'Block' as const } : {}), ...spec },
    }),
  )

const createCopy = (api: Api, name: string, spec: Partial<PersistentVolumeClaimSpec>): Promise<unknown> =>
  createClaim(api, name, { size: LARGEST, spec })

const patchClaim = (api: Api, name: string, spec: Partial<PersistentVolumeClaimSpec>): Promise<unknown> =>
  api.patch(PERSISTENT_VOLUME_CLAIMS, claimRef(name), { type: 'merge', value: { spec } })

const requestSize = (api: Api, name: string, storage: string): Promise<unknown> =>
  patchClaim(api, name, { resources: { requests: { storage } } })

/** Nobody asks for more than there is any longer. */
export async function giveUpTooLarge(api: Api): Promise<void> {
  for (const claim of (await api.list(PERSISTENT_VOLUME_CLAIMS)).items)
    if (compareQuantities(requestedSizeOf(claim), LARGEST) > 0)
      await requestSize(api, claim.metadata.name ?? '', LARGEST)
}

const createSnapshot = (api: Api, name: string, claim: string, policy: DeletionPolicy): Promise<unknown> =>
  api.create(VOLUME_SNAPSHOTS, {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshot',
    metadata: { namespace: NAMESPACE, name },
    spec: { source: { persistentVolumeClaimName: claim }, volumeSnapshotClassName: policy.toLowerCase() },
  })

async function createPod(api: Api, pods: readonly Pod[], name: string, claim: string, random: Random): Promise<void> {
  const usesClaim = pods.some(({ spec }) =>
    spec.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === claim),
  )
  if (pods.length >= MOST_PODS || (claim !== 'shared' && usesClaim)) return
  const volumes: Volume[] = [volumeOfClaim(claim, 'data')]
  const template = { spec: { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Mi' } } } }
  if (random.fraction() < 0.3) volumes.push({ name: 'own', ephemeral: { volumeClaimTemplate: template } })
  if (random.fraction() < 0.3)
    volumes.push({ name: 'in-line', csi: { driver: DEFAULT_DRIVER_NAME, volumeAttributes: { size: '1Mi' } } })
  const pod = podOf(name, { namespace: NAMESPACE, volumes })
  await createOn(api, PODS, isBlock(claim) ? withDevice(pod) : pod)
}

/** The first volume is a device. */
const withDevice = (pod: Pod): Pod => ({
  ...pod,
  spec: {
    ...pod.spec,
    containers: pod.spec.containers.map(({ volumeMounts = [], ...container }) => ({
      ...container,
      volumeMounts: volumeMounts.filter(({ name }) => name !== 'data'),
      volumeDevices: [{ name: 'data', devicePath: '/dev/data' }],
    })),
  },
})

/** As a rollout does: the new one wants the volume while the old one still has it. */
async function replacePod(api: Api, pods: readonly Pod[], name: string, next: string, random: Random): Promise<void> {
  const pod = pods.find(({ metadata }) => metadata.name === name)
  const claim = pod?.spec.volumes?.[0]?.persistentVolumeClaim?.claimName
  // One that goes already may have been replaced.
  if (claim === undefined || pod?.metadata.deletionTimestamp) return
  await api.delete(PODS, { namespace: NAMESPACE, name })
  await createPod(api, [], next, claim, random)
}
