/** What the driver has. */
export type DriverSide = {
  /** Undefined if the driver cannot list volumes. */
  readonly volumes?: ReadonlyMap<string, { readonly sizeBytes: number; readonly nodeIds: readonly string[] }>
  /** Whether the driver lists the nodes of a volume. */
  readonly listsNodes: boolean
  /** Undefined if the driver cannot list snapshots. */
  readonly snapshots?: ReadonlyMap<string, { readonly sizeBytes: number }>
}

/** What the API objects of the cluster say about this driver. */
export type ClusterSide = {
  /** PersistentVolumes by volume handle. */
  readonly volumes: ReadonlyMap<string, { readonly name: string; readonly isLeaving: boolean }>
  readonly attachments: readonly KnownAttachment[]
  /** VolumeSnapshotContents by snapshot handle. */
  readonly snapshots: ReadonlyMap<string, { readonly name: string; readonly isLeaving: boolean }>
  /** The names of nodes by the ID that the driver gave them. */
  readonly nodes: ReadonlyMap<string, string>
}

export type KnownAttachment = {
  readonly name: string
  readonly volumeHandle: string
  readonly nodeName: string
  readonly isAttached: boolean
  readonly isLeaving: boolean
}

export type LeakKind =
  | 'volume-without-object'
  | 'object-without-volume'
  | 'attached-without-object'
  | 'object-without-attachment'
  | 'snapshot-without-object'
  | 'object-without-snapshot'

export type Leak = {
  readonly kind: LeakKind
  /** Handle of the volume or snapshot. */
  readonly handle: string
  /** The API object, if there is one. */
  readonly object?: string
  /** The node, for attachments. */
  readonly node?: string
  readonly sizeBytes?: number
}

/** Everything that only one side knows. Objects that are being deleted are not compared: either side may be first. */
export function findLeaks(driver: DriverSide, cluster: ClusterSide): Leak[] {
  return [...volumeLeaks(driver, cluster), ...attachmentLeaks(driver, cluster), ...snapshotLeaks(driver, cluster)]
}

function volumeLeaks({ volumes }: DriverSide, cluster: ClusterSide): Leak[] {
  if (!volumes) return []
  return [
    ...[...volumes]
      .filter(([handle]) => !cluster.volumes.has(handle))
      .map(([handle, { sizeBytes }]): Leak => ({ kind: 'volume-without-object', handle, sizeBytes })),
    ...[...cluster.volumes]
      .filter(([handle, { isLeaving }]) => !isLeaving && !volumes.has(handle))
      .map(([handle, { name }]): Leak => ({
        kind: 'object-without-volume',
        handle,
        object: `PersistentVolume/${name}`,
      })),
  ]
}

function attachmentLeaks({ volumes, listsNodes }: DriverSide, { attachments, nodes }: ClusterSide): Leak[] {
  if (!volumes || !listsNodes) return []
  const nodesOf = (handle: string): string[] => (volumes.get(handle)?.nodeIds ?? []).map((id) => nodes.get(id) ?? id)
  const unknown = [...volumes.keys()].flatMap((handle) =>
    nodesOf(handle)
      .filter((node) => !attachments.some((each) => each.volumeHandle === handle && each.nodeName === node))
      .map((node): Leak => ({ kind: 'attached-without-object', handle, node })),
  )
  const unattached = attachments
    .filter(({ isAttached, isLeaving }) => isAttached && !isLeaving)
    .filter(({ volumeHandle, nodeName }) => volumes.has(volumeHandle) && !nodesOf(volumeHandle).includes(nodeName))
    .map(({ name, volumeHandle, nodeName }): Leak => ({
      kind: 'object-without-attachment',
      handle: volumeHandle,
      node: nodeName,
      object: `VolumeAttachment/${name}`,
    }))
  return [...unknown, ...unattached]
}

function snapshotLeaks({ snapshots }: DriverSide, cluster: ClusterSide): Leak[] {
  if (!snapshots) return []
  return [
    ...[...snapshots]
      .filter(([handle]) => !cluster.snapshots.has(handle))
      .map(([handle, { sizeBytes }]): Leak => ({ kind: 'snapshot-without-object', handle, sizeBytes })),
    ...[...cluster.snapshots]
      .filter(([handle, { isLeaving }]) => !isLeaving && !snapshots.has(handle))
      .map(([handle, { name }]): Leak => ({
        kind: 'object-without-snapshot',
        handle,
        object: `VolumeSnapshotContent/${name}`,
      })),
  ]
}

const identityOf = ({ kind, handle, node = '' }: Leak): string => `${kind} ${handle} ${node}`

/** Those that were there both times: everything else was being created or deleted meanwhile. */
export function stillThere(before: readonly Leak[], now: readonly Leak[]): Leak[] {
  const known = new Set(before.map(identityOf))
  return now.filter((leak) => known.has(identityOf(leak)))
}
