export { startSnapshot } from './start-snapshot.ts'
export { snapshotOptions } from './snapshot-options.ts'
export type { SnapshotConfig } from './snapshot-options.ts'
