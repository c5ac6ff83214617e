export { startAttachDetach } from './start-attach-detach.ts'
export { attachDetachOptions } from './attach-detach-options.ts'
