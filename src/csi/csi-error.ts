import { messageOf } from './cause-chain.ts'
import { goCodeName } from './codes.ts'
import type { Code } from './codes.ts'

/** A failed call. */
export class CsiError extends Error {
  /** Undefined if the call ended without a gRPC status, for example with an unreadable response. */
  readonly code: Code | undefined
  /** The called method, for example `CreateVolume`; empty in an error just thrown by a handler. */
  readonly rpc: string
  /** The message of the other side, without code and method. */
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

  /** Anything thrown, as the failure of one call; keeps the original as the cause. */
  static from(reason: unknown, rpc: string): CsiError {
    if (reason instanceof CsiError)
      return reason.rpc === rpc ? reason : new CsiError(reason.code, reason.detail, { rpc, cause: reason })
    return new CsiError(undefined, messageOf(reason), { rpc, cause: reason })
  }

  /** An error response. Its detail may be empty, although it should give a reason. */
  static answered(code: Code, detail: string, rpc: string): CsiError {
    return new CsiError(code, detail === '' ? 'the driver gave no reason' : detail, { rpc })
  }

  /** For a call whose signal has aborted. A deadline aborts with its own CsiError; any other reason means cancelled. */
  static aborted(signal: AbortSignal, rpc: string): CsiError {
    if (signal.reason instanceof CsiError) return signal.reason
    return new CsiError('CANCELLED', 'cancelled by the caller', { rpc, cause: signal.reason })
  }
}

/** True for a CsiError with one of these codes. */
export function isCsiError(error: unknown, ...codes: Code[]): error is CsiError {
  return error instanceof CsiError && error.code !== undefined && codes.includes(error.code)
}
