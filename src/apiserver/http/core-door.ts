import type { Core } from '../core/core.ts'
import type { KindRegistry } from '../core/kind-registry.ts'

/** All that HTTP knows of the server behind it. `isAllowed` is asked before a body is read: what is not allowed is not worth reading. */
export type CoreDoor = Pick<Core, 'execute' | 'isAllowed' | 'serve' | 'report'> & { readonly kinds: KindRegistry }
