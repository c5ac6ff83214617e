import { NODES } from '../../api/kinds/node.ts'
import type { Taint } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { parseKey } from '../../api/object-key.ts'
import { awaiting, awaitingActor, because, defineReasons, reason } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'

export type SchedulerReason = ReasonIn<typeof REASONS>

const NO_MATCH = "node(s) didn't find available persistent volumes to bind"

const awaitClaim = (key: string) => awaiting(PERSISTENT_VOLUME_CLAIMS, parseKey(key))
const awaitClaimOn = (claim: string, node: string) => ({ ...awaitClaim(claim), detail: { node } })
const nameOf = (key: string): string => JSON.stringify(parseKey(key).name)
const provisioningFailed = (claim: string): string => `binding volumes: provisioning failed for PVC ${nameOf(claim)}`

/** Why a pod has no node. Messages are those of kube-scheduler, so that equal ones can be counted and tools recognize them. */
export const REASONS = defineReasons({
  // There is nothing to decide about the pod.
  Placed: (node: string) => because(`the pod has been assigned to node "${node}"`, { detail: { node } }),
  Finished: 'the pod has finished',
  PodLeaving: 'the pod is being deleted',
  OtherScheduler: (name: string) =>
    because(`the pod is scheduled by "${name}"`, awaitingActor(`the scheduler ${name}`)),
  Gated: (gates: string) =>
    because(`Scheduling is blocked due to non-empty scheduling gates: ${gates}`, {
      detail: { gates },
      cure: 'Remove the scheduling gates from the pod once their conditions are met.',
    }),

  // Reasons that exclude all nodes, before any node is checked.
  ClaimMissing: (key: string) => because(`persistentvolumeclaim ${nameOf(key)} not found`, awaitClaim(key)),
  EphemeralClaimMissing: (key: string) =>
    because(
      `waiting for ephemeral volume controller to create the persistentvolumeclaim ${nameOf(key)}`,
      awaitClaim(key),
    ),
  ClaimOfOther: (key: string, pod: string) =>
    because(`PVC ${key} was not created for pod ${pod} (pod is not owner)`, {
      ...awaitClaim(key),
      cure: 'Delete the claim, or rename the pod.',
    }),
  ClaimLost: (key: string, volumeName: string) =>
    because(
      `persistentvolumeclaim ${nameOf(key)} bound to non-existent persistentvolume ${JSON.stringify(volumeName)}`,
      { detail: { claim: key, volume: volumeName }, cure: 'Delete the claim: its volume and its data are lost.' },
    ),
  ClaimLeaving: (key: string) =>
    because(`persistentvolumeclaim ${nameOf(key)} is being deleted`, {
      detail: { claim: key },
      cure: 'Create the claim again once it is gone, or use another one.',
    }),
  ClaimUnbound: (key: string) => because('pod has unbound immediate PersistentVolumeClaims', awaitClaim(key)),

  // Reasons that exclude one node.
  NodeUnschedulable: because('node(s) were unschedulable', { cure: 'Uncordon the node.' }),
  OnlyCordoned: (nodes: readonly string[], isOnlyWay: boolean) =>
    reason('NodeUnschedulable', 'node(s) were unschedulable', {
      detail: { nodes: nodes.join(', ') },
      cure: `Uncordon ${nodes.length > 1 ? `one of the nodes ${nodes.join(', ')}` : nodes[0]}${isOnlyWay ? '' : ', or remove what keeps the pod off the other nodes'}: kubectl uncordon ${nodes[0]}.`,
    }),
  TaintNotTolerated: ({ key, value = '' }: Taint) =>
    because(`node(s) had untolerated taint {${key}: ${value}}`, {
      detail: { taint: value === '' ? key : `${key}=${value}` },
      cure: 'Add a toleration to the pod, or remove the taint from the node.',
    }),
  NodeAffinityNotMet: because("node(s) didn't match Pod's node affinity/selector", {
    cure: "Add the labels that the pod's node affinity requires to a node.",
  }),
  TooManyPods: 'Too many pods',
  ResourceShort: (resource: string) => because(`Insufficient ${resource}`, { detail: { resource } }),
  ClaimInUse: (claim: string, user: string) =>
    because('node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode', {
      ...awaiting(PODS, parseKey(user)),
      detail: { claim },
      cure: 'Delete that pod, or use another claim.',
    }),
  VolumeMissing: (claim: string, volumeName: string) =>
    because('node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)', {
      ...awaiting(PERSISTENT_VOLUMES, { name: volumeName }),
      detail: { claim },
    }),
  AttachLimitReached: (driver: string) =>
    because('node(s) exceed max volume count', {
      detail: { driver },
      cure: 'Delete pods with volumes of this driver, or add nodes.',
    }),
  VolumeNodeAffinityConflict: (claim: string, volumeName: string) =>
    because('node(s) had volume node affinity conflict', {
      detail: { claim, volume: volumeName },
      cure: 'Let the pod run on a node from which its volume is accessible.',
    }),
  VolumesApart: (volumes: readonly Readonly<Record<string, string>>[]) => {
    const names = volumes.map(({ claim, volume }) => `volume ${volume} (claim ${claim})`)
    return because('node(s) had volume node affinity conflict', {
      detail: { volumes: names.join(', ') },
      cure: `No node can access both ${names.join(' and ')}. Replace one of the claims: with volumeBindingMode WaitForFirstConsumer, its new volume is created where the other one is accessible.`,
    })
  },
  OtherNodeSelected: (claim: string, node: string) =>
    because(NO_MATCH, {
      ...awaitClaimOn(claim, node),
      cure: 'Wait until the provisioner creates the volume for that node, or gives the claim back.',
    }),
  NoVolumeMatches: (claim: string) =>
    because(NO_MATCH, { detail: { claim }, cure: 'Create a volume that fits: the storage class has no provisioner.' }),
  TopologyNotAllowed: (claim: string, className: string) =>
    because(NO_MATCH, {
      detail: { claim, class: className },
      cure: 'Add the topology of a node to allowedTopologies of the storage class.',
    }),
  StorageShort: (claim: string, className: string) =>
    because('node(s) did not have enough free storage', {
      detail: { claim, class: className },
      cure: 'Free storage that the node can access, or request less.',
    }),
  NoNodes: because('no nodes available to schedule pods', { cure: 'Add a node.' }),
  Unschedulable: (nodes: string) => because('no node can run the pod, for different reasons', { detail: { nodes } }),

  // A node has been chosen.
  VolumesPending: (claim: string, node: string) =>
    because(`waiting for the volumes of the pod to be bound on node "${node}"`, awaitClaimOn(claim, node)),
  RefusedEverywhere: (claim: string) =>
    reason('ProvisionerRefused', provisioningFailed(claim), {
      ...awaitClaim(claim),
      cure: 'Free storage that the nodes of the pod can access, or request less.',
    }),
  ProvisionerRefused: (claim: string, node: string) => because(provisioningFailed(claim), awaitClaimOn(claim, node)),
  NodeGone: (node: string) => because(`node "${node}" not found`, awaiting(NODES, { name: node })),
  VolumeTaken: (claim: string, volumeName: string) =>
    because(`binding volumes: ClaimRef got reset for pv "${volumeName}"`, {
      ...awaitClaim(claim),
      detail: { volume: volumeName },
    }),
  VolumesTooSlow: (claim: string, node: string) =>
    because('binding volumes: timed out waiting for the condition', awaitClaimOn(claim, node)),
})
