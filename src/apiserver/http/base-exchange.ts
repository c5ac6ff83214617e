import type { Writable } from 'node:stream'
import { collectBody } from './collect-body.ts'
import type { BodyLimits, BodySource } from './collect-body.ts'
import type { BodyWriter, UsedConnection } from './exchange.ts'
import { whenDrained } from './when-drained.ts'

const ignore = (): void => {}

/** What both versions of HTTP have in common: a response to a client that may disconnect at any time. */
export abstract class BaseExchange {
  readonly connection: UsedConnection
  readonly #answer: Writable
  #controller: AbortController | undefined
  #isStopped = false
  #stopCallback: (() => void) | undefined

  constructor(answer: Writable, connection: UsedConnection) {
    this.#answer = answer
    this.connection = connection
    // Writing to a client that has disconnected is not our error; without a listener it would end the process.
    answer.on('error', ignore)
  }

  /** Whether the whole response was written. */
  protected abstract readonly isComplete: boolean
  protected abstract readonly bodySource: BodySource

  get isClosed(): boolean {
    return this.#answer.closed || this.#answer.destroyed
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      const controller = (this.#controller = new AbortController())
      this.onClose(() => {
        if (!this.isComplete) controller.abort(new Error('the client has gone'))
      })
    }
    return this.#controller.signal
  }

  readBody(limits: BodyLimits): Promise<Uint8Array> {
    return collectBody(this.bodySource, limits)
  }

  /** The body of a response whose head has been sent. */
  protected writer(onEnd?: () => void): BodyWriter {
    return {
      write: (piece) => this.isClosed || this.#answer.write(piece),
      drained: () => whenDrained(this.#answer, () => this.isClosed),
      end: () => {
        onEnd?.()
        if (!this.isClosed) this.#answer.end()
      },
    }
  }

  onClose(callback: () => void): void {
    if (this.isClosed) callback()
    else this.#answer.once('close', callback)
  }
  onStop(callback: () => void): void {
    if (this.#isStopped) callback()
    else this.#stopCallback = callback
  }

  stop(): void {
    this.#isStopped = true
    this.#stopCallback?.()
  }

  abort(): void {
    this.#answer.destroy()
  }
}
