import { nextProvisionStep } from '../sidecars/provisioner/next-provision-step.ts'
import { readClusterTopology, readProvisionView } from '../sidecars/provisioner/provision-view.ts'
import type { ProvisionView, ReadObjects, Wanted } from '../sidecars/provisioner/provision-view.ts'
import { CSI_NODES } from '../api/kinds/csi-node.ts'
import { NODES } from '../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../api/kinds/persistent-volume.ts'
import { SECRETS } from '../api/kinds/secret.ts'
import type { StorageClass } from '../api/kinds/storage-class.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../api/kinds/volume-attributes-class.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../api/kinds/volume-snapshot.ts'
import { refOf } from '../api/object-key.ts'
import type { KubeObject, ObjectRef } from '../api/object.ts'
import { decodeSecret } from '../storage/read-secret.ts'
import { requestedSizeOf } from '../storage/requested-size.ts'
import type { ClusterReader, Reading } from './cluster-reader.ts'
import type { Link } from './explanation.ts'
import { isDriverKnown } from './is-driver-known.ts'
import { findLastError } from './last-error.ts'
import { absentLink, blockedLink, idOf, idOfAwaited, prefixCause, unseenLink, waitingLink } from './links.ts'
import { quote } from './quote-text.ts'
import { REASONS } from './reasons.ts'
import type { WhyCode, WhyReason } from './why-reason.ts'

export type ProvisionQuestion = {
  readonly claim: PersistentVolumeClaim
  readonly storageClass: StorageClass
  readonly volumes: readonly PersistentVolume[]
  /** Why the binder is waiting for the provisioner. */
  readonly waiting: WhyReason
  readonly reader: ClusterReader
  /** Explains a snapshot that is not ready to be restored. */
  explainSnapshot?(ref: ObjectRef): Promise<Link>
}

// Each object is read once.
const MOST_READS = 8

/** Why the provisioner has not created a volume for a claim that it is responsible for. */
export async function explainProvisioning(question: ProvisionQuestion): Promise<Link> {
  const { claim, storageClass, waiting, reader } = question
  const [object, state] = [idOf(claim), claim.status?.phase ?? 'Pending']
  const driverName = storageClass.provisioner
  const wanted = { className: storageClass.metadata.name ?? '', size: requestedSizeOf(claim) }
  const view = await viewOf(question)
  let read: ReadObjects = {}
  let step = nextProvisionStep({ ...view, seen: { ...view.seen, read } })
  for (let reads = 0; step.kind === 'read' && reads < MOST_READS; reads++) {
    const more = await readWanted(step.wanted, reader)
    if (!more) return blockedLink(object, state, [unseenLink(idOfWanted(step.wanted))])
    read = { ...read, ...more }
    step = nextProvisionStep({ ...view, seen: { ...view.seen, read } })
  }
  switch (step.kind) {
    case 'wait':
    case 'refuse':
    case 'forget':
    case 'hand-off':
      return linkFor(step.reason, read)
    case 'reschedule':
      return waitingLink(object, state, {
        waitsFor: { kind: 'actor', name: `provisioner ${driverName}` },
        ...step.reason,
      })
    default:
      // Nothing prevents it: it has not acted yet, or the driver has refused.
      return awaitProvisioner()
  }

  async function linkFor(reason: WhyReason, { snapshot, snapshotContent }: ReadObjects): Promise<Link> {
    const { waitsFor } = reason
    if (reason.code === 'CrossNamespaceSourceDisabled') return explainForeignSource(reason)
    if (waitsFor?.kind !== 'object') return waitingLink(object, state, reason)
    const present = [snapshot, snapshotContent].find((each) => each?.kind === waitsFor.kindName)
    const message = present?.status?.error?.message
    if (snapshot && present === snapshot && message === undefined) {
      const explained = await question.explainSnapshot?.(refOf(snapshot))
      if (explained?.status === 'waits')
        return blockedLink(object, state, [prefixCause(explained, reason.message ?? '')])
    }
    const told = message === undefined ? reason : { ...reason, message: `${reason.message} (${quote(message)})` }
    const awaited = present ? waitingLink(idOf(present), 'not ready', told) : absentLink(idOfAwaited(waitsFor), reason)
    // Most of the objects that are waited for do not exist.
    return blockedLink(object, state, [isThere(reason) ? { ...awaited, state: 'present' } : awaited])
  }

  /** Whether sources in other namespaces are enabled is not visible from outside, but an error of the provisioner is. */
  async function explainForeignSource(reason: WhyReason): Promise<Link> {
    const lastError = await findLastError(reader, object, ['ProvisioningFailed'])
    const grant = `ReferenceGrant in namespace ${claim.spec.dataSourceRef?.namespace} for PersistentVolumeClaims of ${object.namespace}`
    if (!lastError) {
      const cure = `Enable the feature gate CrossNamespaceVolumeDataSource, and create a ${grant}.`
      return waitingLink(object, state, { ...reason, cure })
    }
    const refused = { ...REASONS.provisioningFailed(driverName, lastError.message, wanted), cure: `Create a ${grant}.` }
    return waitingLink(object, state, refused, { lastError })
  }

  async function awaitProvisioner(): Promise<Link> {
    const lastError = await findLastError(reader, object, ['ProvisioningFailed'])
    if (lastError)
      return waitingLink(object, state, REASONS.provisioningFailed(driverName, lastError.message, wanted), {
        lastError,
      })
    const isKnown = await isDriverKnown(driverName, reader)
    const reason = isKnown ? waiting : REASONS.driverNotInstalled(driverName, storageClass.metadata.name ?? '')
    return waitingLink(object, state, reason)
  }
}

