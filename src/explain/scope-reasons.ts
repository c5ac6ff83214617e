import { quoteGo } from '../api/quote-go.ts'
import { reason } from '../api/reason.ts'
import type { ReasonIn } from '../api/reason.ts'
import { DRIVER_CURES } from '../storage/driver-problem.ts'
import type { DriverEventReason } from '../storage/driver-problem.ts'
import { quote } from './quote-text.ts'

/** Reasons about nodes, namespaces, classes and drivers, on which many objects depend. */
export const SCOPE_REASONS = {
  nothingWaits: (message: string) => reason('NothingWaits', message),
  attachLimitReached: (driver: string, nodeName: string, used: number, limit: number) =>
    reason('AttachLimitReached', `node(s) exceed max volume count: ${used} of at most ${limit} volumes are attached`, {
      detail: { driver, node: nodeName },
      cure: `Delete pods that use volumes of the driver on node ${nodeName}, or add nodes.`,
    }),
  nodeGone: (nodeName: string, attachments: number) =>
    reason('NodeGone', `node ${quoteGo(nodeName)} not found, but ${count(attachments, 'VolumeAttachment')} to it`, {
      cure: 'They are removed once the volumes are detached, or add the node again.',
    }),
  snapshotsNotInstalled: (kind: string) =>
    reason('SnapshotsNotInstalled', `the server doesn't have a resource type ${quoteGo(kind)}`, {
      cure: 'Install the snapshot CRDs and the snapshot controller once for the cluster, whichever drivers it has: those of kubernetes-csi/external-snapshotter, or the CRDs and holdfast snapshot-controller.',
    }),
  namespaceContent: (message: string) =>
    reason('NamespaceContent', message, {
      cure: 'Delete what remains, or find the controller that has to remove the finalizers.',
    }),
  classNotInstalled: (driver: string, kind: string, name: string) =>
    reason('DriverNotInstalled', `no CSIDriver and no CSINode names driver ${driver}`, {
      detail: { driver, class: name },
      cure: `Install the driver, or create a ${kind} for another one.`,
    }),
  classInUse: (users: string) =>
    reason('ClassInUse', `it is still used by ${users}`, {
      cure: 'Name another VolumeAttributesClass in these claims, or delete them.',
    }),
  topologyNowhere: (className: string) =>
    reason('TopologyNowhere', `no node is in allowedTopologies of StorageClass ${quoteGo(className)}`, {
      detail: { class: className },
      cure: 'Label or add nodes, or create the class again with other allowedTopologies.',
    }),
  noCapacity: (driver: string, className: string) =>
    reason('NoCapacity', `no CSIStorageCapacity of StorageClass ${quoteGo(className)} has room`, {
      detail: { driver, class: className },
      cure: `The driver reports its capacity: free or add storage. If there is no CSIStorageCapacity at all, check that the provisioner of driver ${driver} is running with --enable-capacity.`,
    }),
  noNodeHasDriver: (driver: string) =>
    reason('NoNodeHasDriver', `driver name ${driver} not found in the list of registered CSI drivers of any node`, {
      detail: { driver },
      cure: "Check that the pods of the driver's DaemonSet are running, and the log of their registrar.",
    }),
  driverGone: (driver: string) =>
    reason('DriverGone', `no CSIDriver and no CSINode names driver ${driver}`, { cure: 'Install the driver.' }),
  registrationRefused: (driver: string, nodeName: string, error: string) =>
    reason('DriverNotRegistered', `driver name ${driver} not found in the list of registered CSI drivers`, {
      detail: { driver, node: nodeName },
      cure: `The node agent on node ${nodeName} reports: ${quote(error)}`,
    }),
  driverProblem: (driver: string, code: DriverEventReason, message: string) =>
    reason(code, quote(message), { detail: { driver }, cure: DRIVER_CURES[code] }),
  sidecarNotRunning: (driver: string, sidecar: string, lease: string, since: string) =>
    reason('SidecarNotRunning', `no ${sidecar} of driver ${driver} is running: Lease ${lease} expired at ${since}`, {
      detail: { driver, lease },
      cure: `Start the ${sidecar}: check the Deployment or StatefulSet of the driver's controller in namespace ${lease.split('/')[0]}.`,
    }),
}

const count = (number: number, noun: string): string =>
  number === 1 ? `1 ${noun} remains` : `${number} ${noun}s remain`

export type ScopeReason = ReasonIn<typeof SCOPE_REASONS>
