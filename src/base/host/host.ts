/** The machine below the program: files, mounts, loop devices, other programs. */
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
  /** Bytes really taken on disk; less than the size for a file with holes. */
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
   * Creates or replaces the content. `exclusive`: fails with EEXIST when the name is taken. A new file gets exactly `mode`
   * (default 0o600), whatever the umask; an existing one keeps its own.
   */
  writeFile(path: string, data: Uint8Array, options?: { mode?: number; exclusive?: boolean }): Promise<void>
  /** Sets the length; new bytes are a hole. Creates the file (mode 0o600) when it is missing. */
  truncate(path: string, sizeBytes: bigint): Promise<void>
  /** Copies data, mode and owner; holes stay holes. Shares blocks where the file system can. Fails with EEXIST. */
  copyFile(from: string, to: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** Fails with EEXIST, and with ENOENT when the parent is missing. Exactly `mode` (default 0o750), whatever the umask. */
  makeDirectory(path: string, mode?: number): Promise<void>
  removeFile(path: string): Promise<void>
  /** Only an empty one. */
  removeDirectory(path: string): Promise<void>
  /** Sorted by name. */
  list(path: string): Promise<{ name: string; kind: FileKind }[]>
  /** For a directory that may be too large for `list`. */
  openDirectory(path: string): Promise<OpenDirectory>
  /** Of the name itself, links not followed; undefined when there is nothing. */
  findStat(path: string): Promise<FileStat | undefined>
  makeSymlink(target: string, path: string): Promise<void>
  readSymlink(path: string): Promise<string>
  /** The path with every link resolved. */
  resolve(path: string): Promise<string>
  /** Follows a link at the end. */
  setMode(path: string, mode: number): Promise<void>
  /** Of the name itself, links not followed. */
  setOwner(path: string, uid: number, gid: number): Promise<void>
  /** Makes a file's data, or a directory's names, durable. */
  sync(path: string): Promise<void>
  usage(path: string): Promise<FileSystemUsage>
  /**
   * Calls back when names of this directory, not of those below it, may have changed. Only a hint: many changes can become one call, and
   * some may be lost, so list the directory first, and again from time to time.
   */
  watch(path: string, onHint: () => void): Promise<DirectoryWatch>
}

/** The names of a directory in no order, a few at a time. */
export interface OpenDirectory extends AsyncDisposable {
  /** Some more names; none at the end. */
  read(): Promise<string[]>
}

/** Ended by `close`, or by itself when the machine fails to watch on. That the directory itself has gone is one more hint. */
export type DirectoryWatch = { isOpen(): boolean; close(): void }

export type MountEntry = {
  /** Where it is mounted. */
  target: string
  /** The directory or file of its file system that is mounted: what was bound. Ends in `//deleted` once that is removed. */
  root: string
  fsType: string
  /** The device, or what the file system calls its source. */
  source: string
  readOnly: boolean
}

/** Which mounts are wanted: those at a target, or those that show a root. A path is as the table has it, with no link in it. */
export type MountFilter = { readonly target: string } | { readonly root: string }

export interface HostMounts {
  /** May this process mount at all? */
  available(): Promise<boolean>
  /**
   * All mounts, or those that match, in mount order: the last one of a target is the one that is seen. The answer is as the machine was
   * at some time after the call. To ask for one path is a good deal cheaper than to look for it in all.
   */
  list(filter?: MountFilter): Promise<MountEntry[]>
  /** Both paths exist, both directories or neither (else ENOTDIR). A read-only bind leaves nothing behind when its second step fails. */
  bind(source: string, target: string, options: { readOnly: boolean }): Promise<void>
  /** Takes the topmost mount off. Fails with EINVAL when nothing is mounted there and with EBUSY when it is in use. */
  unmount(target: string): Promise<void>
}

/** The backing file's path ends in ` (deleted)` once the file is removed. */
export type LoopDevice = { device: string; backingFile: string; readOnly: boolean }

/** Files made into block devices. */
export interface LoopDevices {
  available(): Promise<boolean>
  list(): Promise<LoopDevice[]>
  /** The path of the new device. */
  attach(backingFile: string, options: { readOnly: boolean }): Promise<string>
  /** Fails with ENXIO when the device has no file. One in use goes once its last user has closed it. */
  detach(device: string): Promise<void>
  /** Tells the device that its file has grown. */
  refreshSize(device: string): Promise<void>
}

export interface HostProcesses {
  /** Runs a program to its end. A non-zero exit is a result, not an error; a program that can't be started is a HostError. */
  run(command: string, args: readonly string[], options?: RunOptions): Promise<ProcessResult>
}

export type RunOptions = {
  /** Kills the program; `run` then rejects with the signal's reason at once. */
  signal?: AbortSignal
  /** Added to PATH and LC_ALL=C, which is all a program sees of our own environment. */
  env?: Record<string, string>
  /** Default: nothing to read. */
  input?: string
}

/** Each output is cut after 1 MiB. A program killed by a signal exits with 128 plus its number, as in a shell. */
export type ProcessResult = { exitCode: number; stdout: string; stderr: string }

/**
 * What went wrong on the machine: `code` is the errno name, such as ENOENT, ENOSPC or EBUSY; `operation` the method's name;
 * `path` the one that the step would read or change (of a rename or copy, the new one).
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
