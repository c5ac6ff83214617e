import { CsiError } from '../../csi/csi-error.ts'
import { outcomeOf } from '../../csi/outcome-of.ts'
import type { CsiRpc } from '../../csi/rpc.ts'

/** The driver has answered that it did not do it, and nothing of it is running: no undoing is needed. */
export const isSurelyUndone = (rpc: CsiRpc, error: unknown): boolean =>
  error instanceof CsiError && outcomeOf(rpc, error) !== 'in-doubt'
