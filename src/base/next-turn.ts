/** One turn of the event loop: all ready promise callbacks have run afterwards, including those they trigger. Does not read or wait for time. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
