/** One turn of the event loop: every promise callback that is ready has run then, however long their chain. No time is read or waited for. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
