export { bindPod, createBinding } from './bind-pod.ts'
export { evictPod } from './evict-pod.ts'
export { finalizeNamespace } from './finalize-namespace.ts'
export { serveScale } from './scale.ts'
