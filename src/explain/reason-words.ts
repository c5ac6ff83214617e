import { formatReason } from '../api/reason.ts'
import type { Reason } from '../api/reason.ts'

/** A reason for people: a clause that follows a colon, and what to do. */
export type ReasonWords = { readonly clause: string; readonly cure?: string }

type Facts = Readonly<Record<string, string | undefined>>
type Words = (facts: Facts) => ReasonWords

const said = (clause: string, cure?: string): ReasonWords => ({ clause, ...(cure === undefined ? {} : { cure }) })
const failed = (error: string | undefined): string => `its last try failed: ${quote(error)}`

// One line each, in the order of the way from claim to mounted volume. What is not here is said in the words of the decision itself.
const WORDS: Readonly<Record<string, Words>> = {
  Absent: () => said('it does not exist', 'Create it'),
  NotVisible: () => said('it can not be seen with your rights', 'Ask with an account that may read it'),
  LastErrorOnly: ({ error }) => said(`the last thing said about it was: ${quote(error)}`),

  StorageClassMissing: ({ classes }) =>
    said(
      'it does not exist',
      `Create it, or a volume of that class${classes ? `; for a new claim there is ${classes}` : ''}`,
    ),
  NoDefaultClass: ({ classes }) =>
    said(
      'it names no StorageClass, none is the default, and no volume without a class fits',
      `Make a class the default${classes ? ` (there is ${classes})` : ''}, or name one in a new claim`,
    ),
  NothingFits: (facts) =>
    said(
      `it wants no StorageClass, and no free volume fits${nearest(facts)}`,
      'Make a volume that fits, or name a class that has a provisioner',
    ),
  NobodyProvisions: (facts) =>
    said(
      `volumes of StorageClass ${facts['storageClass']} are made by hand, and no free one fits${nearest(facts)}`,
      'Make a volume of the class that fits, or use a class with a CSI provisioner',
    ),
  VolumeMissing: ({ attachment }) =>
    said(
      'it does not exist',
      attachment
        ? 'Make the volume object again, or delete the attachment'
        : 'Create it, or make a claim that names another one',
    ),
  VolumeTaken: ({ claimedBy }) =>
    said(`the volume belongs to claim ${claimedBy}`, 'Make a claim that names another volume'),
  VolumeMismatch: ({ volume, claim, differs, wanted, found }) =>
    said(
      `${volume ? `volume ${volume}` : `it does not fit claim ${claim}, since it`} has ${differing(differs)} ${found || 'none'} and the claim wants ${wanted || 'none'}`,
      'Make a claim or a volume that fits the other',
    ),
  WaitForFirstConsumer: ({ storageClass }) =>
    said(
      `volumes of StorageClass ${storageClass} are made where their first pod runs`,
      'Create a pod that uses the claim',
    ),
  VolumeLost: ({ volume }) =>
    said(
      `its volume ${volume} is gone`,
      `If the driver still has it, make PersistentVolume ${volume} again with a claimRef to the claim; else delete the claim and restore the data into a new one`,
    ),
  VolumeNameLost: () =>
    said('somebody took the name of its volume out of the bound claim', 'Make a new claim that names the volume'),
  ClaimLost: ({ claim, volume }) =>
    said(
      `volume ${volume} of claim ${claim} is gone`,
      `If the driver still has it, make PersistentVolume ${volume} again with a claimRef to the claim; else delete the claim and restore the data into a new one`,
    ),
  ClaimMisbound: ({ volume, boundTo }) => said(`its volume ${volume} belongs to claim ${boundTo}`, 'Make a new claim'),
  NotBoundYet: () =>
    said(
      'everything is there, and it has not acted yet',
      'If it stays so, see that the controllers run (kube-controller-manager, or holdfast controllers)',
    ),
  ExternalExpanding: ({ wanted, present }) =>
    said(
      `the volume has ${present} and is to have ${wanted}`,
      'If it takes long, see that the resizer runs, and what the events of the claim say',
    ),

  AwaitingProvisioner: () =>
    said('it has made no volume and reported no error', 'See that the provisioner of the driver runs'),
  DriverNotInstalled: ({ driver, class: className }) =>
    said(
      `no node has a driver ${driver}, and no CSIDriver has that name`,
      `Install the driver, or correct the provisioner of StorageClass ${className}`,
    ),
  ProvisioningFailed: ({ error }) =>
    said(failed(error), 'See what the driver says about it; it is tried again by itself'),
  SecretNotFound: () => said('it does not exist', 'Create it, or correct the StorageClass that names it'),
  SelectedNodeGone: ({ node }) =>
    said(
      `node ${node}, which the scheduler picked for the volume, is gone`,
      'The provisioner gives the claim back by itself; if it does not run, remove the annotation volume.kubernetes.io/selected-node',
    ),
  NoTopologyKeys: ({ driver, node }) =>
    said(
      `driver ${driver} says nothing of where ${node ? `node ${node}` : 'any node'} is`,
      'See that the driver runs on the node and has registered',
    ),
  NoNodeWithTopology: ({ driver, labels }) =>
    said(
      `no node has the labels ${labels} of driver ${driver}`,
      'See that the driver runs on a node and has registered',
    ),
  NodeNotInAllowedTopologies: ({ node }) =>
    said(
      `node ${node}, which the scheduler picked, is outside the allowed topologies of the StorageClass`,
      'Let the class allow the place of the node',
    ),
  SnapshotNotFound: () => said('it does not exist', 'Create it, or take a source that exists in a new claim'),
  SnapshotNotBound: ({ error }) =>
    said(
      `the snapshot has not been taken yet${because(error)}`,
      'See that the snapshot controller and the snapshotter of the driver run',
    ),
  SnapshotNotReady: ({ error }) =>
    said(
      `the snapshot is not ready to use${because(error)}`,
      'Wait until it is, or see what the snapshotter of the driver says',
    ),
  SnapshotContentNotFound: () =>
    said('it does not exist, although the snapshot is bound to it', 'Take another source in a new claim'),
  SourceClaimNotFound: () => said('it does not exist', 'Create it, or take a source that exists in a new claim'),
  SourceClaimNotBound: () => said('it is to be cloned, and is not bound', 'Ask the same about that claim'),
  SmallerThanSource: ({ source }) =>
    said(`it asks for less than the ${source} of its source`, `Ask for at least ${source} in a new claim`),
  PopulatorExpected: ({ source }) => said(`it is to be filled from ${source}`, 'See that the populator runs'),
  SelectorNotSupported: () =>
    said(
      'it has a selector, and volumes can not be made to measure for one',
      'Make a claim without spec.selector, or a volume that it selects',
    ),

  Gated: ({ gates }) => said(`the scheduling gates ${gates} are on it`, 'Whoever put them there has to remove them'),
  NoNodes: () => said('the cluster has no nodes', 'Add a node'),
  AwaitingScheduler: ({ node }) =>
    said(
      node ? `node ${node} would suit it, and nothing has happened yet` : 'it has not acted yet',
      'If it stays so, see that the scheduler runs',
    ),
  SchedulerSays: ({ message }) =>
    said(`the scheduler says: ${quote(message)}`, 'Change what keeps the pod off the nodes'),
  Unschedulable: ({ message }) =>
    said(
      `no node can take it: ${quote((message ?? '').replace(/^\d+\/\d+ nodes are available: /, ''))}`,
      'Change what keeps the pod off one of the nodes',
    ),
  NodeUnschedulable: () => said('all nodes are cordoned', 'Uncordon one'),
  TaintNotTolerated: ({ taint }) =>
    said(
      `every node has the taint ${taint}, which it does not tolerate`,
      'Give the pod a toleration, or take the taint off a node',
    ),
  NodeAffinityNotMet: () =>
    said('no node matches its node selector and affinity', 'Label a node as the pod wants it, or change the pod'),
  ClaimInUse: ({ claim }) =>
    said(
      `it uses claim ${claim}, which only one pod at a time may have (ReadWriteOncePod)`,
      'Delete that pod, or use another claim',
    ),
  AttachLimitReached: ({ driver }) =>
    said(
      `every node has as many volumes of driver ${driver} as it can have`,
      'Delete pods with volumes of this driver, or add nodes',
    ),
  VolumeNodeAffinityConflict: ({ claim, volume }) =>
    said(
      `no node that it may run on reaches volume ${volume} of claim ${claim}`,
      'Bring a node where the volume is, let the pod run there, or use another volume',
    ),
  NoVolumeMatches: ({ claim }) =>
    said(`no free volume fits claim ${claim} on any node, and its class has no provisioner`, 'Make a volume that fits'),
  TopologyNotAllowed: ({ claim, class: className }) =>
    said(
      `no node is where StorageClass ${className} of claim ${claim} allows volumes`,
      'Label the nodes so, or change the allowed topologies of the class',
    ),
  StorageShort: ({ claim, class: className }) =>
    said(
      `no node reaches enough free storage of StorageClass ${className} for claim ${claim}`,
      'Free some storage, or ask for less in a new claim',
    ),
  ProvisionerRefused: () =>
    said('the driver has no room for the volume where the pod may run', 'Free some, or ask for less'),
  EphemeralClaimMissing: () =>
    said('it is to be made for the pod, and is not there yet', 'If it stays so, see that the controllers run'),
  ClaimInTheWay: ({ volume }) =>
    said(
      `it has the name that volume ${volume} of the pod needs, and belongs to somebody else`,
      'Delete that claim, or rename the pod',
    ),
  ClaimOfOther: () => said('it was there before the pod, and does not belong to it', 'Delete it, or rename the pod'),
  ClaimNotOfPod: () => said('it does not belong to the pod', 'Delete it, or rename the pod'),
  ClaimLeaving: () => said('it is being deleted', 'Create it again once it is gone, or use another one'),
  ResourceShort: ({ resource }) => said(`no node has enough ${resource}`, 'Free some, or add nodes'),
  TooManyPods: () => said('every node has as many pods as it can have', 'Delete some, or add nodes'),

  NodeMissing: () => said('it does not exist', 'Delete the pod, so that a new one gets another node'),
  NodeNotReady: () => said('it is not ready', 'See what is wrong with the node'),
  DriverNotRegistered: ({ node }) =>
    said(
      'it is not registered there',
      `See that the pod of the driver runs on node ${node}, and that its registrar reports no error`,
    ),
  DriverUnknown: ({ driver }) =>
    said('no node has it, and no CSIDriver has that name', `Install driver ${driver}, or correct the name`),
  LifecycleModeNotAllowed: ({ mode }) =>
    said(
      `its CSIDriver does not list ${mode} in volumeLifecycleModes`,
      'Use a driver that can do that, or add the mode if this one can',
    ),
  PodHandlesNotAllowed: ({ volume }) =>
    said(
      `pods may not name its volumes by their handles, as volume ${volume} does`,
      'Use a claim; or allow it with the annotation csi.holdfast.dev/allow-inline-volume-handles=true on the CSIDriver',
    ),
  NodeAffinityMismatch: ({ node }) =>
    said(`it can not be reached from node ${node}`, 'Delete the pod, so that it is placed anew'),
  AwaitingAttachment: () =>
    said(
      'it has not acted yet',
      'If it stays so, see that the controllers run (kube-controller-manager, or holdfast controllers)',
    ),
  NotReportedAttached: ({ node }) =>
    said(
      `the volume is attached, and the status of node ${node} does not say so yet`,
      'If it stays so, see that the controllers run',
    ),
  NodeNotManaged: () =>
    said(
      'its node leaves attaching to nobody',
      'The node agent has to set the annotation volumes.kubernetes.io/controller-managed-attach-detach',
    ),
  AwaitingAttach: () =>
    said('it has reported neither success nor an error', 'See that the attacher of the driver runs'),
  AttachFailed: ({ error }) => said(failed(error), 'See what the driver says about it; it is tried again by itself'),
  AttachTimedOut: ({ error }) =>
    said(
      `the driver did not answer in time: ${quote(error)}`,
      'See whether the driver hangs; it is tried again by itself',
    ),
  VolumeLeaving: ({ volume }) =>
    said(`${volume ? `volume ${volume}` : 'the volume'} is being deleted`, 'Use another one'),
  SecretMissing: () => said('it does not exist', 'Create it, or correct the volume that names it'),
  UsesVolume: ({ node }) =>
    said(
      `it uses the volume on node ${node}, and the volume can be on one node only`,
      'Delete that pod, or let both run on one node',
    ),
  VolumeKindNotServed: ({ volume, persistentVolume, kind }) =>
    said(
      `${persistentVolume ? 'it' : `volume ${volume} of the pod`} is of kind ${kind}, and nodes of Holdfast serve volumes of CSI drivers only`,
      'Use a claim whose volume belongs to a CSI driver, or a node with a kubelet',
    ),
  MountFailed: ({ error, audiences }) =>
    said(
      failed(error),
      `See what the driver on the node says${audiences ? ` (it wants tokens for ${audiences})` : ''}; it is tried again by itself`,
    ),
  AwaitingMount: ({ node }) =>
    said(
      'it has not mounted the volumes and reported no error',
      `See that it runs and reaches the API server from node ${node}`,
    ),
  ContainerWaits: ({ container, why, error }) =>
    said(
      `its volumes are in place, and container ${container} waits: ${why}${error ? ` (${quote(error)})` : ''}`,
      'This is not about storage: see the events of the pod',
    ),

  AwaitingDetach: () => said('it has reported neither success nor an error', 'See that it runs'),
  DetachFailed: ({ error }) => said(failed(error), 'See what the driver says about it; it is tried again by itself'),
  DetachTimedOut: ({ error }) =>
    said(
      `the driver did not answer in time: ${quote(error)}`,
      'See whether the driver hangs; it is tried again by itself',
    ),
  VolumeInUse: () =>
    said(
      'it says that the volume is still in use there',
      'See why it is not unmounted: the events of the pods that were there tell',
    ),
  StillReportedAttached: () =>
    said('its status still lists the volume as attached', 'If it stays so, see that the controllers run'),
  NodeGoneWithVolume: ({ attachment }) =>
    said(
      'it is gone, and never said that it let the volume go',
      `It is detached after some minutes by itself; if the machine is surely off, delete VolumeAttachment ${attachment}`,
    ),
  NodeSilentWithVolume: () =>
    said(
      'it is not ready, and never said that it let the volume go',
      'Bring it back; if the machine is surely off, put the taint node.kubernetes.io/out-of-service:NoExecute on it',
    ),
  NodeGoneWithPod: ({ namespace, pod }) =>
    said(
      'it is gone, so nobody can say that the pod has ended',
      `If the machine is surely off: kubectl delete pod ${pod} -n ${namespace} --force --grace-period=0`,
    ),
  NodeSilentWithPod: () =>
    said(
      'it is not ready, so nobody can say that the pod has ended',
      'Bring it back; if the machine is surely off, put the taint node.kubernetes.io/out-of-service:NoExecute on it',
    ),
  AwaitingPodEnd: () => said('it ends the containers and unmounts the volumes'),
  UnmountFailed: ({ error }) =>
    said(failed(error), 'See what the driver on the node says; it is tried again by itself'),

  UsedByPod: () =>
    said('it uses the claim', 'Delete the pod, also if it has ended: the claim goes once no pod with a node names it'),
  VolumeBound: () => said('it is bound to the volume', 'Delete the claim: the volume goes after it'),
  ForeignFinalizer: ({ finalizers }) =>
    said(
      `the finalizer ${finalizers} is on it`,
      'Whoever put it there has to remove it; by hand only if nobody does any more',
    ),
  FinalizerToBeRemoved: ({ finalizer }) =>
    said(`nothing is in the way of removing the finalizer ${finalizer}`, 'If it stays so, see that it runs'),
  GoneInAMoment: () => said('nothing keeps it any more'),
  Retained: ({ claim }) =>
    said(
      `its claim ${claim} is gone, and its reclaim policy is Retain`,
      'Save what is needed; then delete the volume, or remove its claimRef to have it used again',
    ),
  NobodyDeletes: () =>
    said(
      'its claim is gone, and nobody is known who could delete this kind of volume',
      'Delete it by hand, or set its reclaim policy to Retain',
    ),
  AwaitingDeletion: () =>
    said(
      'its claim is gone, and the volume is not deleted yet; no error was reported',
      'See that the provisioner of the driver runs',
    ),
  DeleteFailed: ({ error }) =>
    said(
      `its claim is gone, and deleting the volume failed: ${quote(error)}`,
      'See what the driver says about it; it is tried again by itself',
    ),
}

