import { HostError } from '../../base/host/host.ts'
import { messageOf } from '../cause-chain.ts'
import { CsiError } from '../csi-error.ts'
import type { Code } from '../codes.ts'

// gRPC codes for errors of the machine; every other error is the driver's own fault.
const CODE_OF_ERRNO: Readonly<Record<string, Code>> = {
  ENOSPC: 'RESOURCE_EXHAUSTED',
  EDQUOT: 'RESOURCE_EXHAUSTED',
  EMFILE: 'RESOURCE_EXHAUSTED',
  ENFILE: 'RESOURCE_EXHAUSTED',
  EROFS: 'FAILED_PRECONDITION',
  EBUSY: 'FAILED_PRECONDITION',
}

/** Anything a handler throws, as an error with a code: never UNKNOWN, never without one. */
export function statusOf(reason: unknown): CsiError {
  if (reason instanceof CsiError) {
    const isTelling = reason.code !== undefined && reason.code !== 'OK' && reason.code !== 'UNKNOWN'
    return isTelling ? reason : new CsiError('INTERNAL', reason.detail, { cause: reason })
  }
  if (reason instanceof HostError)
    return new CsiError(CODE_OF_ERRNO[reason.code] ?? 'INTERNAL', reason.message, { cause: reason })
  return new CsiError('INTERNAL', messageOf(reason), { cause: reason })
}
