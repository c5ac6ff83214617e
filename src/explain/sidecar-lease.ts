import { LEASES } from '../api/kinds/lease.ts'
import { leaseName } from '../api/lease-name.ts'
import { keyOf } from '../api/object-key.ts'
import { findTimestamp, formatTimestamp } from '../api/timestamps.ts'
import { SIDECAR_LEASES } from '../storage/sidecar-leases.ts'
import type { SidecarName } from '../storage/sidecar-leases.ts'
import type { ClusterReader } from './cluster-reader.ts'
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
  AwaitingDetach: 'attacher',
  AwaitingDeletion: 'provisioner',
  ExternalProvisioning: 'provisioner',
  AwaitingModify: 'resizer',
  AwaitingSnapshotter: 'snapshotter',
  AwaitingGroupSnapshot: 'snapshotter',
}

/** The sidecar that a cause is waiting for, and its driver. */
export function findActor({ code, detail, waitsFor }: WhyReason): { sidecar: SidecarName; driver: string } | undefined {
  const sidecar = ACTORS[code]
  // The provisioner's name is that of its driver.
  const driver =
    detail?.['driver'] ?? (waitsFor?.kind === 'actor' ? /^provisioner (\S+)$/.exec(waitsFor.name)?.[1] : undefined)
  return sidecar && driver !== undefined ? { sidecar, driver } : undefined
}

/** The same chain; where it is waiting for a sidecar, the lease says whether that is running. */
export async function withSidecarState(chain: Link, reader: ClusterReader): Promise<Link> {
  return reader.nowMs === undefined ? chain : changeCauses(chain, (reason) => describeActor(reason, reader))
}

async function describeActor(reason: WhyReason, reader: ClusterReader): Promise<WhyReason> {
  const actor = findActor(reason)
  const lease = actor && (await findSidecarLease(actor.sidecar, actor.driver, reader))
  if (!actor || !lease) return reason
  const [namespace = ''] = lease.key.split('/')
  const cure = hasExpired(lease, reader)
    ? `No ${actor.sidecar} of driver ${actor.driver} is running: Lease ${lease.key}, last held by ${lease.holder}, expired at ${formatTimestamp(lease.expiresMs)}. Start the controller of the driver in namespace ${namespace}.`
    : `The ${actor.sidecar} is running as ${lease.holder} in namespace ${namespace}: if this persists, check its log.`
  return { ...reason, cure }
}
