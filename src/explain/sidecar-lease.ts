import { LEASES } from '../api/kinds/lease.ts'
import { leaseName } from '../api/lease-name.ts'
import { keyOf } from '../api/object-key.ts'
import { findTimestamp, formatTimestamp } from '../api/timestamps.ts'
import { SIDECAR_LEASES } from '../storage/sidecar-leases.ts'
import type { SidecarName } from '../storage/sidecar-leases.ts'
import type { ClusterReader } from './cluster-reader.ts'
import { findDriverProblem } from './driver-state.ts'
import type { Link } from './explanation.ts'
import { changeCauses, waitingLink } from './links.ts'
import { SCOPE_REASONS } from './scope-reasons.ts'
import type { WhyCode, WhyReason } from './why-reason.ts'

/** The lease of the replicas of one sidecar. */
export type SidecarLease = {
  /** `NAMESPACE/NAME`. */
  readonly key: string
  readonly holder: string
  readonly renewedMs: number
  readonly expiresMs: number
}

/** Undefined if the sidecar elects no leader, or if its lease may not be read. */
export async function findSidecarLease(
  sidecar: SidecarName,
  driver: string,
  reader: ClusterReader,
): Promise<SidecarLease | undefined> {
  const found = await reader.findNamed(LEASES, leaseName(SIDECAR_LEASES[sidecar](driver)))
  const leases = found.flatMap((lease) => {
    const { holderIdentity: holder = '', renewTime, leaseDurationSeconds = 0 } = lease.spec ?? {}
    const renewedMs = findTimestamp(renewTime)
    if (renewedMs === undefined || !holder) return []
    return [{ key: keyOf(lease), holder, renewedMs, expiresMs: renewedMs + (leaseDurationSeconds ?? 0) * 1000 }]
  })
  return leases.sort((one, other) => other.renewedMs - one.renewedMs)[0]
}

/** A link for each sidecar of the driver whose lease has expired. */
export async function explainSidecars(driver: string, reader: ClusterReader): Promise<Link[]> {
  const links: Link[] = []
  for (const sidecar of Object.keys(SIDECAR_LEASES) as SidecarName[]) {
    const lease = await findSidecarLease(sidecar, driver, reader)
    if (!lease || !hasExpired(lease, reader)) continue
    const [namespace = '', name = ''] = lease.key.split('/')
    const reason = SCOPE_REASONS.sidecarNotRunning(driver, sidecar, lease.key, formatTimestamp(lease.expiresMs))
    links.push(waitingLink({ kind: 'Lease', namespace, name }, 'expired', reason, { title: `its ${sidecar}` }))
  }
  return links
}

const hasExpired = ({ expiresMs }: SidecarLease, { nowMs }: ClusterReader): boolean =>
  nowMs !== undefined && expiresMs < nowMs

// Who has to act, if nothing else is in the way.
const ACTORS: Partial<Readonly<Record<WhyCode, SidecarName>>> = {
  AwaitingAttach: 'attacher',
  AttacherBusy: 'attacher',
  AwaitingDetach: 'attacher',
  AwaitingDeletion: 'provisioner',
  ExternalProvisioning: 'provisioner',
  ExternalExpanding: 'resizer',
  AwaitingModify: 'resizer',
  AwaitingSnapshotDeletion: 'snapshotter',
  AwaitingSnapshotter: 'snapshotter',
  AwaitingGroupSnapshot: 'snapshotter',
}

// Whose call has failed. If the driver has gone since, that comes first.
const FAILING: Partial<Readonly<Record<WhyCode, SidecarName>>> = {
  AttachFailed: 'attacher',
  AttachTimedOut: 'attacher',
  DeleteFailed: 'provisioner',
  DetachFailed: 'attacher',
  DetachTimedOut: 'attacher',
  ProvisioningFailed: 'provisioner',
}

type Actor = { readonly sidecar: SidecarName; readonly driver: string }

/** The sidecar that a cause is waiting for, and its driver. */
export const findActor = (reason: WhyReason): Actor | undefined => actorOf(ACTORS[reason.code], reason)
const findFailing = (reason: WhyReason): Actor | undefined => actorOf(FAILING[reason.code], reason)

function actorOf(sidecar: SidecarName | undefined, { detail, waitsFor }: WhyReason): Actor | undefined {
  // The provisioner's name is that of its driver.
  const driver =
    detail?.['driver'] ?? (waitsFor?.kind === 'actor' ? /^provisioner (\S+)$/.exec(waitsFor.name)?.[1] : undefined)
  return sidecar && driver !== undefined ? { sidecar, driver } : undefined
}

/** The same chain; where it is waiting for a sidecar, the lease says whether that is running, and its events what is wrong with the driver. */
export const withSidecarState = (chain: Link, reader: ClusterReader): Promise<Link> =>
  changeCauses(chain, async (reason) => {
    const actor = findActor(reason) ?? findFailing(reason)
    if (!actor) return reason
    const lease = reader.nowMs === undefined ? undefined : await findSidecarLease(actor.sidecar, actor.driver, reader)
    const hasEnded = lease !== undefined && hasExpired(lease, reader)
    const problem = hasEnded
      ? undefined
      : await findDriverProblem(actor.driver, reader, { sidecar: actor.sidecar, holder: lease?.holder })
    if (!problem) return lease && findActor(reason) ? describeActor(reason, actor, lease, hasEnded) : reason
    const waitsFor = reason.waitsFor ?? {
      kind: 'actor',
      name: actor.sidecar === 'provisioner' ? `provisioner ${actor.driver}` : `the ${actor.sidecar} of ${actor.driver}`,
    }
    return { ...SCOPE_REASONS.driverProblem(actor.driver, problem.reason, problem.message), waitsFor }
  })

function describeActor(reason: WhyReason, actor: Actor, lease: SidecarLease, hasEnded: boolean): WhyReason {
  // It is running, and its cure says more.
  if (reason.code === 'AttacherBusy' && !hasEnded) return reason
  const [namespace = ''] = lease.key.split('/')
  const cure = hasEnded
    ? `No ${actor.sidecar} of driver ${actor.driver} is running: Lease ${lease.key}, last held by ${lease.holder}, expired at ${formatTimestamp(lease.expiresMs)}. Start the controller of the driver in namespace ${namespace}.`
    : `The ${actor.sidecar} is running as ${lease.holder} in namespace ${namespace}: if this persists, check its log.`
  return { ...reason, cure }
}
