import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { keyOf, refOf } from '../../api/object-key.ts'
import { quantityOfBytes, quantityToBytes } from '../../api/quantity.ts'
import { formatReason } from '../../api/reason.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { outcomeOf } from '../../csi/outcome-of.ts'
import { defineController, patchAsSeen } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import { PRE_RESIZE_CAPACITY } from '../../storage/names.ts'
import { isFinishedPod, podClaimKeysOf } from '../../storage/pod-claims.ts'
import { volumeCapabilityOf } from '../../storage/volume-capability.ts'
import { beginExpansionPatch, expansionDonePatch, expansionFailedPatch, nodeExpansionPatch } from './claim-patches.ts'
import { readExpandView } from './expand-view.ts'
import type { ExpandAnswer, ExpandHeld, ExpandView, Failure } from './expand-view.ts'
import { nextExpandStep, statusCapacityOf } from './next-expand-step.ts'
import type { ExpandStep } from './next-expand-step.ts'
import { REASONS } from './reasons.ts'
import { claimSteps } from './resizer-parts.ts'
import type { Memory, Reads, ResizerParts } from './resizer-parts.ts'

export type ExpandRules = Pick<ExpandHeld, 'isNodeOnly' | 'avoidsUsedVolumes' | 'annotatesFsResize'>

/** Expands volumes to the size that their claims request. */
export function defineExpandController(role: ControllerRole, parts: ResizerParts, rules: ExpandRules) {
  const { api, clock } = role
  const { driverName, queue, watch, claims, volumes } = parts
  const failure = { event: 'VolumeResizeFailed', problem: 'volume not expanded' }
  const steps = claimSteps<ExpandView, ExpandAnswer>(role, parts, failure)
  const { patchClaim, call, held, readSecret, refuse, settled } = steps
  return defineController<ExpandView, ExpandStep, Memory<ExpandAnswer>, Reads>({
    name: 'resizer',
    queue,
    watch,
    view: (key, { memory, reads }) => {
      const seen = readExpandView(claims.get(key), volumes.get, driverName)
      return seen && { seen, held: { ...rules, ...held(seen.claim, memory, reads) } }
    },
    decide: nextExpandStep,
    lifeOf: ({ seen }) => [seen.claim.metadata.uid],
    perform: {
      'drop-previous-size': ({ volume }) =>
        patchAsSeen(api, PERSISTENT_VOLUMES, volume, {
          type: 'merge',
          value: { metadata: { uid: volume.metadata.uid, annotations: { [PRE_RESIZE_CAPACITY]: null } } },
        }),
      begin: (step, { view: { seen } }) => patchClaim(seen.claim, beginExpansionPatch(seen.claim, step, clock.nowMs())),
      // Requested from the server if a driver refuses: a cache of all pods would cost far more.
      'find-users': async (_step, pass) => {
        const { claim } = pass.view.seen
        const { items } = await api.list(PODS, { namespace: claim.metadata.namespace ?? '' })
        const users = items.filter((pod) => !isFinishedPod(pod) && podClaimKeysOf(pod).includes(keyOf(claim)))
        pass.reads = { ...pass.reads, users: users.map(keyOf) }
      },
      'read-secret': readSecret,
      refuse,
      expand: ({ target, volume }, pass) => {
        const { claim } = pass.view.seen
        const { name } = volume.metadata
        const begun = { type: 'Normal', event: 'Resizing' } as const
        pass.say(claim, begun, `External resizer is resizing volume ${name}`, 'begin')
        return call(
          pass,
          target,
          (secrets) => expandVolume(volume, target, secrets, rules.isNodeOnly, parts, pass.signal),
          (error) => {
            const outcome = expandOutcomeOf(error)
            const problem = { message: error.message, isInfeasible: outcome === 'infeasible' }
            const text = `resize volume "${name}" by resizer "${driverName}" failed: ${error.message}`
            const patch = outcome === 'in-doubt' ? undefined : expansionFailedPatch(claim, problem, clock.nowMs())
            return { outcome, text, patch }
          },
        )
      },
      'record-volume': async ({ volume, size, needsNode }, pass) => {
        const before = statusCapacityOf(pass.view.seen.claim)
        const annotations = volume.metadata.annotations ?? {}
        const isKept = !needsNode || !rules.annotatesFsResize || PRE_RESIZE_CAPACITY in annotations
        await api.patch(PERSISTENT_VOLUMES, refOf(volume), {
          type: 'merge',
          value: {
            metadata: {
              uid: volume.metadata.uid,
              ...(isKept ? {} : { annotations: { [PRE_RESIZE_CAPACITY]: before } }),
            },
            spec: { capacity: { storage: size } },
          },
        })
      },
      'record-claim': async ({ size, needsNode }, pass) => {
        const { claim, volume } = pass.view.seen
        await patchClaim(claim, needsNode ? nodeExpansionPatch(claim, clock.nowMs()) : expansionDonePatch(claim, size))
        if (needsNode) settled(pass, 'FileSystemResizeRequired', 'Require file system resize of volume on node')
        else settled(pass, 'VolumeResizeSuccessful', 'Resize volume succeeded')
        pass.log.info('volume expanded', { volume: volume?.metadata.name, size, needsNode })
      },
    },
    report: { event: 'VolumeResizeFailed', about: ({ seen }) => seen.claim },
  })
}

async function expandVolume(
  { spec }: PersistentVolume,
  target: string,
  secrets: Record<string, string>,
  isNodeOnly: boolean,
  { driver, capabilityRules, config: { timeoutMs } }: ResizerParts,
  signal: AbortSignal,
): Promise<ExpandAnswer> {
  if (isNodeOnly) return { size: target, needsNode: true }
  const requiredBytes = quantityToBytes(target)
  const volumeCapability = volumeCapabilityOf(spec, capabilityRules)
  if (!volumeCapability)
    throw refusal(formatReason(REASONS.AccessModesUnclear((spec.accessModes ?? []).join(', ') || 'none')))
  const volumeId = spec.csi?.volumeHandle ?? ''
  const capacityRange = { requiredBytes, limitBytes: 0n }
  const { capacityBytes, nodeExpansionRequired: needsNode } = await driver.controllerExpandVolume(
    { volumeId, capacityRange, secrets, volumeCapability },
    { timeoutMs, signal },
  )
  // If a driver returns no size, it has expanded to the requested one.
  if (capacityBytes !== 0n && capacityBytes < requiredBytes)
    throw refusal(formatReason(REASONS.AnswerTooSmall(capacityBytes, requiredBytes)))
  return { size: capacityBytes === 0n ? target : quantityOfBytes(capacityBytes), needsNode }
}

const refusal = (text: string): CsiError => new CsiError('INTERNAL', text, { rpc: 'ControllerExpandVolume' })

function expandOutcomeOf(error: CsiError): Failure['outcome'] {
  if (error.code === 'FAILED_PRECONDITION') return 'in-use'
  const outcome = outcomeOf('ControllerExpandVolume', error)
  if (outcome === 'in-doubt') return 'in-doubt'
  return error.code === 'INVALID_ARGUMENT' || error.code === 'OUT_OF_RANGE' || error.code === 'NOT_FOUND'
    ? 'infeasible'
    : 'final'
}
