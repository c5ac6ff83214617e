import type { Core } from '../core/core.ts'
import type { KindRegistry } from '../core/kind-registry.ts'

/** All that HTTP knows of the server behind it. `kinds` is for discovery; the kind of a request is what `execute` finds. */
export type CoreDoor = Pick<Core, 'execute' | 'serve' | 'report'> & { readonly kinds: KindRegistry }
