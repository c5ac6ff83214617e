import type { ContentHeld } from '../sidecars/snapshotter/content-view.ts'
import { quote } from './quote-text.ts'

type Memory = Extract<NonNullable<ContentHeld['memory']>, { kind: 'failed' | 'polling' }>

/**
 * What the snapshotter would remember about its last call for a content, derived from the content: `error` is that of its status, `isTaken` whether
 * the driver has the snapshot. `step` is its next step without a memory.
 */
export function callMemoryOf(
  step: string,
  { error, isTaken }: { readonly error: string | undefined; readonly isTaken: boolean },
): Memory | undefined {
  const call = step === 'mark-being-created' ? 'create' : step
  if (call !== 'create' && call !== 'check' && call !== 'delete') return undefined
  if (error !== undefined)
    return { kind: 'failed', call, outcome: 'final', message: quote(error), count: 1, retryAtMs: 1 }
  return isTaken && call !== 'delete' ? { kind: 'polling', count: 1, retryAtMs: 1 } : undefined
}
