import { createRequire } from 'node:module'

/** What bin/holdfast tells Node when it starts a command: what users have is measured. */
export const { nodeFlagsOf } = createRequire(import.meta.url)('../bin/node-flags.js') as {
  nodeFlagsOf(command: string): string[]
}
