import { CSI_DRIVERS } from '../api/kinds/csi-driver.ts'
import { CSI_NODES } from '../api/kinds/csi-node.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import { STORAGE_CLASSES } from '../api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../api/kinds/volume-attachment.ts'
import { VOLUME_SNAPSHOT_CLASSES } from '../api/kinds/volume-snapshot.ts'
import type { KubeObject } from '../api/object.ts'
import { classNameOf } from '../storage/names.ts'
import type { ClusterReader } from './cluster-reader.ts'
import { findDriverProblem } from './driver-state.ts'
import { explainRegistration } from './explain-registration.ts'
import type { Link } from './explanation.ts'
import { explainWaiting, findCandidates } from './find-candidates.ts'
import type { Candidates, ExplainObject } from './find-candidates.ts'
import { isDriverKnown } from './is-driver-known.ts'
import { absentLink, blockedLink, readyLink, unseenLink, waitingLink } from './links.ts'
import { SCOPE_REASONS } from './scope-reasons.ts'
import { explainSidecars } from './sidecar-lease.ts'

/** Whether a driver is installed and running, as far as the API shows it, and everything that is waiting for it. */
export async function explainDriver(name: string, reader: ClusterReader, explainObject: ExplainObject): Promise<Link> {
  const object = { kind: 'CSIDriver', name }
  const found = await reader.get(CSI_DRIVERS, { name })
  if (found.kind === 'unseen') return unseenLink(object)
  const isUsed = ((await reader.list(PERSISTENT_VOLUMES)) ?? []).some(({ spec }) => spec.csi?.driver === name)
  if (!(await isDriverKnown(name, reader)))
    return isUsed ? waitingLink(object, 'not installed', SCOPE_REASONS.driverGone(name)) : absentLink(object)
  const csiNodes = (await reader.list(CSI_NODES)) ?? []
  const having = csiNodes.filter(({ spec }) => spec.drivers?.some((each) => each.name === name))
  const state = `registered on ${having.length} of ${csiNodes.length} nodes`
  const links: Link[] = await explainSidecars(name, reader)
  const problem = await findDriverProblem(name, reader)
  if (problem) {
    const reason = SCOPE_REASONS.driverProblem(name, problem.reason, problem.message)
    links.push(waitingLink(object, state, reason, { title: 'the driver itself' }))
  }
  if (csiNodes.length > 0 && having.length === 0)
    links.push(waitingLink(object, state, SCOPE_REASONS.noNodeHasDriver(name), { title: 'a node that has it' }))
  else
    for (const nodeName of await nodesWithItsVolumes(name, reader))
      links.push(await explainRegistration(name, nodeName, reader))
  const waitingFor = await objectsOf(name, await findCandidates(reader), reader)
  links.push(...(await explainWaiting(waitingFor, explainObject, reader)))
  const waiting = links.filter(({ status }) => status === 'waits')
  if (waiting.length > 0) return blockedLink(object, state, waiting)
  const reason = SCOPE_REASONS.nothingWaits(`is ${state}, and nothing is waiting for it`)
  return readyLink(object, state, { reason, dependsOn: links })
}

async function nodesWithItsVolumes(driver: string, reader: ClusterReader): Promise<Set<string>> {
  const attachments = (await reader.list(VOLUME_ATTACHMENTS)) ?? []
  return new Set(attachments.filter(({ spec }) => spec.attacher === driver).map(({ spec }) => spec.nodeName))
}

/** Those of the objects that this driver serves. Pods are waiting for one of the others. */
async function objectsOf(
  driver: string,
  { claims, attachments, volumes, snapshots }: Candidates,
  reader: ClusterReader,
): Promise<KubeObject[]> {
  const classes = namesOf((await reader.list(STORAGE_CLASSES)) ?? [], ({ provisioner }) => provisioner === driver)
  const own = namesOf((await reader.list(PERSISTENT_VOLUMES)) ?? [], ({ spec }) => spec.csi?.driver === driver)
  const snapshotClasses = namesOf(
    (await reader.list(VOLUME_SNAPSHOT_CLASSES)) ?? [],
    (snapshotClass) => snapshotClass.driver === driver,
  )
  return [
    ...claims.filter((claim) =>
      claim.spec.volumeName ? own.has(claim.spec.volumeName) : classes.has(classNameOf(claim)),
    ),
    ...snapshots.filter(({ spec }) => snapshotClasses.has(spec.volumeSnapshotClassName ?? '')),
    ...attachments.filter(({ spec }) => spec.attacher === driver),
    ...volumes.filter(({ spec }) => spec.csi?.driver === driver),
  ]
}

const namesOf = <T extends KubeObject>(objects: readonly T[], isOwn: (object: T) => boolean): ReadonlySet<string> =>
  new Set(objects.filter(isOwn).map(({ metadata }) => metadata.name ?? ''))
