import type { Code } from './codes.ts'
import type { CsiError } from './csi-error.ts'
import type { CsiRpc } from './rpc.ts'

/**
 * What an error tells about the world.
 * - `done`: what was asked for holds already.
 * - `failed`: nothing is running and nothing was made; the same request is going to fail again.
 * - `later`: nothing is running; the obstacle disappears by itself, or is removed by another component.
 * - `in-doubt`: it may still be running or may have been done: repeat the same request, or undo it; never forget it.
 * - `reschedule`: it can't be done in this place; another may do.
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
  // Another call for the same volume is running; what that one does is not known yet.
  ABORTED: 'in-doubt',
  // Sent by gRPC itself too, for a message over the limit: the driver may have done its work by then.
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

// Where one call gives a code a meaning of its own.
const EXCEPTIONS: Partial<Record<CsiRpc, Partial<Record<Code, Outcome>>>> = {
  // No room in the topology that was asked for.
  CreateVolume: { RESOURCE_EXHAUSTED: 'reschedule' },
  // A volume that is gone can't be expanded; the user has to act.
  ControllerExpandVolume: { NOT_FOUND: 'failed' },
  // Mounted, and the file system can't grow while it is: never again on this node. Without the call there is nothing to do.
  NodeExpandVolume: { FAILED_PRECONDITION: 'failed', NOT_FOUND: 'failed', UNIMPLEMENTED: 'done' },
  // A token of a list that has changed: begin the list anew.
  ListVolumes: { ABORTED: 'later' },
  ListSnapshots: { ABORTED: 'later' },
  ControllerListVolumeHealth: { ABORTED: 'later' },
}
