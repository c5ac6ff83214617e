/** An invalid selector. The message is that of Kubernetes. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError'
}

/** The result, or undefined if the selector is invalid. */
export function unlessInvalid<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof SelectorError) return undefined
    throw error
  }
}
