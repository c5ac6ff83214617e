import type { KubeObject } from '../../api/object.ts'
import { findTimestamp } from '../../api/timestamps.ts'
import { hasAnnotation } from '../../storage/names.ts'

// A snapshotter that is running notices a content within seconds.
const LIMIT_MS = 60_000

export type Silence = 'none' | 'long' | { readonly leftMs: number }

/**
 * Whether a snapshotter has taken notice of a content: it notes on it that it is about to ask the driver, or reports why it does not. `long`:
 * nobody has for a minute. With `leftMs`, it is too early to tell. `nowMs` is undefined when asked from outside.
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
