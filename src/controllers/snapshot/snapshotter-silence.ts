import type { KubeObject } from '../../api/object.ts'
import { findTimestamp } from '../../api/timestamps.ts'
import { hasAnnotation } from '../../storage/names.ts'

// A running snapshotter notices a content within seconds.
const LIMIT_MS = 60_000

export type Silence = 'none' | 'long' | { readonly leftMs: number }

/**
 * Whether a snapshotter has noticed a content: it records on it that it is about to call the driver, or reports why it does not. `long`: none has for
 * a minute. With `leftMs`, it is too early to tell. `nowMs` is undefined if called from outside.
 */
export function snapshotterSilence(
  content: KubeObject & { readonly status?: object },
  beingCreated: string,
  nowMs: number | undefined,
): Silence {
  const { creationTimestamp } = content.metadata
  if (content.status || hasAnnotation(content, beingCreated) || creationTimestamp === undefined || nowMs === undefined)
    return 'none'
  const leftMs = (findTimestamp(creationTimestamp) ?? nowMs) + LIMIT_MS - nowMs
  return leftMs > 0 ? { leftMs } : 'long'
}
