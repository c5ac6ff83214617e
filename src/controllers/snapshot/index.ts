export { startSnapshot } from './start-snapshot.ts'
export { snapshotOptions } from './snapshot-options.ts'
export type { SnapshotConfig } from './snapshot-options.ts'
export { SNAPSHOT_CONTROLLER_RIGHTS } from './rights.ts'
