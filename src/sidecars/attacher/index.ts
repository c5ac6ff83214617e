export { startAttacher } from './start-attacher.ts'
export { attacherOptions } from './attacher-options.ts'
export type { AttacherConfig } from './attacher-options.ts'
export { ATTACHER_RIGHTS } from './rights.ts'
