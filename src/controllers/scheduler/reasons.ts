import { NODES } from '../../api/kinds/node.ts'
import type { Taint } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { parseKey } from '../../api/object-key.ts'
import { objectAwaited, reason } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'

export type SchedulerReason = ReasonIn<typeof REASONS>

const NO_MATCH = "node(s) didn't find available persistent volumes to bind"

const awaitClaim = (key: string) => ({ waitsFor: objectAwaited(PERSISTENT_VOLUME_CLAIMS, parseKey(key)) })
const awaitClaimOn = (claim: string, node: string) => ({ ...awaitClaim(claim), detail: { node } })
const nameOf = (key: string): string => JSON.stringify(parseKey(key).name)
const provisioningFailed = (claim: string): string => `binding volumes: provisioning failed for PVC ${nameOf(claim)}`

/** Why a pod has no node. Messages are those of kube-scheduler, so that equal ones can be counted and tools recognize them. */
export const REASONS = {
  // There is nothing to decide about the pod.
  placed: (node: string) => reason('Placed', `the pod has been assigned to node "${node}"`, { detail: { node } }),
  finished: reason('Finished', 'the pod has finished'),
  leaving: reason('PodLeaving', 'the pod is being deleted'),
  otherScheduler: (name: string) =>
    reason('OtherScheduler', `the pod is scheduled by "${name}"`, {
      waitsFor: { kind: 'actor', name: `the scheduler ${name}` },
    }),
  gated: (gates: string) =>
    reason('Gated', `Scheduling is blocked due to non-empty scheduling gates: ${gates}`, {
      detail: { gates },
      cure: 'Remove the scheduling gates from the pod once their conditions are met.',
    }),

  // Reasons that exclude all nodes, before any node is checked.
  claimMissing: (key: string) =>
    reason('ClaimMissing', `persistentvolumeclaim ${nameOf(key)} not found`, awaitClaim(key)),
  ephemeralClaimMissing: (key: string) =>
    reason(
      'EphemeralClaimMissing',
      `waiting for ephemeral volume controller to create the persistentvolumeclaim ${nameOf(key)}`,
      awaitClaim(key),
    ),
  claimOfOther: (key: string, pod: string) =>
    reason('ClaimOfOther', `PVC ${key} was not created for pod ${pod} (pod is not owner)`, {
      ...awaitClaim(key),
      cure: 'Delete the claim, or rename the pod.',
    }),
  claimLost: (key: string, volumeName: string) =>
    reason(
      'ClaimLost',
      `persistentvolumeclaim ${nameOf(key)} bound to non-existent persistentvolume ${JSON.stringify(volumeName)}`,
      { detail: { claim: key, volume: volumeName }, cure: 'Delete the claim: its volume and its data are lost.' },
    ),
  claimLeaving: (key: string) =>
    reason('ClaimLeaving', `persistentvolumeclaim ${nameOf(key)} is being deleted`, {
      detail: { claim: key },
      cure: 'Create the claim again once it is gone, or use another one.',
    }),
  claimUnbound: (key: string) =>
    reason('ClaimUnbound', 'pod has unbound immediate PersistentVolumeClaims', awaitClaim(key)),

  // Reasons that exclude one node.
  nodeUnschedulable: reason('NodeUnschedulable', 'node(s) were unschedulable', { cure: 'Uncordon the node.' }),
  onlyCordoned: (nodes: readonly string[], isOnlyWay: boolean) =>
    reason('NodeUnschedulable', 'node(s) were unschedulable', {
      detail: { nodes: nodes.join(', ') },
      cure: `Uncordon ${nodes.length > 1 ? `one of the nodes ${nodes.join(', ')}` : nodes[0]}${isOnlyWay ? '' : ', or remove what keeps the pod off the other nodes'}: kubectl uncordon ${nodes[0]}.`,
    }),
  taint: ({ key, value = '' }: Taint) =>
    reason('TaintNotTolerated', `node(s) had untolerated taint {${key}: ${value}}`, {
      detail: { taint: value === '' ? key : `${key}=${value}` },
      cure: 'Add a toleration to the pod, or remove the taint from the node.',
    }),
  nodeAffinity: reason('NodeAffinityNotMet', "node(s) didn't match Pod's node affinity/selector", {
    cure: "Add the labels that the pod's node affinity requires to a node.",
  }),
  tooManyPods: reason('TooManyPods', 'Too many pods'),
  resourceShort: (resource: string) => reason('ResourceShort', `Insufficient ${resource}`, { detail: { resource } }),
  readWriteOncePod: (claim: string, user: string) =>
    reason(
      'ClaimInUse',
      'node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode',
      {
        waitsFor: objectAwaited(PODS, parseKey(user)),
        detail: { claim },
        cure: 'Delete that pod, or use another claim.',
      },
    ),
  volumeGone: (claim: string, volumeName: string) =>
    reason('VolumeMissing', 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)', {
      waitsFor: objectAwaited(PERSISTENT_VOLUMES, { name: volumeName }),
      detail: { claim },
    }),
  attachLimit: (driver: string) =>
    reason('AttachLimitReached', 'node(s) exceed max volume count', {
      detail: { driver },
      cure: 'Delete pods with volumes of this driver, or add nodes.',
    }),
  volumeElsewhere: (claim: string, volumeName: string) =>
    reason('VolumeNodeAffinityConflict', 'node(s) had volume node affinity conflict', {
      detail: { claim, volume: volumeName },
      cure: 'Let the pod run on a node from which its volume is accessible.',
    }),
  volumesApart: (volumes: readonly Readonly<Record<string, string>>[]) => {
    const names = volumes.map(({ claim, volume }) => `volume ${volume} (claim ${claim})`)
    return reason('VolumesApart', 'node(s) had volume node affinity conflict', {
      detail: { volumes: names.join(', ') },
      cure: `No node can access both ${names.join(' and ')}. Replace one of the claims: with volumeBindingMode WaitForFirstConsumer, its new volume is created where the other one is accessible.`,
    })
  },
  selectedElsewhere: (claim: string, node: string) =>
    reason('OtherNodeSelected', NO_MATCH, {
      ...awaitClaimOn(claim, node),
      cure: 'Wait until the provisioner creates the volume for that node, or gives the claim back.',
    }),
  noVolume: (claim: string) =>
    reason('NoVolumeMatches', NO_MATCH, {
      detail: { claim },
      cure: 'Create a volume that fits: the storage class has no provisioner.',
    }),
  topologyNotAllowed: (claim: string, className: string) =>
    reason('TopologyNotAllowed', NO_MATCH, {
      detail: { claim, class: className },
      cure: 'Add the topology of a node to allowedTopologies of the storage class.',
    }),
  noRoom: (claim: string, className: string) =>
    reason('StorageShort', 'node(s) did not have enough free storage', {
      detail: { claim, class: className },
      cure: 'Free storage that the node can access, or request less.',
    }),
  noNodes: reason('NoNodes', 'no nodes available to schedule pods', { cure: 'Add a node.' }),
  unschedulable: (nodes: string) =>
    reason('Unschedulable', 'no node can run the pod, for different reasons', { detail: { nodes } }),

  // A node has been chosen.
  volumesPending: (claim: string, node: string) =>
    reason(
      'VolumesPending',
      `waiting for the volumes of the pod to be bound on node "${node}"`,
      awaitClaimOn(claim, node),
    ),
  refusedEverywhere: (claim: string) =>
    reason('ProvisionerRefused', provisioningFailed(claim), {
      ...awaitClaim(claim),
      cure: 'Free storage that the nodes of the pod can access, or request less.',
    }),
  provisionerRefused: (claim: string, node: string) =>
    reason('ProvisionerRefused', provisioningFailed(claim), awaitClaimOn(claim, node)),
  nodeGone: (node: string) =>
    reason('NodeGone', `node "${node}" not found`, { waitsFor: objectAwaited(NODES, { name: node }) }),
  volumeTaken: (claim: string, volumeName: string) =>
    reason('VolumeTaken', `binding volumes: ClaimRef got reset for pv "${volumeName}"`, {
      ...awaitClaim(claim),
      detail: { volume: volumeName },
    }),
  volumesTooSlow: (claim: string, node: string) =>
    reason('VolumesTooSlow', 'binding volumes: timed out waiting for the condition', awaitClaimOn(claim, node)),
}
