/** A selector that cannot be understood. The message is that of Kubernetes. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError'
}

/** The result, or undefined if the selector that it is made of is invalid. */
export function unlessInvalid<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof SelectorError) return undefined
    throw error
  }
}
