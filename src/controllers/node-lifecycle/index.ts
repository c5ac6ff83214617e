export { nodeLifecycleOptions, startNodeLifecycle } from './start-node-lifecycle.ts'
