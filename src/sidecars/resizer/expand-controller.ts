import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { keyOf, refOf } from '../../api/object-key.ts'
import { quantityOfBytes, quantityToBytes } from '../../api/quantity.ts'
import { formatReason } from '../../api/reason.ts'
import { backoffDelayMs } from '../../base/backoff.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { outcomeOf } from '../../csi/outcome-of.ts'
import type { Driver } from '../../csi/rpc.ts'
import { after, defineController, patchAsSeen } from '../../kube/controller/index.ts'
import type { ControllerRole, Pass, WorkResult } from '../../kube/controller/index.ts'
import { PRE_RESIZE_CAPACITY } from '../../storage/names.ts'
import { isFinishedPod, podClaimKeysOf } from '../../storage/pod-claims.ts'
import { readSecret } from '../../storage/read-secret.ts'
import type { SecretRead } from '../../storage/read-secret.ts'
import { volumeCapabilityOf } from '../../storage/volume-capability.ts'
import { beginExpansionPatch, expansionDonePatch, expansionFailedPatch, nodeExpansionPatch } from './claim-patches.ts'
import { readExpandView } from './expand-view.ts'
import type { ExpandHeld, ExpandMemory, ExpandView } from './expand-view.ts'
import { nextExpandStep, statusCapacityOf } from './next-expand-step.ts'
import type { ExpandStep } from './next-expand-step.ts'
import { REASONS } from './reasons.ts'
import type { ResizerParts } from './resizer-parts.ts'

/** A claim that was deleted and created again starts from scratch. */
type Memory = ExpandMemory & { readonly uid: string }
type Reads = { readonly secret: SecretRead; readonly users: readonly string[] }
type ExpandPass = Pass<ExpandView, Memory, Reads>
type Failure = Extract<ExpandMemory, { kind: 'failed' }>

export type ExpandRules = Pick<ExpandHeld, 'isNodeOnly' | 'avoidsUsedVolumes' | 'annotatesFsResize'>

