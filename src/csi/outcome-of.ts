import type { Code } from './codes.ts'
import type { CsiError } from './csi-error.ts'
import type { CsiRpc } from './rpc.ts'

/**
 * What an error says about the state of the operation.
 * - `done`: the requested state already exists.
 * - `failed`: nothing is running and nothing was created; the same request would fail again.
 * - `later`: nothing is running; the obstacle disappears by itself, or another component removes it.
 * - `in-doubt`: the operation may still be running or may have succeeded: repeat the same request, or undo it; never forget it.
 * - `reschedule`: impossible in this topology; another may work.
 */
export type Outcome = 'done' | 'failed' | 'later' | 'in-doubt' | 'reschedule'

/** The outcome of a call that ended with this error. */
export function outcomeOf(rpc: CsiRpc, error: Pick<CsiError, 'code'>): Outcome {
  if (error.code === undefined) return 'in-doubt'
  return EXCEPTIONS[rpc]?.[error.code] ?? (UNDO.has(rpc) ? UNDO_OUTCOME : OUTCOME)[error.code]
}

const OUTCOME: Record<Code, Outcome> = {
  OK: 'done',
  CANCELLED: 'in-doubt',
  DEADLINE_EXCEEDED: 'in-doubt',
  UNAVAILABLE: 'in-doubt',
  // Another call for the same volume is running, and its result is not known yet.
  ABORTED: 'in-doubt',
  // gRPC itself also sends this for a message over the limit: the driver may have done the work by then.
  RESOURCE_EXHAUSTED: 'in-doubt',
  FAILED_PRECONDITION: 'later',
  NOT_FOUND: 'later',
  UNAUTHENTICATED: 'later',
  PERMISSION_DENIED: 'later',
  INTERNAL: 'later',
  UNKNOWN: 'later',
  DATA_LOSS: 'later',
  INVALID_ARGUMENT: 'failed',
  ALREADY_EXISTS: 'failed',
  OUT_OF_RANGE: 'failed',
  UNIMPLEMENTED: 'failed',
}

// Calls that undo something have to be repeated until they succeed: even "not found" may mean "not found by me".
const UNDO: ReadonlySet<CsiRpc> = new Set<CsiRpc>([
  'DeleteVolume',
  'ControllerUnpublishVolume',
  'DeleteSnapshot',
  'DeleteVolumeGroupSnapshot',
  'NodeUnpublishVolume',
  'NodeUnstageVolume',
])
const UNDO_OUTCOME: Record<Code, Outcome> = {
  ...OUTCOME,
  INVALID_ARGUMENT: 'later',
  ALREADY_EXISTS: 'later',
  OUT_OF_RANGE: 'later',
  UNIMPLEMENTED: 'later',
}

// Codes with a special meaning in one call.
const EXCEPTIONS: Partial<Record<CsiRpc, Partial<Record<Code, Outcome>>>> = {
  // No capacity in the requested topology.
  CreateVolume: { RESOURCE_EXHAUSTED: 'reschedule' },
  // A volume that is gone can't be expanded; the user has to act.
  ControllerExpandVolume: { NOT_FOUND: 'failed' },
  // Mounted, and the file system cannot grow while it is: never retried on this node. Without the call there is nothing to do.
  NodeExpandVolume: { FAILED_PRECONDITION: 'failed', NOT_FOUND: 'failed', UNIMPLEMENTED: 'done' },
  // The token belongs to a list that has changed: start the list again.
  ListVolumes: { ABORTED: 'later' },
  ListSnapshots: { ABORTED: 'later' },
  ControllerListVolumeHealth: { ABORTED: 'later' },
}
