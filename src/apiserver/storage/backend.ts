/** Stores the state of the server. Nothing is lost once `commit` has returned. */
export interface Backend {
  /** Reads everything. Rejects an unknown or damaged state with a clear message, and without changing anything. */
  load(): Promise<LoadedState>
  /**
   * Makes changes durable, all or none, in order. Called again only when the previous call has ended. A failure (a full disk, a `StorageFullError`)
   * leaves the state unchanged, and later calls may succeed.
   */
  commit(changes: readonly BackendChange[]): Promise<void>
  /** True if the disk had no room for a commit. Changes that need more room are then not even tried. Default: never. */
  isFull?(): boolean
  /** Checks whether there is room again, and resolves with the new `isFull`. */
  checkRoom?(): Promise<boolean>
  /**
   * Awaited before a group of changes is closed. A commit takes long compared to the reaction of a client, so a client that reacts immediately to the
   * last commit should be in the next one, and not wait for the one after. Default: groups are closed immediately.
   */
  gather?(): Promise<void>
  /**
   * Returns a bounded part of the space of deleted objects to the disk. A commit never waits for more than one call. Resolves with true if it is
   * worth calling again. Absent if there is nothing to return.
   */
  compact?(): Promise<boolean>
  close(): Promise<void>
}

export type BackendChange = {
  readonly revision: number
  readonly storage: string
  readonly key: string
  /** The object as JSON text; undefined removes it. */
  readonly json: string | undefined
  /** Whether the change needs more room than the object had before. A reserve is kept for changes that do not. */
  readonly grows?: boolean
}

/** There is no room for a change. */
export class StorageFullError extends Error {
  constructor() {
    super(
      'no space left on device: the disk of the API server is full. Delete objects or free disk space. Until then, only deletions and changes that do not enlarge an object are accepted',
    )
    this.name = 'StorageFullError'
  }
}

export type LoadedState = {
  /** The highest revision ever assigned; a new one must be above it. */
  readonly revision: number
  readonly objects: Iterable<{
    readonly storage: string
    readonly key: string
    readonly revision: number
    readonly json: string
  }>
  /** The last revision that changed anything in a storage, including removals: a watch that saw it has missed nothing. */
  readonly lastRevisions: ReadonlyMap<string, number>
}

/** The value of `lastRevisions` for every storage without an entry. */
export const ALL_STORAGES = ''
