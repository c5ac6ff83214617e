import type { Api } from '../api/api.ts'
import type { Node } from '../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import type { AccessMode, PersistentVolume } from '../api/kinds/persistent-volume.ts'
import type { Pod, PodSpec, Volume } from '../api/kinds/pod.ts'
import type { StorageClass } from '../api/kinds/storage-class.ts'
import type { KubeObject, ObjectMeta } from '../api/object.ts'
import type { ResourceType } from '../api/resource-type.ts'
import { claimReferenceTo } from '../storage/claim-reference.ts'
import { refOf } from '../api/object-key.ts'

export type ClaimParts = {
  name?: string
  namespace?: string
  uid?: string
  size?: string
  modes?: readonly AccessMode[]
  /** `''` for no class (the default), undefined for the default class of the cluster. */
  className?: string | undefined
  metadata?: ObjectMeta
  spec?: Partial<PersistentVolumeClaim['spec']>
  status?: PersistentVolumeClaim['status']
}

/** Claim `c1` in namespace `default`, without a class, that requests 1Gi. */
export function claimOf(parts: ClaimParts = {}): PersistentVolumeClaim {
  const { name = 'c1', namespace = 'default', uid = `uid-${name}`, size = '1Gi', modes = ['ReadWriteOnce'] } = parts
  const { className } = { className: '', ...parts }
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace, name, uid, resourceVersion: '7', ...parts.metadata },
    spec: {
      accessModes: modes,
      resources: { requests: { storage: size } },
      ...(className === undefined ? {} : { storageClassName: className }),
      ...parts.spec,
    },
    status: parts.status ?? { phase: 'Pending' },
  }
}

export type VolumeParts = {
  name?: string
  size?: string
  modes?: readonly AccessMode[]
  metadata?: ObjectMeta
  spec?: Partial<PersistentVolume['spec']>
  phase?: NonNullable<PersistentVolume['status']>['phase']
}

/** Volume `v1` with 1Gi, without a class and not bound. */
export function volumeOf({
  name = 'v1',
  size = '1Gi',
  modes = ['ReadWriteOnce'],
  metadata = {},
  spec = {},
  phase = 'Available',
}: VolumeParts = {}): PersistentVolume {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, uid: `uid-${name}`, resourceVersion: '7', ...metadata },
    spec: {
      capacity: { storage: size },
      accessModes: modes,
      csi: { driver: 'test.holdfast.dev', volumeHandle: name },
      ...spec,
    },
    status: { phase },
  }
}

/** Class `fast` of `test.holdfast.dev`. */
export const classOf = (more: Partial<StorageClass> = {}, name = 'fast'): StorageClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  provisioner: 'test.holdfast.dev',
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
  ...more,
})

/** The claimRef with which a user reserves a volume for a claim. */
export const reservedFor = (name: string, uid?: string): NonNullable<PersistentVolume['spec']['claimRef']> => ({
  kind: 'PersistentVolumeClaim',
  apiVersion: 'v1',
  namespace: 'default',
  name,
  ...(uid === undefined ? {} : { uid }),
})

export type PodParts = {
  namespace?: string
  uid?: string
  /** Names of claims, each used as a volume of the same name. */
  claims?: readonly string[]
  /** Further volumes. */
  volumes?: readonly Volume[]
  nodeName?: string | undefined
  requests?: Readonly<Record<string, string>>
  metadata?: ObjectMeta
  spec?: Partial<PodSpec>
  status?: Pod['status']
}

/** Pod `p1` in namespace `default` with one container that mounts all volumes. */
export function podOf(name = 'p1', parts: PodParts = {}): Pod {
  const { namespace = 'default', uid = `uid-${name}`, claims = [], nodeName, requests, status } = parts
  const volumes = [...claims.map((claim) => volumeOfClaim(claim)), ...(parts.volumes ?? [])]
  const container = {
    name: 'main',
    image: 'none',
    volumeMounts: volumes.map((volume) => ({ name: volume.name, mountPath: `/${volume.name}` })),
    ...(requests ? { resources: { requests } } : {}),
  }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name, uid, ...parts.metadata },
    spec: { containers: [container], volumes, ...(nodeName ? { nodeName } : {}), ...parts.spec },
    ...(status ? { status } : {}),
  }
}

/** A pod's volume that is a claim, by default with the claim's name. */
export const volumeOfClaim = (claimName: string, name = claimName): Volume => ({
  name,
  persistentVolumeClaim: { claimName },
})

/** Node `n1`. */
export const nodeOf = (
  name = 'n1',
  { metadata = {}, ...more }: { metadata?: ObjectMeta } & Pick<Node, 'spec' | 'status'> = {},
): Node => ({ apiVersion: 'v1', kind: 'Node', metadata: { name, uid: `uid-${name}`, ...metadata }, ...more })

/** Creates the object as a client would: without the fields that the server sets, and without status. */
export function createOn<T extends KubeObject>(api: Api, type: ResourceType<T>, object: T): Promise<T> {
  const { uid: _uid, resourceVersion: _version, ...metadata } = object.metadata
  const { status: _status, ...rest } = object as T & { status?: unknown }
  // Only optional fields are missing.
  return api.create(type, { ...rest, metadata } as T)
}

/** Creates the object, then writes its status as the component that owns it would. */
export async function createWithStatus<T extends KubeObject>(api: Api, type: ResourceType<T>, object: T): Promise<T> {
  const made = await createOn(api, type, object)
  const { status } = object as { status?: object }
  return status ? await writeStatus(api, type, made, status) : made
}

/** A patch, because a running controller may have changed the object in the meantime. */
const writeStatus = <T extends KubeObject>(api: Api, type: ResourceType<T>, made: T, status: object): Promise<T> =>
  api.patch(type, refOf(made), { type: 'merge', value: { status } }, { subresource: 'status' })

type BoundPair = { claim: PersistentVolumeClaim; volume: PersistentVolume }

/** Creates a claim and a volume that are bound to each other. */
export async function createBoundPair(api: Api, given: BoundPair): Promise<BoundPair> {
  const { metadata, spec } = given.volume
  const claim = await createOn(api, PERSISTENT_VOLUME_CLAIMS, {
    ...given.claim,
    spec: { ...given.claim.spec, volumeName: metadata.name ?? '' },
  })
  const volume = await createOn(api, PERSISTENT_VOLUMES, {
    ...given.volume,
    spec: { ...spec, claimRef: claimReferenceTo(claim) },
  })
  const { accessModes = [], capacity = {} } = spec
  const status = { accessModes, capacity, ...given.claim.status, phase: 'Bound' }
  return { claim: await writeStatus(api, PERSISTENT_VOLUME_CLAIMS, claim, status), volume }
}
