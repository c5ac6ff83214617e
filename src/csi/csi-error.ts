import { messageOf } from './cause-chain.ts'
import { goCodeName } from './codes.ts'
import type { Code } from './codes.ts'

/** A call that did not succeed. */
export class CsiError extends Error {
  /** Undefined when the call ended without a gRPC status, for example with an answer that can't be read. */
  readonly code: Code | undefined
  /** What was called, for example `CreateVolume`; empty while a handler has just thrown it. */
  readonly rpc: string
  /** What the other side said, without code and method. */
  readonly detail: string

  constructor(code: Code | undefined, detail: string, options: { rpc?: string; cause?: unknown } = {}) {
    const rpc = options.rpc ?? ''
    const codeName = code === undefined ? 'no gRPC status' : goCodeName(code)
    super(
      `${rpc === '' ? '' : `${rpc}: `}${codeName}: ${detail}`,
      options.cause === undefined ? {} : { cause: options.cause },
    )
    this.name = 'CsiError'
    this.code = code
    this.rpc = rpc
    this.detail = detail
  }

  /** Anything thrown, as the failure of one call; keeps what was thrown as the cause. */
  static from(reason: unknown, rpc: string): CsiError {
    if (reason instanceof CsiError)
      return reason.rpc === rpc ? reason : new CsiError(reason.code, reason.detail, { rpc, cause: reason })
    return new CsiError(undefined, messageOf(reason), { rpc, cause: reason })
  }

  /** What the other side answered; it should have said why, but need not. */
  static answered(code: Code, detail: string, rpc: string): CsiError {
    return new CsiError(code, detail === '' ? 'the driver gave no reason' : detail, { rpc })
  }

  /** For a call whose signal has aborted. A deadline aborts with a CsiError of its own; anything else cancels. */
  static aborted(signal: AbortSignal, rpc: string): CsiError {
    if (signal.reason instanceof CsiError) return signal.reason
    return new CsiError('CANCELLED', 'cancelled by the caller', { rpc, cause: signal.reason })
  }
}

/** True for a CsiError with one of these codes. */
export function isCsiError(error: unknown, ...codes: Code[]): error is CsiError {
  return error instanceof CsiError && error.code !== undefined && codes.includes(error.code)
}
