import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import { matchesTopologyTerms } from '../../api/node-selector.ts'
import type { Reason } from '../../api/reason.ts'
import {
  BETA_STORAGE_PROVISIONER,
  classNameOf,
  findAnnotation,
  MIGRATED_TO,
  selectedNodeOf,
  STORAGE_PROVISIONER,
} from '../../storage/names.ts'

/** One instance on each node, and only for volumes of that node. */
export type OwnNode = {
  readonly name: string
  /** What the driver says about the place of this node. */
  readonly segments: Readonly<Record<string, string>>
  /** Whether claims that no node was picked for may be taken. */
  readonly immediateBinding: boolean
}

export type EligibilityQuestion = {
  readonly driverName: string
  readonly claim: PersistentVolumeClaim
  /** The claim's class; left out when it is not known (yet). */
  readonly class?: StorageClass | undefined
  /** Left out: one instance serves the whole cluster. */
  readonly ownNode?: OwnNode | undefined
}

/**
 * - `ours`: provision it.
 * - `contend`: it may become ours: other nodes may want it as well, and the first to write the selected node has it.
 * - `wait`: not ours to act on as it is now, quietly. Whatever changes that is watched.
 * - `refuse`: ours, but nobody can provision it as it is; the user has to be told.
 */
export type Eligibility =
  | { readonly kind: 'ours' | 'contend'; readonly class: StorageClass }
  | { readonly kind: 'wait'; readonly reason: Reason }
  | { readonly kind: 'refuse'; readonly reason: Reason }

/** Whether a claim is ours to provision now. Phase and deletion don't count: a claim that is leaving may still have a pod waiting for it. */
export function judgeClaim({ driverName, claim, class: storageClass, ownNode }: EligibilityQuestion): Eligibility {
  const { volumeName } = claim.spec
  if (volumeName) return wait({ code: 'ClaimHasVolume', detail: { volume: volumeName } })

  const provisioner = findAnnotation(claim, STORAGE_PROVISIONER) ?? findAnnotation(claim, BETA_STORAGE_PROVISIONER)
  if (provisioner !== driverName) {
    if (findAnnotation(claim, MIGRATED_TO) === driverName)
      return { kind: 'refuse', reason: migrationReason(driverName, provisioner) }
    if (provisioner === undefined)
      return wait({ code: 'ClaimNotMarked', waitsFor: { kind: 'actor', name: 'the volume binder' } })
    return wait({ code: 'OtherProvisioner', detail: { provisioner } })
  }

  const className = classNameOf(claim)
  if (!storageClass)
    return wait({
      code: 'StorageClassUnknown',
      waitsFor: { kind: 'object', kindName: 'StorageClass', name: className },
    })
  if (storageClass.provisioner !== driverName) {
    return wait({
      code: 'ClassOfOtherProvisioner',
      detail: { class: className, provisioner: storageClass.provisioner },
    })
  }

  const selectedNode = selectedNodeOf(claim)
  if (ownNode && selectedNode !== '' && selectedNode !== ownNode.name)
    return wait({ code: 'OtherNode', detail: { node: selectedNode } })
  if (storageClass.volumeBindingMode === 'WaitForFirstConsumer' && selectedNode === '') {
    return wait({
      code: 'NoNodeSelected',
      waitsFor: { kind: 'actor', name: 'the scheduler' },
      cure: 'Create a pod that uses the claim.',
    })
  }
  if (ownNode && selectedNode === '') return judgeUnplaced(storageClass, ownNode)
  return { kind: 'ours', class: storageClass }
}

function judgeUnplaced(storageClass: StorageClass, { name, segments, immediateBinding }: OwnNode): Eligibility {
  if (!immediateBinding)
    return wait({
      code: 'NoNodeSelected',
      detail: { node: name },
      cure: 'Use a class with volumeBindingMode WaitForFirstConsumer.',
    })
  if (!matchesTopologyTerms(storageClass.allowedTopologies ?? [], segments))
    return wait({ code: 'TopologyNotAllowed', detail: { node: name } })
  return { kind: 'contend', class: storageClass }
}

// To send the parameters of an in-tree plugin to the driver as they are would make a volume that nobody meant.
const migrationReason = (driverName: string, provisioner = ''): Reason => ({
  code: 'MigrationNotSupported',
  detail: { driver: driverName, provisioner },
  cure: `Use a StorageClass with provisioner ${driverName} and parameters of that driver.`,
})

const wait = (reason: Reason): Eligibility => ({ kind: 'wait', reason })
