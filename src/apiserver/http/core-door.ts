import type { Core } from '../core/core.ts'
import type { KindRegistry } from '../core/kind-registry.ts'

/** The part of the core that HTTP uses. `kinds` is for discovery; `execute` finds the kind of a request. */
export type CoreDoor = Pick<Core, 'execute' | 'serve' | 'report'> & { readonly kinds: KindRegistry }