/** Makes volumes as large as their claims request. */
export function defineExpandController(
  { api, clock, random, events }: ControllerRole,
  { driver, driverName, config, capabilityRules, queue, watch, claims, volumes }: ResizerParts,
  rules: ExpandRules,
) {
  const backoff = { initialMs: config.retryIntervalStartMs, maximumMs: config.retryIntervalMaxMs }

  const patchClaim = (claim: PersistentVolumeClaim, patch: Parameters<typeof patchAsSeen>[3]): Promise<void> =>
    patchAsSeen(api, PERSISTENT_VOLUME_CLAIMS, claim, patch, { subresource: 'status' })

  /** Remembers the failure and says when to try again. */
  const fail = (
    pass: ExpandPass,
    target: string,
    { outcome, message }: Pick<Failure, 'outcome' | 'message'>,
  ): WorkResult => {
    const { memory } = pass
    const count = memory?.kind === 'failed' && memory.target === target ? memory.count + 1 : 1
    // An infeasible size stays infeasible until the user requests another one.
    const delayMs = outcome === 'infeasible' ? config.retryIntervalMaxMs : backoffDelayMs(backoff, count, random)
    const { uid = '' } = pass.view.seen.claim.metadata
    pass.memory = { kind: 'failed', uid, target, outcome, message, count, retryAtMs: clock.monotonicMs() + delayMs }
    return after(delayMs)
  }

  const expand = async (target: string, volume: PersistentVolume, pass: ExpandPass): Promise<void | WorkResult> => {
    const { claim } = pass.view.seen
    pass.say(
      claim,
      { type: 'Normal', event: 'Resizing' },
      `External resizer is resizing volume ${volume.metadata.name}`,
      'begin',
    )
    try {
      const answer = rules.isNodeOnly
        ? { size: target, needsNode: true }
        : await callDriver(driver, volume, target, {
            rules: capabilityRules,
            secrets: pass.reads.secret?.kind === 'read' ? pass.reads.secret.values : {},
            timeoutMs: config.timeoutMs,
            signal: pass.signal,
          })
      pass.memory = { kind: 'expanded', uid: claim.metadata.uid ?? '', target, ...answer }
    } catch (error) {
      pass.signal.throwIfAborted()
      if (!(error instanceof CsiError)) throw error
      return recordFailure(error, target, volume, pass)
    }
  }

  const recordFailure = async (
    error: CsiError,
    target: string,
    volume: PersistentVolume,
    pass: ExpandPass,
  ): Promise<WorkResult> => {
    const { claim } = pass.view.seen
    const outcome = expandOutcomeOf(error)
    const result = fail(pass, target, { outcome, message: error.message })
    const text = `resize volume "${volume.metadata.name}" by resizer "${driverName}" failed: ${error.message}`
    events.record(claim, 'Warning', 'VolumeResizeFailed', text)
    pass.log.warn('volume not expanded', { volume: volume.metadata.name, target, error: error.message })
    // Nothing is written while the outcome is unknown: the status still says what may be running.
    if (outcome !== 'in-doubt')
      await patchClaim(
        claim,
        expansionFailedPatch(claim, { message: error.message, isInfeasible: outcome === 'infeasible' }, clock.nowMs()),
      )
    return result
  }

  return defineController<ExpandView, ExpandStep, Memory, Reads>({
    name: 'resizer',
    queue,
    watch,
    view: (key, { memory, reads }) => {
      const seen = readExpandView(claims.get(key), (name) => volumes.get(name), driverName)
      if (!seen) return undefined
      const isOfClaim = memory !== undefined && memory.uid === seen.claim.metadata.uid
      const held = { nowMs: clock.monotonicMs(), ...rules, ...reads, ...(isOfClaim ? { memory } : {}) }
      return { seen, held }
    },
    decide: nextExpandStep,
    perform: {
      'drop-previous-size': ({ volume }) =>
        patchAsSeen(api, PERSISTENT_VOLUMES, volume, {
          type: 'merge',
          value: { metadata: { uid: volume.metadata.uid, annotations: { [PRE_RESIZE_CAPACITY]: null } } },
        }),
      begin: (step, { view: { seen } }) => patchClaim(seen.claim, beginExpansionPatch(seen.claim, step, clock.nowMs())),
      // Asked of the server when a driver refuses: a cache of all pods would cost far more than this ever does.
      'find-users': async (_step, pass) => {
        const { claim } = pass.view.seen
        const { items } = await api.list(PODS, { namespace: claim.metadata.namespace ?? '' })
        const users = items.filter((pod) => !isFinishedPod(pod) && podClaimKeysOf(pod).includes(keyOf(claim)))
        pass.reads = { ...pass.reads, users: users.map(keyOf) }
      },
      'read-secret': async ({ ref }, pass) => {
        pass.reads = { ...pass.reads, secret: await readSecret(api, ref) }
      },
      refuse: ({ target, reason }, pass) => {
        const text = formatReason(reason)
        pass.say(pass.view.seen.claim, { type: 'Warning', event: 'VolumeResizeFailed' }, text)
        const outcome = reason.code === 'VolumeInUse' ? 'in-use' : 'final'
        return fail(pass, target, { outcome, message: reason.message ?? text })
      },
      expand: ({ target, volume }, pass) => expand(target, volume, pass),
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
        pass.memory = undefined
        pass.unsay()
        if (needsNode)
          events.record(claim, 'Normal', 'FileSystemResizeRequired', 'Require file system resize of volume on node')
        else events.record(claim, 'Normal', 'VolumeResizeSuccessful', 'Resize volume succeeded')
        pass.log.info('volume expanded', { volume: volume?.metadata.name, size, needsNode })
      },
    },
    report: { event: 'VolumeResizeFailed', about: ({ seen }) => seen.claim },
  })
}

type ExpandCall = {
  readonly rules: ResizerParts['capabilityRules']
  readonly secrets: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

async function callDriver(
  driver: Driver,
  { spec }: PersistentVolume,
  target: string,
  { rules, secrets, ...options }: ExpandCall,
): Promise<{ size: string; needsNode: boolean }> {
  const requiredBytes = quantityToBytes(target)
  const volumeCapability = volumeCapabilityOf(spec, rules)
  if (!volumeCapability)
    throw refusal(formatReason(REASONS.accessModesUnclear((spec.accessModes ?? []).join(', ') || 'none')))
  const { capacityBytes, nodeExpansionRequired } = await driver.controllerExpandVolume(
    {
      volumeId: spec.csi?.volumeHandle ?? '',
      capacityRange: { requiredBytes, limitBytes: 0n },
      secrets: { ...secrets },
      volumeCapability,
    },
    options,
  )
  // A driver that names no size has done as it was told.
  if (capacityBytes !== 0n && capacityBytes < requiredBytes)
    throw refusal(formatReason(REASONS.answerTooSmall(capacityBytes, requiredBytes)))
  return {
    size: capacityBytes === 0n ? target : quantityOfBytes(capacityBytes),
    needsNode: nodeExpansionRequired,
  }
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
