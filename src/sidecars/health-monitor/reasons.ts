import { objectAwaited, reason } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'

/** Why nothing is reported about a volume or a node at the moment. */
export const REASONS = {
  notBound: (claim: { readonly namespace?: string; readonly name?: string }) =>
    reason('NotBound', 'the volume is not bound to a claim', {
      waitsFor: objectAwaited(PERSISTENT_VOLUME_CLAIMS, claim),
    }),
  unknown: reason('HealthUnknown', 'the driver has not reported the health of the volume yet'),
  normal: reason('VolumeConditionNormal', 'the driver reports no abnormal condition of the volume'),
  abnormal: (message: string) =>
    reason('VolumeConditionAbnormal', message, { cure: 'Check the storage system and the logs of the driver.' }),
  nodeReady: reason('NodeReady', 'the node is ready'),
  nodeNotReadyYet: reason('NodeNotReady', 'the node has not been ready for less than 5 minutes'),
  nodeFailed: reason('NodeFailed', 'the node has failed'),
}

export type HealthMonitorReason = ReasonIn<typeof REASONS>
