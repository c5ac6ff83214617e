export { startStatefulSet, statefulSetOptions } from './start-stateful-set.ts'