/** In words of our own where there are some, else in those of the reason. */
export function wordsOf(reason: Reason): ReasonWords {
  const { code, message, detail = {}, cure } = reason
  const own = Object.hasOwn(WORDS, code) ? WORDS[code] : undefined
  if (own) return own(detail)
  const text = message ?? formatReason({ code, detail }).replace(/\.$/, '')
  return { clause: lowerFirst(text), ...(cure ? { cure } : {}) }
}

const nearest = ({ nearest: volume, differs, wanted, found }: Facts): string =>
  volume
    ? `: ${volume} comes nearest, but has ${differing(differs)} ${found || 'none'} where the claim wants ${wanted}`
    : ''

const NAMES: Readonly<Record<string, string>> = {
  accessModes: 'access modes',
  storageClass: 'StorageClass',
  volumeAttributesClass: 'VolumeAttributesClass',
  volumeMode: 'volume mode',
  deletion: 'state',
}
const differing = (what = ''): string => NAMES[what] ?? what

const because = (error: string | undefined): string => (error ? ` (${quote(error)})` : '')

const LONGEST_QUOTE = 400

/** What others wrote, on one line: nothing in it may move the cursor of a terminal. */
export const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()

function quote(text = ''): string {
  const line = oneLine(text).replace(/\.$/, '')
  return line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}…` : line
}

// Words in capitals keep them.
const lowerFirst = (text: string): string =>
  /^[A-Z][a-z ]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
