export { applyFsGroup } from './apply-fs-group.ts'
export { fsGroupOf } from './fs-group-of.ts'
