import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { QuantityError, quantityToBytes } from '../../api/quantity.ts'
import { ok, refuse } from './decision.ts'
import type { Decision } from './decision.ts'

/** The size that a claim asks for in whole bytes, rounded up; nothing when it names none. */
export function requestedBytes(claim: PersistentVolumeClaim): Decision<bigint> {
  const storage = claim.spec.resources?.requests?.['storage']
  if (storage === undefined) return ok(0n)
  try {
    return ok(quantityToBytes(storage))
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
    return refuse({ code: 'SizeInvalid', detail: { storage, problem: error.message } })
  }
}
