/** Thrown by a case when the driver does not do what it should. */
export class Unexpected extends Error {
  readonly expected: string
  readonly found: string

  constructor(expected: string, found: string) {
    super(`expected ${expected}, found ${found}`)
    this.name = 'Unexpected'
    this.expected = expected
    this.found = found
  }
}

/** Thrown by a case that finds out while it runs that it does not apply. */
export class NotApplicable extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'NotApplicable'
  }
}
