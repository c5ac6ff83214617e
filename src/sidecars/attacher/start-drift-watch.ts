import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { keyOf } from '../../api/object-key.ts'
import { sleep } from '../../base/clock.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { hasDrifted, targetsOf } from './find-drift.ts'
import type { DriftView, Published } from './find-drift.ts'
import type { RunningCalls } from './running-calls.ts'

export type DriftParts = {
  readonly clock: Clock
  readonly log: Logger
  readonly periodMs: number
  readonly calls: RunningCalls
  /** What the driver says about the wanted volumes and nodes. */
  list(wanted: Published, signal: AbortSignal): Promise<Published>
  /** Our attachments at this moment. */
  attachments(): Iterable<VolumeAttachment>
  readView(key: string): DriftView | undefined
  onDrift(key: string): void
}

export interface DriftWatch {
  /** False while a list is being read. */
  isIdle(): boolean
  stop(): Promise<void>
}

/** Compares attachments with what the driver lists: at once, and then again and again. */
export function startDriftWatch({
  clock,
  log,
  periodMs,
  calls,
  list,
  attachments,
  readView,
  onDrift,
}: DriftParts): DriftWatch {
  const stopping = new AbortController()
  const { signal } = stopping
  let listing = false

  const readUnchanged = (attachment: VolumeAttachment): DriftView | undefined => {
    const view = readView(keyOf(attachment))
    return view?.attachment.metadata.resourceVersion === attachment.metadata.resourceVersion ? view : undefined
  }
  const compare = async (): Promise<void> => {
    // What changes or is worked on while the list is being read is not judged by it.
    const judged = [...attachments()].flatMap((attachment) => readUnchanged(attachment) ?? [])
    const watched = calls.watch()
    try {
      const published = await list(targetsOf(judged), signal)
      for (const view of judged) {
        const key = keyOf(view.attachment)
        if (readUnchanged(view.attachment) && !watched.touched.has(key) && hasDrifted(view, published)) onDrift(key)
      }
    } finally {
      watched.end()
    }
  }
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      listing = true
      try {
        await compare()
      } catch (error) {
        if (!signal.aborted) log.warn('published volumes could not be listed', { error })
      } finally {
        listing = false
      }
      await sleep(clock, periodMs, signal).catch(() => {})
    }
  }
  const running = run()
  const stop = async (): Promise<void> => {
    stopping.abort(new Error('the attacher stops'))
    await running
  }
  return { isIdle: () => !listing, stop }
}
