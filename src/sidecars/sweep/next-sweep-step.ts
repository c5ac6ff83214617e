import { findAnnotation, ATTACHED_HANDLE } from '../../storage/names.ts'
import { uniqueVolumeName } from '../../storage/unique-volume-name.ts'
import type { DriverSide } from './read-driver-side.ts'
import { handleOf, inLineHandles, ownVolumes } from './find-volume-leaks.ts'
import { fingerprint } from './journal.ts'
import type { SweepJournal } from './journal.ts'
import type { ClusterSide } from './read-cluster-side.ts'

/** Everything that decides whether a volume may be deleted, read immediately before. */
export type SweepView = {
  readonly handle: string
  readonly driver: DriverSide
  readonly cluster: ClusterSide
  readonly journal: SweepJournal
  readonly nowMs: number
  readonly graceMs: number
}

export type SweepStep = { readonly kind: 'keep'; readonly because: string } | { readonly kind: 'delete' }

/** Deletes only what is proved to be of this cluster, has long been without an owner, and is used by nobody. */
export function nextSweepStep({ handle, driver, cluster, journal, nowMs, graceMs }: SweepView): SweepStep {
  const listed = driver.volumes?.get(handle)
  if (!listed) return keep('the driver does not list it')
  const pvName = journal.own.get(fingerprint(handle))
  if (pvName === undefined) return keep('nothing proves that it was created for this cluster')
  const orphan = journal.orphans.get(handle)
  if (!orphan) return keep('it has not been noticed before')
  if (ownVolumes(cluster).some((volume) => handleOf(volume) === handle)) return keep('a PersistentVolume names it')
  if (inLineHandles(cluster).includes(handle)) return keep('a pod has it as an inline volume')
  if (cluster.claims.some(({ spec }) => spec.volumeName && fingerprint(spec.volumeName) === pvName))
    return keep('a claim still refers to its PersistentVolume')
  if (
    !driver.listsNodes &&
    cluster.attachments.some(
      ({ spec }) => spec.attacher === cluster.driverName && isUnclear(spec.source.persistentVolumeName, cluster),
    )
  )
    return keep('a VolumeAttachment has lost its PersistentVolume')
  if (
    cluster.attachments.some(
      (each) =>
        findAnnotation(each, ATTACHED_HANDLE) === handle || namesVolume(each.spec.source.persistentVolumeName, pvName),
    )
  )
    return keep('a VolumeAttachment refers to it')
  if (listed.nodeIds.length > 0) return keep(`it is attached to ${listed.nodeIds.join(', ')}`)
  const uniqueName = uniqueVolumeName(cluster.driverName, handle)
  const user = cluster.nodes.find(
    ({ status }) =>
      status?.volumesInUse?.includes(uniqueName) || status?.volumesAttached?.some(({ name }) => name === uniqueName),
  )
  if (user) return keep(`node ${user.metadata.name} reports it in use`)
  const leftMs = orphan.sinceMs + graceMs - nowMs
  if (leftMs > 0) return keep(`the grace period ends in ${Math.ceil(leftMs / 1000)} s`)
  return { kind: 'delete' }
}

const keep = (because: string): SweepStep => ({ kind: 'keep', because })

const namesVolume = (name: string | undefined, fingerprinted: string): boolean =>
  name !== undefined && fingerprint(name) === fingerprinted

const isUnclear = (name: string | undefined, { volumes }: ClusterSide): boolean =>
  name !== undefined && !volumes.some(({ metadata }) => metadata.name === name)
