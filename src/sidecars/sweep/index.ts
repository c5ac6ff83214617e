export { formatLeaks } from './format-leaks.ts'
export { sweep } from './sweep.ts'
export type { SweepParts } from './sweep.ts'
