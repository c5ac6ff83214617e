/** An expression that cannot be parsed, or has no value for its input. */
export class CelError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'CelError'
  }
}