// They name an object that exists, and lacks something.
const THERE: ReadonlySet<WhyCode> = new Set<WhyCode>([
  'NoTopologyKeys',
  'TopologyLabelMissing',
  'SourceClaimNotBound',
  'SourceVolumeNotBound',
  'VolumeNameTaken',
  'VolumeLeaving',
])
const isThere = ({ code }: WhyReason): boolean => THERE.has(code)

async function viewOf({ claim, storageClass, volumes, reader }: ProvisionQuestion): Promise<ProvisionView> {
  const driverName = storageClass.provisioner
  const [nodes = [], csiNodes = []] = [await reader.list(NODES), await reader.list(CSI_NODES)]
  const source = await findSourceClaim(claim, reader)
  const { uid = '' } = claim.metadata
  return readProvisionView(
    {
      driverName,
      findClaimByUid: () => claim,
      findClass: () => storageClass,
      findClaim: () => source,
      // A provisioner may give its volumes another prefix than `pvc`.
      findVolume: (name) =>
        volumes.find(
          ({ metadata, spec }) => metadata.name === name || (name === `pvc-${uid}` && spec.claimRef?.uid === uid),
        ),
      grants: () => [],
      // Any node will do for the keys. The first one makes the answer the same each time.
      cluster: readClusterTopology({
        driverName,
        nodes: byName(nodes),
        csiNodes: byName(csiNodes),
        onlyRegistered: false,
        below: () => 0,
      }),
    },
    uid,
  )
}

const byName = <T extends KubeObject>(objects: readonly T[]) => ({
  get: (name: string) => objects.find(({ metadata }) => metadata.name === name),
  all: () => objects,
})

async function findSourceClaim(
  claim: PersistentVolumeClaim,
  reader: ClusterReader,
): Promise<PersistentVolumeClaim | undefined> {
  const source = claim.spec.dataSource ?? claim.spec.dataSourceRef
  if (source?.kind !== 'PersistentVolumeClaim') return undefined
  const found = await reader.get(PERSISTENT_VOLUME_CLAIMS, {
    namespace: claim.metadata.namespace ?? '',
    name: source.name,
  })
  return found.kind === 'found' ? found.object : undefined
}

/** Undefined: it may not be read, and without it nothing can be decided. */
async function readWanted({ kind, ref }: Wanted, reader: ClusterReader): Promise<ReadObjects | undefined> {
  switch (kind) {
    case 'claim':
      return orNull(await reader.get(PERSISTENT_VOLUME_CLAIMS, ref), (found) => ({ claim: found }))
    case 'volume':
      return orNull(await reader.get(PERSISTENT_VOLUMES, ref), (found) => ({ volume: found }))
    case 'secret': {
      const found = await reader.get(SECRETS, ref)
      // A secret that may not be read counts as present, so that everything else is explained.
      if (found.kind === 'found') return { secret: decodeSecret(found.object) }
      return { secret: found.kind === 'absent' ? { kind: 'missing' } : { kind: 'read', values: {} } }
    }
    case 'snapshot':
      return orNull(await reader.get(VOLUME_SNAPSHOTS, ref), (snapshot) => ({ snapshot }))
    case 'snapshotContent':
      return orNull(await reader.get(VOLUME_SNAPSHOT_CONTENTS, ref), (snapshotContent) => ({ snapshotContent }))
    case 'attributesClass':
      return orNull(await reader.get(VOLUME_ATTRIBUTES_CLASSES, ref), (attributesClass) => ({ attributesClass }))
  }
}

const orNull = <T extends KubeObject>(
  reading: Reading<T>,
  put: (object: T | null) => ReadObjects,
): ReadObjects | undefined =>
  reading.kind === 'unseen' ? undefined : put(reading.kind === 'found' ? reading.object : null)

const KIND_NAMES: Readonly<Record<Wanted['kind'], string>> = {
  claim: 'PersistentVolumeClaim',
  volume: 'PersistentVolume',
  secret: 'Secret',
  snapshot: 'VolumeSnapshot',
  snapshotContent: 'VolumeSnapshotContent',
  attributesClass: 'VolumeAttributesClass',
}

const idOfWanted = ({ kind, ref }: Wanted) => idOfAwaited({ kindName: KIND_NAMES[kind], ...ref })
