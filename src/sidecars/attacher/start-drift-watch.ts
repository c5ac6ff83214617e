import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { keyOf } from '../../api/object-key.ts'
import { sleep } from '../../base/clock.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { hasDrifted } from './find-drift.ts'
import type { DriftView, Published } from './find-drift.ts'
import type { RunningCalls } from './running-calls.ts'

export type DriftParts = {
  readonly clock: Clock
  readonly log: Logger
  readonly periodMs: number
  readonly calls: RunningCalls
  list(signal: AbortSignal): Promise<Published>
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
export function startDriftWatch({ clock, log, periodMs, calls, list, attachments, readView, onDrift }: DriftParts): DriftWatch {
  const stopping = new AbortController()
  const { signal } = stopping
  let listing = false

  const compare = async (): Promise<void> => {
    // What changes or is worked on while the list is being read is not judged by it.
    const versions = new Map(Array.from(attachments(), (attachment) => [keyOf(attachment), attachment.metadata.resourceVersion]))
    const watched = calls.watch()
    try {
      const published = await list(signal)
      for (const [key, version] of versions) {
        const view = readView(key)
        if (!view || view.attachment.metadata.resourceVersion !== version || watched.touched.has(key)) continue
        if (hasDrifted(view, published)) onDrift(key)
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
