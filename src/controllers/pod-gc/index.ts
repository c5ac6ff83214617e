export { podGcOptions, startPodGc } from './start-pod-gc.ts'
