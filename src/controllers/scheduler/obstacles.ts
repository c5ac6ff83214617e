import type { Taint } from '../../api/kinds/node.ts'
import type { ObjectAwaited, Reason } from '../../api/reason.ts'

/** What keeps a pod off one node, or off all of them. */
export type Obstacle = {
  readonly reason: Reason
  /** As the scheduler of Kubernetes says it, so that equal ones can be counted and tools recognise them. */
  readonly words: string
}

const NO_MATCH = "node(s) didn't find available persistent volumes to bind"

const claimRef = (key: string): ObjectAwaited => {
  const slash = key.indexOf('/')
  return {
    kind: 'object',
    apiVersion: 'v1',
    kindName: 'PersistentVolumeClaim',
    namespace: key.slice(0, slash),
    name: key.slice(slash + 1),
  }
}
const nameOf = (key: string): string => JSON.stringify(key.slice(key.indexOf('/') + 1))

/** What one node can lack. */
export const NODE_OBSTACLES = {
  unschedulable: {
    reason: { code: 'NodeUnschedulable', cure: 'Uncordon the node' },
    words: 'node(s) were unschedulable',
  },
  taint: ({ key, value = '' }: Taint): Obstacle => ({
    reason: {
      code: 'TaintNotTolerated',
      detail: { taint: value === '' ? key : `${key}=${value}` },
      cure: 'Give the pod a toleration, or take the taint off the node',
    },
    words: `node(s) had untolerated taint {${key}: ${value}}`,
  }),
  affinity: {
    reason: { code: 'NodeAffinityNotMet', cure: 'Label a node as the pod wants it' },
    words: "node(s) didn't match Pod's node affinity/selector",
  },
  pods: { reason: { code: 'TooManyPods' }, words: 'Too many pods' },
  resource: (name: string): Obstacle => ({
    reason: { code: 'ResourceShort', detail: { resource: name } },
    words: `Insufficient ${name}`,
  }),
  readWriteOncePod: (claim: string, user: string): Obstacle => ({
    reason: {
      code: 'ClaimInUse',
      waitsFor: {
        kind: 'object',
        apiVersion: 'v1',
        kindName: 'Pod',
        namespace: user.slice(0, user.indexOf('/')),
        name: user.slice(user.indexOf('/') + 1),
      },
      detail: { claim },
      cure: 'A claim with ReadWriteOncePod serves one pod at a time',
    },
    words: 'node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode',
  }),
  volumeGone: (claim: string, volume: string): Obstacle => ({
    reason: {
      code: 'VolumeMissing',
      waitsFor: { kind: 'object', apiVersion: 'v1', kindName: 'PersistentVolume', name: volume },
      detail: { claim },
    },
    words: 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)',
  }),
  attachLimit: (driver: string): Obstacle => ({
    reason: {
      code: 'AttachLimitReached',
      detail: { driver },
      cure: 'Delete pods with volumes of this driver, or add nodes',
    },
    words: 'node(s) exceed max volume count',
  }),
  volumeElsewhere: (claim: string, volume: string): Obstacle => ({
    reason: {
      code: 'VolumeNodeAffinityConflict',
      detail: { claim, volume },
      cure: 'The pod has to run where its volume can be reached',
    },
    words: 'node(s) had volume node affinity conflict',
  }),
  selectedElsewhere: (claim: string, node: string): Obstacle => ({
    reason: {
      code: 'OtherNodeSelected',
      waitsFor: claimRef(claim),
      detail: { node },
      cure: 'The provisioner makes the volume for that node, or gives it back',
    },
    words: NO_MATCH,
  }),
  noVolume: (claim: string): Obstacle => ({
    reason: {
      code: 'NoVolumeMatches',
      detail: { claim },
      cure: 'Create a volume that fits: the class has no provisioner',
    },
    words: NO_MATCH,
  }),
  topologyNotAllowed: (claim: string, className: string): Obstacle => ({
    reason: {
      code: 'TopologyNotAllowed',
      detail: { claim, class: className },
      cure: 'The allowed topologies of the class leave the node out',
    },
    words: NO_MATCH,
  }),
  noRoom: (claim: string, className: string): Obstacle => ({
    reason: {
      code: 'StorageShort',
      detail: { claim, class: className },
      cure: 'Free storage that this node can reach, or ask for less',
    },
    words: 'node(s) did not have enough free storage',
  }),
} as const

/** What keeps a pod off every node: there is nothing to look for. */
export const POD_OBSTACLES = {
  claimMissing: (key: string): Obstacle => ({
    reason: { code: 'ClaimMissing', waitsFor: claimRef(key) },
    words: `persistentvolumeclaim ${nameOf(key)} not found`,
  }),
  ephemeralClaimMissing: (key: string): Obstacle => ({
    reason: { code: 'EphemeralClaimMissing', waitsFor: claimRef(key) },
    words: `waiting for ephemeral volume controller to create the persistentvolumeclaim ${nameOf(key)}`,
  }),
  claimOfOther: (key: string, pod: string): Obstacle => ({
    reason: {
      code: 'ClaimOfOther',
      waitsFor: claimRef(key),
      cure: 'A claim of this name was there before the pod: delete it, or rename the pod',
    },
    words: `PVC ${key} was not created for pod ${pod} (pod is not owner)`,
  }),
  claimLost: (key: string, volume: string): Obstacle => ({
    reason: {
      code: 'ClaimLost',
      detail: { claim: key, volume },
      cure: 'The volume of the claim is gone, with its data: delete the claim',
    },
    words: `persistentvolumeclaim ${nameOf(key)} bound to non-existent persistentvolume ${JSON.stringify(volume)}`,
  }),
  claimLeaving: (key: string): Obstacle => ({
    reason: {
      code: 'ClaimLeaving',
      detail: { claim: key },
      cure: 'The claim is being deleted: create it again, or use another one',
    },
    words: `persistentvolumeclaim ${nameOf(key)} is being deleted`,
  }),
  claimUnbound: (key: string): Obstacle => ({
    reason: { code: 'ClaimUnbound', waitsFor: claimRef(key) },
    words: 'pod has unbound immediate PersistentVolumeClaims',
  }),
} as const
