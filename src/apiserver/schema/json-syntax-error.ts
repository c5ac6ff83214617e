/** Maximum depth of a JSON text: enough for any object, and safe for every recursive function. */
export const MOST_LEVELS = 1000

/** A text that is not valid JSON, or that exceeds our limits. */
export class JsonSyntaxError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'JsonSyntaxError'
  }
}
