import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import { matchesTopologyTerms } from '../../api/node-selector.ts'
import {
  BETA_STORAGE_PROVISIONER,
  classNameOf,
  findAnnotation,
  MIGRATED_TO,
  selectedNodeOf,
  STORAGE_PROVISIONER,
} from '../../storage/names.ts'
import { REASONS } from './reasons.ts'
import type { ProvisionerReason } from './reasons.ts'

/** Set if there is one instance on each node, which only serves volumes of that node. */
export type OwnNode = {
  readonly name: string
  /** The topology of the node as the driver reports it. */
  readonly segments: Readonly<Record<string, string>>
  /** Whether to take claims without a selected node. */
  readonly immediateBinding: boolean
}

export type EligibilityQuestion = {
  readonly driverName: string
  readonly claim: PersistentVolumeClaim
  /** The claim's class; absent if it is not known (yet). */
  readonly class?: StorageClass | undefined
  /** Absent if one instance serves the whole cluster. */
  readonly ownNode?: OwnNode | undefined
}

/**
 * - `ours`: provision it.
 * - `contend`: instances on other nodes may want it as well, and the first to write the selected node gets it.
 * - `wait`: not for us in its current state. All that can change this is watched.
 * - `refuse`: ours, but it can't be provisioned as it is; the user has to know.
 */
export type Eligibility =
  | { readonly kind: 'ours' | 'contend'; readonly class: StorageClass }
  | { readonly kind: 'wait' | 'refuse'; readonly reason: ProvisionerReason }

/** Whether we should provision a claim now. Phase and deletion don't count: a pod may be waiting for a claim that is being deleted. */
export function judgeClaim({ driverName, claim, class: storageClass, ownNode }: EligibilityQuestion): Eligibility {
  const { volumeName } = claim.spec
  if (volumeName) return wait(REASONS.ClaimHasVolume(volumeName))

  const provisioner = provisionerOf(claim)
  if (provisioner !== driverName) {
    // The parameters of an in-tree plugin would create a volume that the user did not intend.
    if (findAnnotation(claim, MIGRATED_TO) === driverName)
      return { kind: 'refuse', reason: REASONS.MigrationNotSupported(driverName) }
    return wait(provisioner === undefined ? REASONS.ClaimNotMarked : REASONS.OtherProvisioner(provisioner))
  }

  const className = classNameOf(claim)
  if (!storageClass) return wait(REASONS.StorageClassUnknown(className))
  if (storageClass.provisioner !== driverName)
    return wait(REASONS.ClassOfOtherProvisioner(className, storageClass.provisioner))

  const selectedNode = selectedNodeOf(claim)
  if (ownNode && selectedNode !== '' && selectedNode !== ownNode.name) return wait(REASONS.OtherNode(selectedNode))
  if (storageClass.volumeBindingMode === 'WaitForFirstConsumer' && selectedNode === '')
    return wait(REASONS.NoNodeSelected)
  if (!ownNode || selectedNode !== '') return { kind: 'ours', class: storageClass }
  if (!ownNode.immediateBinding) return wait(REASONS.NoNodeSelectedForNode(ownNode.name))
  return matchesTopologyTerms(storageClass.allowedTopologies ?? [], ownNode.segments)
    ? { kind: 'contend', class: storageClass }
    : wait(REASONS.TopologyNotAllowed(ownNode.name))
}

/** The provisioner that the binder has assigned the claim to. */
export const provisionerOf = (claim: PersistentVolumeClaim): string | undefined =>
  findAnnotation(claim, STORAGE_PROVISIONER) ?? findAnnotation(claim, BETA_STORAGE_PROVISIONER)

const wait = (reason: ProvisionerReason): Eligibility => ({ kind: 'wait', reason })
