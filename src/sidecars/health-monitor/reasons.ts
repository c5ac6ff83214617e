import { awaiting, because, defineReasons } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'

/** Why nothing is reported about a volume or a node at the moment. */
export const REASONS = defineReasons({
  NotBound: (claim: { readonly namespace?: string; readonly name?: string }) =>
    because('the volume is not bound to a claim', awaiting(PERSISTENT_VOLUME_CLAIMS, claim)),
  HealthUnknown: 'the driver has not reported the health of the volume yet',
  VolumeConditionNormal: 'the driver reports no abnormal condition of the volume',
  VolumeConditionAbnormal: (message: string) =>
    because(message, { cure: 'Check the storage system and the logs of the driver.' }),
  NodeReady: 'the node is ready',
  NodeNotReady: 'the node has not been ready for less than 5 minutes',
  NodeFailed: 'the node has failed',
})

export type HealthMonitorReason = ReasonIn<typeof REASONS>
