import type { Reason } from '../../api/reason.ts'
import type { Logger } from '../../base/logger.ts'
import type { WritableDriverStore } from './driver-store.ts'
import { messageOf } from './plugin-refusal.ts'
import { REASONS } from './reasons.ts'
import type { Sighting } from './sighting.ts'

export type CompareParts = {
  readonly store: WritableDriverStore
  readonly log: Logger
  readonly signal: AbortSignal
  /** Says something to people about a plugin that works. */
  warn(path: string, reason: Reason): void
}

const TIMEOUT_MS = 5000

/**
 * Asks a registered driver for its own name. One that differs from the name under which its registrar has registered it is told and nothing
 * more, since Kubernetes never compares the two.
 */
export function createNameComparison({ store, log, signal, warn }: CompareParts): (socket: Sighting) => void {
  const compare = async (socket: Sighting): Promise<void> => {
    const registered = store.get(socket)
    if (!registered) return
    const { name } = await registered.driver.getPluginInfo({}, { timeoutMs: TIMEOUT_MS, signal })
    if (name !== registered.name) warn(socket.path, REASONS.otherName(registered.name, name, registered.endpoint))
  }
  return (socket) =>
    void compare(socket).catch((error: unknown) => {
      if (!signal.aborted) log.debug('the driver did not tell its name', { path: socket.path, error: messageOf(error) })
    })
}
