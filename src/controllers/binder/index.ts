export { startBinder } from './start-binder.ts'
export { binderOptions } from './binder-options.ts'
export type { BinderConfig } from './binder-options.ts'
