export { findMountUsers, formatMountUser } from './find-mount-users.ts'
export type { MountUser } from './find-mount-users.ts'
export { HostError, isHostError } from './host.ts'
export type {
  DirectoryWatch,
  FileKind,
  FileStat,
  FileSystemUsage,
  Host,
  HostFiles,
  HostMounts,
  HostProcesses,
  LoopDevice,
  LoopDevices,
  MountEntry,
  MountFilter,
  OpenDirectory,
  ProcessResult,
  RunOptions,
} from './host.ts'
export { createSystemHost } from './system-host.ts'
export { hostThrough } from './host-through.ts'
export { createSimulatedHost } from './simulated-host.ts'
export type { SimulatedHost, SimulatedHostOptions } from './simulated-host.ts'
export type { StepHook, StepHooks } from './simulated-step.ts'
export type { TreeEntry } from './simulated-tree.ts'
export {
  copyTree,
  directoriesAbove,
  ifPresent,
  isTemporaryName,
  makeDirectories,
  readFileIfPresent,
  removeFileIfPresent,
  removeTree,
  replaceFileDurably,
  syncAll,
} from './durable-files.ts'
export type { MakeDirectoriesOptions, RemoveTreeParts, ReplaceFileOptions } from './durable-files.ts'
