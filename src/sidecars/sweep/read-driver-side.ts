import { ControllerCapability } from '../../csi/index.ts'
import type { Driver } from '../../csi/index.ts'
import type { DriverFacts } from '../discover-driver.ts'
import { readPages } from '../read-pages.ts'

/** What the driver has. */
export type DriverSide = {
  /** Undefined if the driver cannot list volumes. */
  readonly volumes?: ReadonlyMap<string, { readonly sizeBytes: number; readonly nodeIds: readonly string[] }>
  /** Whether the driver lists the nodes of a volume. */
  readonly listsNodes: boolean
  /** Undefined if the driver cannot list snapshots. */
  readonly snapshots?: ReadonlyMap<string, { readonly sizeBytes: number }>
}

/** Lists the driver's volumes and snapshots, as far as it can list them. */
export async function readDriverSide(
  driver: Driver,
  { controller }: Pick<DriverFacts, 'controller'>,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<DriverSide> {
  const volumes = new Map<string, { sizeBytes: number; nodeIds: readonly string[] }>()
  const snapshots = new Map<string, { sizeBytes: number }>()
  const [listsVolumes, listsSnapshots] = [
    controller.has(ControllerCapability.LIST_VOLUMES),
    controller.has(ControllerCapability.LIST_SNAPSHOTS),
  ]
  if (listsVolumes)
    await readPages(
      'ListVolumes',
      (startingToken) => driver.listVolumes({ startingToken }, options),
      ({ entries }) => {
        for (const { volume, status } of entries)
          if (volume)
            volumes.set(volume.volumeId, {
              sizeBytes: Number(volume.capacityBytes),
              nodeIds: status?.publishedNodeIds ?? [],
            })
      },
    )
  if (listsSnapshots)
    await readPages(
      'ListSnapshots',
      (startingToken) => driver.listSnapshots({ startingToken }, options),
      ({ entries }) => {
        for (const { snapshot } of entries)
          if (snapshot) snapshots.set(snapshot.snapshotId, { sizeBytes: Number(snapshot.sizeBytes) })
      },
    )
  return {
    ...(listsVolumes ? { volumes } : {}),
    ...(listsSnapshots ? { snapshots } : {}),
    listsNodes: controller.has(ControllerCapability.LIST_VOLUMES_PUBLISHED_NODES),
  }
}
