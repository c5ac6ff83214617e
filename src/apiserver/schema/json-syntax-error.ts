/** How deep a JSON text may nest: enough for any object, and little enough for every function that walks it. */
export const MOST_LEVELS = 1000

/** A text that is no JSON, or none that we take. */
export class JsonSyntaxError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'JsonSyntaxError'
  }
}
