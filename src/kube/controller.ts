import { isConflict } from '../api/api-error.ts'
import type { Logger } from '../base/logger.ts'
import { after, DONE } from './work-queue.ts'
import type { WorkQueue, WorkResult } from './work-queue.ts'

/** What a reconciler gets beside the key. */
export type ReconcileContext = {
  /** With the key and the number of the pass in each line. */
  readonly log: Logger
  /** Aborts when the controller stops: what takes long has to give up then, since `stop` waits for it. */
  readonly signal: AbortSignal
}

/**
 * Looks at one key and takes one step. `DONE`: again when something changes; `after(ms)`: then at the latest; a thrown
 * error: again, later.
 */
export type Reconciler = (key: string, context: ReconcileContext) => Promise<WorkResult>

export { after, DONE }

export type ControllerParts = { name: string; queue: WorkQueue; reconcile: Reconciler; log: Logger }

export interface RunningController {
  /** Starts nothing more, cancels running work, and waits for it. */
  stop(): Promise<void>
}

/** The one place where the result of a reconciler becomes a call of the queue, and where its errors are logged. */
export function startController({ name, queue, reconcile, log }: ControllerParts): RunningController {
  const controller = new AbortController()
  let passes = 0
  queue.start(async (key) => {
    const bound = log.with({ controller: name, key, pass: ++passes })
    try {
      return await reconcile(key, { log: bound, signal: controller.signal })
    } catch (error) {
      if (controller.signal.aborted) return DONE
      // A conflict only says that the view was old: the change that made it so is on its way.
      if (isConflict(error)) bound.debug('reconciling met a conflict', { error })
      else bound.warn('reconciling failed', { error })
      return { kind: 'failed' }
    }
  })
  const stop = async (): Promise<void> => {
    controller.abort(new Error(`controller ${name} was stopped`))
    await queue.stop()
  }
  return { stop }
}
