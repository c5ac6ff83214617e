/** What happens to a request that arrives: it runs now, waits for its turn, or is rejected because its flow has too many waiting. */
export type Arrival = 'run' | 'wait' | 'reject'

export type LevelLimits = {
  /** Requests that run at the same time. */
  readonly seats: number
  /** Requests of one flow that wait. */
  readonly waitingPerFlow: number
  /** Requests of all flows that wait. */
  readonly waiting: number
}

/**
 * The turns of one priority level: a pure decision, without requests, time or promises. While all seats are taken, each flow (a user) waits in a
 * queue of its own, and the queues take turns: a flow with a thousand requests delays another one by a single request.
 */
export class FairLevel {
  readonly #limits: LevelLimits
  // In the order of their turns; a flow that had its turn goes to the end.
  readonly #waiting = new Map<string, number>()
  #running = 0
  #total = 0

  constructor(limits: LevelLimits) {
    this.#limits = limits
  }

  get running(): number {
    return this.#running
  }
  get waiting(): number {
    return this.#total
  }

  arrive(flow: string): Arrival {
    if (this.#running < this.#limits.seats) {
      this.#running += 1
      return 'run'
    }
    const own = this.#waiting.get(flow) ?? 0
    if (own >= this.#limits.waitingPerFlow || this.#total >= this.#limits.waiting) return 'reject'
    this.#waiting.set(flow, own + 1)
    this.#total += 1
    return 'wait'
  }

  /** A running request has ended. The flow whose first waiting request runs now, if there is one. */
  leave(): string | undefined {
    const [next] = this.#waiting.keys()
    if (next === undefined) {
      this.#running -= 1
      return undefined
    }
    const left = this.#remove(next)
    if (left > 0) {
      this.#waiting.delete(next)
      this.#waiting.set(next, left)
    }
    return next
  }

  /** A waiting request of the flow has been given up. */
  abandon(flow: string): void {
    if (this.#waiting.has(flow)) this.#remove(flow)
  }

  #remove(flow: string): number {
    const left = (this.#waiting.get(flow) ?? 1) - 1
    if (left > 0) this.#waiting.set(flow, left)
    else this.#waiting.delete(flow)
    this.#total -= 1
    return left
  }
}
