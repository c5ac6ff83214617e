import type { KubeObject } from '../../api/object.ts'
import type { FollowedKind } from '../../kube/controller/index.ts'
import type { OperationMetrics, TimedObject } from './operation-metrics.ts'

type Timed = KubeObject & {
  readonly status?: { readonly creationTime?: string; readonly readyToUse?: boolean }
}

/** Measures how long the objects of a kind take to be created, ready and removed. Call the result to stop. */
export const timeOperations = <T extends Timed>(
  metrics: OperationMetrics,
  kind: Pick<FollowedKind<T>, 'onChange'>,
  describe: (object: T) => Pick<TimedObject, 'of' | 'driver' | 'isStatic'>,
): (() => void) => {
  const timed = (object: T): TimedObject => ({
    ...describe(object),
    uid: object.metadata.uid ?? '',
    isDeleted: object.metadata.deletionTimestamp !== undefined,
    isCreated: object.status?.creationTime !== undefined,
    isReady: object.status?.readyToUse === true,
  })
  return kind.onChange(({ before, after }) => {
    if (after) metrics.seen(timed(after))
    else if (before) metrics.gone(timed(before))
  })
}
