export { createSystemClock, repeat, sleep } from './clock.ts'
export type { Clock, Timer } from './clock.ts'
export { createSimulatedClock } from './simulated-clock.ts'
export type { SimulatedClock } from './simulated-clock.ts'
export { createSeededRandom, createSystemRandom, createUuid } from './random.ts'
export type { Random } from './random.ts'
export { createLogger, createSilentLogger } from './logger.ts'
export type { LogFields, Logger, LoggerOptions, LogLevel } from './logger.ts'
export { backoffDelayMs } from './backoff.ts'
export type { BackoffOptions } from './backoff.ts'
export { createSimulatedHost, createSystemHost, HostError, isHostError } from './host/index.ts'
export {
  copyTree,
  makeDirectories,
  readFileIfPresent,
  removeFileIfPresent,
  removeTree,
  replaceFileDurably,
} from './host/index.ts'
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
  MakeDirectoriesOptions,
  MountEntry,
  MountFilter,
  ProcessResult,
  RemoveTreeParts,
  ReplaceFileOptions,
  RunOptions,
  SimulatedHost,
  SimulatedHostOptions,
} from './host/index.ts'
