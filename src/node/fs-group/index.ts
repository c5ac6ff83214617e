export { changeOwnership } from './apply-fs-group.ts'
