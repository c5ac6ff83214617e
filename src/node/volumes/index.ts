export { startVolumeManager } from './start-volume-manager.ts'
export type { RunningVolumeManager, VolumeParts } from './start-volume-manager.ts'
export { DEFAULT_VOLUMES } from './volume-context.ts'
export type { VolumeConfig } from './volume-context.ts'
