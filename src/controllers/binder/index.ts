export { startBinder } from './start-binder.ts'
export { binderOptions } from './binder-options.ts'
