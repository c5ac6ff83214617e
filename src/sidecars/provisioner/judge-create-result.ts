import type { Reason } from '../../api/reason.ts'
import { goCodeName } from '../../csi/codes.ts'
import type { CsiError } from '../../csi/csi-error.ts'
import { outcomeOf } from '../../csi/outcome-of.ts'
import type { CreateVolumeResponse } from '../../csi/generated/csi/v1/csi.ts'
import { checkResponse } from './check-response.ts'
import type { CheckedResponse } from './check-response.ts'
import type { ProvisionPlan } from './plan-volume.ts'

/**
 * How a call of CreateVolume ended.
 * - `made`, `spoiled`: see `CheckedResponse`.
 * - `in-doubt`: a volume may be there or come: the same request again, whatever becomes of the claim.
 * - `failed`: nothing was made. When it is infeasible the same request is never going to work, so the next try may wait long.
 * - `reschedule`: no room in the selected node's place, and nothing was made.
 */
export type CreateResult =
  | Exclude<CheckedResponse, { kind: 'unreadable' }>
  | { readonly kind: 'in-doubt' | 'reschedule'; readonly reason: Reason }
  | { readonly kind: 'failed'; readonly isInfeasible: boolean; readonly reason: Reason }

export function judgeAnswer({ request }: ProvisionPlan, response: CreateVolumeResponse): CreateResult {
  const checked = checkResponse(request, response)
  return checked.kind === 'unreadable' ? { kind: 'in-doubt', reason: checked.reason } : checked
}

export function judgeError(
  { selectedNode, topology }: Pick<ProvisionPlan, 'selectedNode' | 'topology'>,
  error: CsiError,
): CreateResult {
  const { code } = error
  const reason: Reason = {
    code: 'CreateVolumeFailed',
    detail: { code: code === undefined ? 'none' : goCodeName(code), message: error.detail },
  }
  switch (outcomeOf('CreateVolume', error)) {
    case 'in-doubt':
    case 'done':
      return { kind: 'in-doubt', reason }
    case 'reschedule':
      // Another place can only be had when a node was picked and the driver cares for places.
      return topology && selectedNode !== ''
        ? { kind: 'reschedule', reason }
        : { kind: 'failed', isInfeasible: false, reason }
    case 'failed':
    case 'later':
      return { kind: 'failed', isInfeasible: code === 'INVALID_ARGUMENT', reason }
  }
}
