export { connect } from './connect.ts'
export type { ConnectedCluster, ConnectOptions } from './connect.ts'
export { runControllers, untilStopped } from './run-controllers.ts'
export type { RunningControllers, RunOptions } from './run-controllers.ts'
