/** The machine that the program runs on: files, mounts, loop devices, other programs. */
export interface Host {
  readonly files: HostFiles
  readonly mounts: HostMounts
  readonly loops: LoopDevices
  readonly processes: HostProcesses
}

export type FileKind = 'file' | 'directory' | 'symlink' | 'socket' | 'block-device' | 'other'

export type FileStat = {
  kind: FileKind
  sizeBytes: bigint
  /** Bytes allocated on disk; less than the size for a sparse file. */
  allocatedBytes: bigint
  /** Permission bits only (with set-id and sticky), for example 0o750. */
  mode: number
  uid: number
  gid: number
  /** Differs between a mount point and its parent directory, except for bind mounts within one file system. */
  deviceId: bigint
  inode: bigint
  modifiedMs: number
}

export type FileSystemUsage = {
  totalBytes: bigint
  availableBytes: bigint
  usedBytes: bigint
  totalInodes: bigint
  freeInodes: bigint
}

/**
 * Single steps on the file system. Paths are absolute. No step is durable until `sync` of the file (its data) and of
 * its directory (its name) has returned; `durable-files.ts` puts the steps together. Failures are `HostError`s.
 */
export interface HostFiles {
  readFile(path: string): Promise<Uint8Array>
  /** At most `length` bytes; fewer at the end of the file. */
  readRange(path: string, offset: bigint, length: number): Promise<Uint8Array>
  /**
   * Creates the file or replaces its content. `exclusive`: fails with EEXIST if the name is taken. A new file gets exactly `mode` (default 0o600),
   * regardless of the umask; an existing one keeps its mode.
   */
  writeFile(path: string, data: Uint8Array, options?: { mode?: number; exclusive?: boolean }): Promise<void>
  /** Sets the length; added bytes are a hole. Creates the file (mode 0o600) if it is missing. */
  truncate(path: string, sizeBytes: bigint): Promise<void>
  /** Copies data, mode and owner; holes stay holes. Shares blocks if the file system supports it. Fails with EEXIST. */
  copyFile(from: string, to: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** Fails with EEXIST, and with ENOENT if the parent is missing. The mode is exactly `mode` (default 0o750), regardless of the umask. */
  makeDirectory(path: string, mode?: number): Promise<void>
  removeFile(path: string): Promise<void>
  /** Fails if the directory is not empty. */
  removeDirectory(path: string): Promise<void>
  /** Sorted by name. */
  list(path: string): Promise<{ name: string; kind: FileKind }[]>
  /** For a directory that may be too large for `list`. */
  openDirectory(path: string): Promise<OpenDirectory>
  /** Does not follow a link; undefined if nothing is there. */
  findStat(path: string): Promise<FileStat | undefined>
  makeSymlink(target: string, path: string): Promise<void>
  readSymlink(path: string): Promise<string>
  /** The path with every link resolved. */
  resolve(path: string): Promise<string>
  /** Follows a link at the end. */
  setMode(path: string, mode: number): Promise<void>
  /** Does not follow a link. */
  setOwner(path: string, uid: number, gid: number): Promise<void>
  /** Makes a file's data, or a directory's names, durable. */
  sync(path: string): Promise<void>
  usage(path: string): Promise<FileSystemUsage>
  /**
   * Calls back when entries of this directory, but not of its subdirectories, may have changed. Only a hint: many changes can result in one call, and
   * some may be lost, so list the directory first, and again from time to time.
   */
  watch(path: string, onHint: () => void): Promise<DirectoryWatch>
}

/** Reads the names of a directory in batches, in no particular order. */
export interface OpenDirectory extends AsyncDisposable {
  /** The next names; an empty list at the end. */
  read(): Promise<string[]>
}

/** Closed by `close`, or when the machine can no longer watch. Removal of the directory itself gives one more hint. */
export type DirectoryWatch = { isOpen(): boolean; close(): void }

export type MountEntry = {
  /** Mount point. */
  target: string
  /** The directory or file in its file system that is mounted, for example by a bind. Ends in `//deleted` once it is removed. */
  root: string
  fsType: string
  /** The device, or the source as the file system names it. */
  source: string
  readOnly: boolean
}

/** Selects mounts at a target, or mounts of a root. Paths are written as in the mount table, without links. */
export type MountFilter = { readonly target: string } | { readonly root: string }

export interface HostMounts {
  /** Whether this process is allowed to mount. */
  available(): Promise<boolean>
  /**
   * All mounts, or those that match, in mount order: the last mount of a target is the visible one. The result is not older than the call. Filtering
   * by one path is much cheaper than searching in the complete list.
   */
  list(filter?: MountFilter): Promise<MountEntry[]>
  /**
   * Both paths must exist, as two directories or two other files (otherwise ENOTDIR). If the second step of a read-only bind fails, the bind is
   * undone.
   */
  bind(source: string, target: string, options: { readOnly: boolean }): Promise<void>
  /** Removes the topmost mount. Fails with EINVAL if nothing is mounted there and with EBUSY if it is in use. */
  unmount(target: string): Promise<void>
}

/** The backing file's path ends in ` (deleted)` once the file is removed. */
export type LoopDevice = { device: string; backingFile: string; readOnly: boolean }

/** Files as block devices. */
export interface LoopDevices {
  available(): Promise<boolean>
  list(): Promise<LoopDevice[]>
  /** The path of the new device. */
  attach(backingFile: string, options: { readOnly: boolean }): Promise<string>
  /** Fails with ENXIO if the device has no file. A device in use is detached when its last user closes it. */
  detach(device: string): Promise<void>
  /** Makes the device notice that its file has grown. */
  refreshSize(device: string): Promise<void>
}

export interface HostProcesses {
  /** Runs a program until it exits. A non-zero exit code is a result, not an error; failing to start the program is a HostError. */
  run(command: string, args: readonly string[], options?: RunOptions): Promise<ProcessResult>
}

export type RunOptions = {
  /** Kills the program; `run` then rejects with the signal's reason at once. */
  signal?: AbortSignal
  /** Added to PATH and LC_ALL=C, the only variables that a program gets. */
  env?: Record<string, string>
  /** Default: empty input. */
  input?: string
}

/** Each output is truncated to 1 MiB. A program killed by a signal has exit code 128 plus the signal number, as in a shell. */
export type ProcessResult = { exitCode: number; stdout: string; stderr: string }

/**
 * A failed step on the machine. `code` is the errno name, such as ENOENT, ENOSPC or EBUSY; `operation` is the method's name; `path` is the path that
 * the step would have read or changed (for a rename or copy, the new one).
 */
export class HostError extends Error {
  readonly code: string
  readonly operation: string
  readonly path: string

  constructor(code: string, operation: string, path: string, options?: { detail?: string; cause?: unknown }) {
    super(
      `${operation} ${path}: ${options?.detail ?? code}`,
      options?.cause === undefined ? {} : { cause: options.cause },
    )
    this.name = 'HostError'
    this.code = code
    this.operation = operation
    this.path = path
  }
}

/** True for a HostError with one of these codes. */
export function isHostError(error: unknown, ...codes: string[]): error is HostError {
  return error instanceof HostError && codes.includes(error.code)
}
