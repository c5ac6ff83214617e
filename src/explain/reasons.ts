import { quoteGo } from '../api/quote-go.ts'
import { reason } from '../api/reason.ts'
import type { ReasonIn } from '../api/reason.ts'
import { BEING_DELETED } from '../storage/snapshot-names.ts'
import { taintOutOfService } from '../api/node-taints.ts'
import { isBusy, quote, tookTooLong } from './quote-text.ts'

type Named = { readonly kind: string; readonly namespace?: string; readonly name: string }

const waitsFor = (name: string) => ({ waitsFor: { kind: 'actor', name } }) as const
const ATTACH_DETACH = waitsFor('the attach/detach controller')
const nodeAgent = (nodeName: string) => waitsFor(`the node agent on ${nodeName}`)
const provisioner = (driver: string) => waitsFor(`provisioner ${driver}`)
const attacher = (driver: string) => waitsFor(`the attacher of ${driver}`)
const snapshotter = (driver: string) => waitsFor(`the snapshotter of ${driver}`)
const orElse = (classes: readonly string[]): string => (classes.length === 0 ? '' : ` (${classes.join(', ')})`)

const CHECK_CONTROLLERS =
  'If this persists, check that the controllers are running (kube-controller-manager, or holdfast controllers).'
const outOfService = (nodeName: string): string =>
  `Bring the node back, or, once you have confirmed that the machine is powered off, run: ${taintOutOfService(nodeName)}.`
const retried = (who: string, error = ''): string =>
  isBusy(error)
    ? `The driver is still executing an earlier call for the same volume: check in its logs whether that call hangs, and restart it if so. ${who} retries automatically.`
    : tookTooLong(error)
      ? hanging(who)
      : `Check the driver's logs. ${who} retries automatically.`
const checkNode = (nodeName: string, audiences: readonly string[] = []): string =>
  `Check the logs of the driver${audiences.length > 0 ? `, which requests tokens for ${audiences.join(', ')},` : ''} and of the kubelet or node agent on node ${nodeName}.`
const hanging = (who: string): string =>
  `The driver did not answer in time: check whether it hangs. ${who} retries automatically.`

