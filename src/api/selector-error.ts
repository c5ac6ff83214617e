/** A selector that cannot be understood. The message is that of Kubernetes. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError'
}
