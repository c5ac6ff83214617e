export { startAttachDetach } from './start-attach-detach.ts'
export { attachDetachOptions } from './attach-detach-options.ts'
export type { AttachDetachConfig } from './attach-detach-options.ts'