/** Reasons that only an observer can give: an object is missing or may not be read, or a component has not acted yet although nothing prevents it. */
export const REASONS = {
  absent: ({ kind, name }: Named) =>
    reason('Absent', `${kind.toLowerCase()} ${quoteGo(name)} not found`, { cure: 'Create it.' }),
  notVisible: reason('NotVisible', 'you are not allowed to read it', {
    cure: 'Ask again with an account that is allowed to.',
  }),
  lastErrorOnly: (error: string) =>
    reason('LastErrorOnly', `the last reported error is: ${quote(error)}`, { detail: { error } }),

  // Claims.
  selectorInvalid: (error: string) =>
    reason('SelectorInvalid', `spec.selector is invalid: ${quote(error)}`, {
      detail: { error },
      cure: 'Correct spec.selector in a new claim.',
    }),
  noDefaultClass: (classes: readonly string[]) =>
    reason('NoDefaultClass', 'no persistent volumes available for this claim and no storage class is set', {
      detail: { classes: classes.join(', ') },
      cure: `Make a StorageClass the default${orElse(classes)}, or name one in a new claim.`,
    }),
  notBoundYet: (step: string) =>
    reason('NotBoundYet', 'nothing prevents binding, but it has not been done yet', {
      ...waitsFor('the volume binder'),
      detail: { step },
      cure: CHECK_CONTROLLERS,
    }),
  driverNotInstalled: (driver: string, className: string) =>
    reason('DriverNotInstalled', `no CSIDriver and no CSINode names driver ${driver}`, {
      ...provisioner(driver),
      detail: { driver, class: className },
      cure: `Install the driver, or correct the provisioner of StorageClass ${className}.`,
    }),
  driverUninstalled: (driver: string, role: 'provisioner' | 'attacher', task: string) =>
    reason('DriverUninstalled', `no CSIDriver and no CSINode names driver ${driver}`, {
      ...(role === 'provisioner' ? provisioner(driver) : attacher(driver)),
      detail: { driver },
      cure: `Install driver ${driver} again, so that its ${role} can ${task} the volume.`,
    }),
  provisioningFailed: (driver: string, error: string, { className, size }: { className: string; size: string }) =>
    reason('ProvisioningFailed', quote(error), {
      ...provisioner(driver),
      detail: { driver, error },
      cure: error.includes('code = OutOfRange')
        ? `Retrying does not help: the driver does not create volumes of ${size}. Create a claim that requests another size.`
        : error.includes('code = InvalidArgument')
          ? `Retrying does not help: the driver does not accept the request. Create StorageClass ${className} again with parameters that it accepts, or create another claim.`
          : retried('The provisioner', error),
    }),
  awaitingModify: (driver: string, className: string) =>
    reason(
      'AwaitingModify',
      `waiting for the resizer of ${driver} to apply VolumeAttributesClass ${quoteGo(className)}`,
      {
        ...waitsFor(`the resizer of ${driver}`),
        detail: { driver, class: className },
        cure: 'If this persists, check that the resizer is running and that the driver supports MODIFY_VOLUME.',
      },
    ),

  // Snapshots.
  awaitingWorkloadController: (kind: string) =>
    reason('AwaitingWorkloadController', 'nothing prevents the next step, but it has not been done yet', {
      ...waitsFor(`the ${kind} controller`),
      cure: CHECK_CONTROLLERS,
    }),
  podsNotCreated: (message: string) =>
    reason('PodsNotCreated', `pods cannot be created: ${quote(message)}`, {
      detail: { error: message },
      cure: 'Change what the message names. The controller retries automatically.',
    }),
  awaitingSnapshotController: (step: string, isGroup = false) =>
    reason('AwaitingSnapshotController', 'nothing prevents the next step, but it has not been done yet', {
      ...waitsFor('the snapshot controller'),
      detail: { step },
      cure: `If this persists, check that the snapshot controller is running (snapshot-controller, or holdfast controllers)${isGroup ? ' with the feature gate CSIVolumeGroupSnapshot' : ''}.`,
    }),
  awaitingSnapshotter: (driver: string) =>
    reason('AwaitingSnapshotter', 'Waiting for a snapshot to be created by the CSI driver', {
      ...snapshotter(driver),
      detail: { driver },
      cure: `If this persists, check that the csi-snapshotter of driver ${driver} is running.`,
    }),
  awaitingGroupSnapshot: (driver: string) =>
    reason('AwaitingGroupSnapshot', 'Waiting for a group snapshot to be created by the CSI driver', {
      ...snapshotter(driver),
      detail: { driver },
      cure: `If this persists, check that the csi-snapshotter of driver ${driver} is running with the feature gate CSIVolumeGroupSnapshot.`,
    }),
  snapshotDriverNotInstalled: (driver: string, className: string | undefined) =>
    reason('DriverNotInstalled', `no CSIDriver and no CSINode names driver ${driver}`, {
      ...snapshotter(driver),
      detail: { driver, ...(className === undefined ? {} : { class: className }) },
      cure: `Install the driver, or correct the driver of ${className === undefined ? 'the VolumeSnapshotContent' : `VolumeSnapshotClass ${className}`}.`,
    }),
  awaitingSnapshotDeletion: (driver: string) =>
    reason('AwaitingSnapshotDeletion', `waiting for the snapshotter of ${driver} to delete the snapshot`, {
      ...snapshotter(driver),
      detail: { driver },
      cure: `Check that the csi-snapshotter of driver ${driver} is running.`,
    }),
  contentRetained: (snapshot: string, policy: string) =>
    reason(
      'ContentRetained',
      `VolumeSnapshot ${snapshot} is gone, and the deletion policy of its content is ${policy}`,
      {
        cure: 'To delete the snapshot, set spec.deletionPolicy to Delete and delete the content. To use it again, create another VolumeSnapshotContent with its snapshotHandle.',
      },
    ),
  contentNotBound: reason('ContentNotBound', 'the content is not bound to a VolumeSnapshot', {
    cure: 'Create the VolumeSnapshot that spec.volumeSnapshotRef names.',
  }),
  contentNotMarked: (content: string, snapshot: string) =>
    reason(
      'ContentNotMarked',
      `VolumeSnapshot ${snapshot} is gone, but the content lacks the annotation with which the snapshot controller allows its deletion`,
      {
        cure: `If the snapshot is no longer needed, run: kubectl annotate volumesnapshotcontent ${content} ${BEING_DELETED}=yes.`,
      },
    ),

  // Pods without a node.
  awaitingScheduler: (nodeName?: string) =>
    reason(
      'AwaitingScheduler',
      nodeName === undefined ? 'the pod has not been scheduled yet' : `node ${nodeName} fits, but is not assigned yet`,
      {
        ...waitsFor('the scheduler'),
        ...(nodeName === undefined ? {} : { detail: { node: nodeName } }),
        cure: 'If this persists, check that the scheduler is running.',
      },
    ),
  schedulerSays: (message: string) =>
    reason('SchedulerSays', quote(message), { detail: { message }, cure: 'Remove what keeps the pod off the nodes.' }),

  // Pods on a node.
  running: reason('Running', 'the pod is running'),
  finished: reason('Finished', 'the pod has finished'),
  nodeMissing: (nodeName: string) =>
    reason('NodeMissing', `node ${quoteGo(nodeName)} not found`, {
      cure: 'Delete the pod, so that its replacement is scheduled to another node.',
    }),
  nodeNotReady: (nodeName: string) =>
    reason('NodeNotReady', 'the node is not ready', { cure: `Check the node: kubectl describe node ${nodeName}.` }),
  driverNotRegistered: (driver: string, nodeName: string) =>
    reason('DriverNotRegistered', `driver name ${driver} not found in the list of registered CSI drivers`, {
      detail: { driver, node: nodeName },
      cure: `Check that the driver is running on node ${nodeName} and that its registrar reports no error. On the node, holdfast doctor ${driver} says what is wrong.`,
    }),
  driverUnknown: (driver: string, nodeName: string) =>
    reason('DriverUnknown', `driver name ${driver} not found in the list of registered CSI drivers`, {
      detail: { driver, node: nodeName },
      cure: 'No node has registered it, and it has no CSIDriver object: install the driver, or correct its name.',
    }),
  awaitingAttachment: reason('AwaitingAttachment', 'the VolumeAttachment has not been created yet', {
    ...ATTACH_DETACH,
    cure: CHECK_CONTROLLERS,
  }),
  notReportedAttached: (nodeName: string) =>
    reason('NotReportedAttached', `the volume is attached, but volumesAttached of node ${nodeName} does not list it`, {
      ...ATTACH_DETACH,
      detail: { node: nodeName },
      cure: CHECK_CONTROLLERS,
    }),
  mountFailed: (nodeName: string, error: string, audiences: readonly string[], what = 'Mounting') =>
    reason('MountFailed', quote(error), {
      ...nodeAgent(nodeName),
      detail: { node: nodeName, error },
      cure: isBusy(error)
        ? retried('The kubelet or node agent', error)
        : `${checkNode(nodeName, audiences)} ${what} is retried automatically.`,
    }),
  notMounted: ({ kind, name }: Named) =>
    reason(
      'NotMounted',
      `${kind.toLowerCase()} ${quoteGo(name)} not found, so it is not mounted, and only a node without containers reports the pod as running`,
      { cure: 'Create it.' },
    ),
  publishedNothing: (nodeName: string, error: string) =>
    reason('PublishedNothing', quote(error), {
      ...nodeAgent(nodeName),
      detail: { node: nodeName, error },
      cure: 'Fix NodePublishVolume of the driver: it has to mount the volume at target_path, where the node sees the mount, before it returns OK. Publishing is retried automatically.',
    }),
  mountNotAnswered: (nodeName: string, error: string) =>
    reason('MountNotAnswered', quote(error), {
      ...nodeAgent(nodeName),
      detail: { node: nodeName, error },
      cure: `The driver on node ${nodeName} has had the call all this time: check whether it hangs.`,
    }),
  ownershipChanging: (nodeName: string, progress: string) =>
    reason('OwnershipChanging', quote(progress), {
      ...nodeAgent(nodeName),
      detail: { node: nodeName, progress },
      cure: 'The pod starts when every file belongs to its fsGroup. To skip this at the next mount, set spec.securityContext.fsGroupChangePolicy to OnRootMismatch in a new pod.',
    }),
  awaitingMount: (nodeName: string) =>
    reason('AwaitingMount', 'the volumes are not mounted yet, and no error was reported', {
      ...nodeAgent(nodeName),
      detail: { node: nodeName },
      cure: `Check that the kubelet or node agent is running on node ${nodeName} and can reach the API server.`,
    }),
  containerWaits: (container: string, why: string, error: string) =>
    reason('ContainerWaits', `container ${quoteGo(container)} is waiting: ${why}${error ? ` (${quote(error)})` : ''}`, {
      detail: { container, why, ...(error ? { error } : {}) },
      cure: 'The volumes are mounted, so this is not a storage problem: check the events of the pod.',
    }),
  nodeGoneWithPod: (pod: Named, nodeName: string) =>
    reason('NodeGoneWithPod', `node ${quoteGo(nodeName)} not found, so the end of the pod cannot be confirmed`, {
      detail: { pod: pod.name, namespace: pod.namespace ?? '' },
      cure: `Once you have confirmed that the machine is powered off, run: kubectl delete pod ${pod.name} -n ${pod.namespace ?? ''} --force --grace-period=0.`,
    }),
  nodeSilent: (nodeName: string) => reason('NodeNotReady', 'the node is not ready', { cure: outOfService(nodeName) }),
  nodeSilentWithPod: (nodeName: string) =>
    reason('NodeSilentWithPod', 'the node is not ready, so the end of the pod cannot be confirmed', {
      cure: outOfService(nodeName),
    }),
  awaitingPodEnd: (nodeName: string) =>
    reason('AwaitingPodEnd', 'containers are being stopped and volumes unmounted', nodeAgent(nodeName)),
  unmountFailed: (nodeName: string, error: string) =>
    reason('UnmountFailed', quote(error), {
      ...nodeAgent(nodeName),
      detail: { error },
      cure: `${checkNode(nodeName)} Unmounting is retried automatically.`,
    }),

  // Attachments.
  awaitingAttach: (driver: string) =>
    reason('AwaitingAttach', `waiting for external-attacher of ${driver} CSI driver to attach the volume`, {
      ...attacher(driver),
      detail: { driver },
      cure: 'Check that the attacher of the driver is running.',
    }),
  attacherBusy: (driver: string, { detaches, oldest, since }: { detaches: number; oldest: string; since: string }) =>
    reason('AttacherBusy', `waiting for external-attacher of ${driver} CSI driver to attach the volume`, {
      ...attacher(driver),
      detail: { driver, detaches: String(detaches), oldest },
      cure: `The attacher also has ${detaches} volumes to detach, the first since ${since}. An attacher with one pool of workers for both, as that of kubernetes-csi, attaches nothing while all of them are detaching: find out why detaching takes long (holdfast why va/${oldest}), or raise its --worker-threads.`,
    }),
  awaitingDetach: (driver: string) =>
    reason('AwaitingDetach', `waiting for external-attacher of ${driver} CSI driver to detach the volume`, {
      ...attacher(driver),
      detail: { driver },
      cure: 'Check that the attacher of the driver is running.',
    }),
  attachFailed: (driver: string, volumeName: string, error: string, isTimeout: boolean) =>
    reason(
      isTimeout ? 'AttachTimedOut' : 'AttachFailed',
      `AttachVolume.Attach failed for volume ${quoteGo(volumeName)} : ${quote(error)}`,
      {
        ...attacher(driver),
        detail: { driver, error },
        cure: isTimeout ? hanging('The attacher') : retried('The attacher', error),
      },
    ),
  detachFailed: (driver: string, volumeName: string, error: string, isTimeout: boolean) =>
    reason(
      isTimeout ? 'DetachTimedOut' : 'DetachFailed',
      `DetachVolume.Detach failed for volume ${quoteGo(volumeName)} : ${quote(error)}`,
      {
        ...attacher(driver),
        detail: { driver, error },
        cure: isTimeout ? hanging('The attacher') : retried('The attacher', error),
      },
    ),
  notDetachedYet: reason('AwaitingDetach', 'no pod uses the volume, but it is not being detached yet', {
    ...ATTACH_DETACH,
    cure: CHECK_CONTROLLERS,
  }),
  usesVolume: (pod: string, nodeName: string, isSilent: boolean) =>
    reason('UsesVolume', `pod ${pod} is using the volume on node ${nodeName}`, {
      detail: { node: nodeName },
      cure: isSilent
        ? `Node ${nodeName} is not ready. ${outOfService(nodeName)}`
        : `Delete pod ${pod}, or run the pods that use the volume on the same node.`,
    }),
  nodeGoneWithVolume: (attachment: string) =>
    reason('NodeGoneWithVolume', 'the node is gone and has not reported that the volume is unmounted', {
      detail: { attachment },
      cure: `The volume is detached automatically after some minutes. Once you have confirmed that the machine is powered off, you need not wait: kubectl delete volumeattachment ${attachment}.`,
    }),
  nodeSilentWithVolume: (nodeName: string, attachment: string) =>
    reason('NodeSilentWithVolume', 'the node is not ready and has not reported that the volume is unmounted', {
      detail: { node: nodeName, attachment },
      cure: outOfService(nodeName),
    }),

  // Deletion.
  foreignFinalizer: (finalizers: string) =>
    reason('ForeignFinalizer', `finalizers remain: ${finalizers}`, {
      detail: { finalizers },
      cure: 'Check the controller that added the finalizer. Remove it manually only if that controller no longer exists.',
    }),
  finalizerToBeRemoved: (finalizer: string, owner: string) =>
    reason('FinalizerToBeRemoved', `finalizer ${finalizer} can be removed, but is still present`, {
      ...waitsFor(owner),
      detail: { finalizer },
      cure: `If this persists, check that ${owner} is running.`,
    }),
  goneInAMoment: reason('GoneInAMoment', 'no finalizer remains, and the object is about to be deleted'),
  awaitingDeletion: (driver: string) =>
    reason('AwaitingDeletion', `waiting for provisioner ${driver} to delete the volume`, {
      ...provisioner(driver),
      detail: { driver },
      cure: 'Check that the provisioner of the driver is running.',
    }),
  deleteFailed: (driver: string, error: string) =>
    reason('DeleteFailed', `error deleting the volume: ${quote(error)}`, {
      ...provisioner(driver),
      detail: { driver, error },
      cure: retried('The provisioner', error),
    }),
}

export type OwnReason = ReasonIn<typeof REASONS>
