import type { LabelSelector } from '../../../api/kinds/selectors.ts'
import type { ReplicaSetStatus } from '../../../api/kinds/replica-set.ts'
import type { ReplicationController } from '../../../api/kinds/replication-controller.ts'
import type { PodTemplateSpec } from '../../../api/kinds/stateful-set.ts'
import type { KubeObject } from '../../../api/object.ts'

/** A ReplicaSet, or a ReplicationController in its form. */
export type ReplicaOwner = KubeObject & {
  readonly spec: {
    readonly replicas?: number
    readonly minReadySeconds?: number
    readonly selector: LabelSelector
    readonly template: PodTemplateSpec
  }
  readonly status?: ReplicaSetStatus
}

export const ownerOfController = (controller: ReplicationController): ReplicaOwner => ({
  ...controller,
  spec: { ...controller.spec, selector: { matchLabels: controller.spec.selector ?? {} } },
})
