/** Where the server keeps its state. Nothing is lost once `commit` has returned. */
export interface Backend {
  /** Reads everything. Refuses, with a clear message and without touching anything, what it can't understand. */
  load(): Promise<LoadedState>
  /**
   * Makes changes durable, all or none, in order. Called again only when the call before has ended. A failure (a full
   * disk, a `StorageFullError`) leaves the state as it was, and later calls may succeed.
   */
  commit(changes: readonly BackendChange[]): Promise<void>
  /** True when the disk had no room for a commit. What needs more room is then not even tried. Left out: never. */
  isFull?(): boolean
  /** Looks whether there is room again, and resolves with what `isFull` says from then on. */
  checkRoom?(): Promise<boolean>
  /**
   * Waited for before a group of changes is closed. A commit takes long compared with what sets off the next writes, so a client that reacts at once
   * to the last one should be in the next, and not wait for the one after. Left out: groups are closed at once.
   */
  gather?(): Promise<void>
  /**
   * Gives a bounded part of what deleted objects have taken back to the disk. A commit never waits for more than one call. Resolves
   * with true when it is worth calling again. Left out: there is nothing to give back.
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
  /** The change needs more room than the object had before. A reserve is kept for those that don't. */
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
  /** The highest revision ever handed out; a new one must be above it. */
  readonly revision: number
  readonly objects: Iterable<{
    readonly storage: string
    readonly key: string
    readonly revision: number
    readonly json: string
  }>
  /** The last revision that changed anything of a storage, removals included: a watch that saw it has missed nothing. */
  readonly lastRevisions: ReadonlyMap<string, number>
}

/** Stands in `lastRevisions` for every storage that has no entry of its own. */
export const ALL_STORAGES = ''
