import type { VolumeSnapshotClass, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import type { SecretRead } from '../../storage/read-secret.ts'

/** All that is known about one VolumeSnapshotContent. */
export type ContentView = {
  readonly seen: {
    readonly content: VolumeSnapshotContent
    /** The class that the content names. */
    readonly snapshotClass?: VolumeSnapshotClass
  }
  /** Undefined when asked from outside. */
  readonly held?: ContentHeld
}

export type ContentHeld = {
  readonly nowMs: number
  /** The driver lists snapshots. One that does not is taken at its word that they are ready. */
  readonly canList: boolean
  readonly names: NameRules
  /** Snapshot, namespace and content are passed to the driver as parameters. */
  readonly passesMetadata: boolean
  /** Of this pass. Undefined until it was read. */
  readonly secret?: SecretRead
  readonly memory?: ContentMemory
}

/** How the driver is to call a snapshot. */
export type NameRules = { readonly prefix: string; readonly uuidLength: number }

export type ContentMemory =
  | {
      readonly kind: 'failed'
      readonly call: 'create' | 'check' | 'delete'
      /** `in-doubt`: the call may still be running. */
      readonly outcome: 'in-doubt' | 'final'
      readonly message: string
      readonly count: number
      readonly retryAtMs: number
    }
  /** The driver has answered, and the content does not say so yet. */
  | { readonly kind: 'answered'; readonly answer: SnapshotAnswer; readonly polls: number }
  /** The driver has the snapshot, and it is not ready: asked again at that time. */
  | { readonly kind: 'polling'; readonly count: number; readonly retryAtMs: number }
  /** The driver has deleted the snapshot, and the content still has its finalizer. */
  | { readonly kind: 'deleted' }

export type SnapshotAnswer = {
  readonly snapshotHandle: string
  /** Nanoseconds since 1970. */
  readonly creationTimeNs: bigint
  readonly sizeBytes: bigint
  readonly isReady: boolean
  readonly groupHandle?: string
}

/** The content and its class, if they concern this driver. */
export function readContentView(
  content: VolumeSnapshotContent | undefined,
  findClass: (name: string) => VolumeSnapshotClass | undefined,
  driver: string,
): ContentView['seen'] | undefined {
  if (!content || content.spec.driver !== driver) return undefined
  const snapshotClass = findClass(content.spec.volumeSnapshotClassName ?? '')
  return { content, ...(snapshotClass ? { snapshotClass } : {}) }
}
