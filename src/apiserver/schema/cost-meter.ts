/** The work for one request exceeds its limit. Only the code that created the meter may catch this error. */
export class CostExceededError extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded') // the words of CEL
    this.name = 'CostExceededError'
  }
}

/**
 * How much work may still be done. One unit is one step of CEL's own cost model, and takes at most about 50 ns here
 * (docs/design/cel.md). Whatever takes longer the larger its input is spends first, and works then.
 */
export class CostMeter {
  #left: number

  constructor(units: number) {
    this.#left = units
  }

  get left(): number {
    return this.#left
  }

  /** Throws a `CostExceededError` when there are not as many units left; nothing is left then. */
  spend(units: number): void {
    this.#left -= units
    if (this.#left < 0) throw new CostExceededError()
  }
}
