/** An expression that cannot be read, or has no value for what it was given. */
export class CelError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'CelError'
  }
}
