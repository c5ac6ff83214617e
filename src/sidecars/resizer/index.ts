export { startResizer } from './start-resizer.ts'
export { resizerOptions } from './resizer-options.ts'
export type { ResizerConfig } from './resizer-options.ts'
export { RESIZER_RIGHTS } from './rights.ts'
