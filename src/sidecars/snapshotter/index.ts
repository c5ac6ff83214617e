export { startSnapshotter } from './start-snapshotter.ts'
export { checkSnapshotterConfig, snapshotterOptions } from './snapshotter-options.ts'
export type { SnapshotterConfig } from './snapshotter-options.ts'
export { SNAPSHOTTER_RIGHTS } from './rights.ts'
