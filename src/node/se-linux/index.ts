export { labelOption, mountLabelOf } from './mount-label-of.ts'
export type { MountLabel } from './mount-label-of.ts'
export { readFileContext } from './read-file-context.ts'
