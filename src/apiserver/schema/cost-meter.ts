/** The work for one request exceeds its limit. Only the code that created the meter may catch this error. */
export class CostExceededError extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded') // CEL's message
    this.name = 'CostExceededError'
  }
}

/**
 * The remaining budget for work. One unit is one step of CEL's cost model, and takes at most about 50 ns here (docs/design/cel.md). Work that depends
 * on the size of its input is charged in advance.
 */
export class CostMeter {
  #left: number

  constructor(units: number) {
    this.#left = units
  }

  get left(): number {
    return this.#left
  }

  /** Throws a `CostExceededError` if fewer units are left; then nothing is left. */
  spend(units: number): void {
    this.#left -= units
    if (this.#left < 0) throw new CostExceededError()
  }
}
