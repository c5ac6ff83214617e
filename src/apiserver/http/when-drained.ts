type Drainable = {
  readonly writableNeedDrain: boolean
  once(event: 'drain' | 'close', listener: () => void): unknown
  off(event: 'drain' | 'close', listener: () => void): unknown
}

/** Resolves when the stream accepts more, or is closed. */
export function whenDrained(stream: Drainable, isClosed: () => boolean): Promise<void> {
  if (isClosed() || !stream.writableNeedDrain) return Promise.resolve()
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done)
      stream.off('close', done)
      resolve()
    }
    stream.once('drain', done)
    stream.once('close', done)
  })
}
