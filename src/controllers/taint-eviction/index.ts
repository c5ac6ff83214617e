export { startTaintEviction } from './start-taint-eviction.ts'
