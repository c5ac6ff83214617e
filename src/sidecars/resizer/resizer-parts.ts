import type { Patch } from '../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { formatReason } from '../../api/reason.ts'
import { backoffDelayMs, backoffOf } from '../../base/backoff.ts'
import { CsiError } from '../../csi/csi-error.ts'
import type { Driver } from '../../csi/rpc.ts'
import { after, patchAsSeen } from '../../kube/controller/index.ts'
import type { ControllerRole, FollowedKind, Pass, Watch, WorkQueue, WorkResult } from '../../kube/controller/index.ts'
import { readSecret } from '../../storage/read-secret.ts'
import type { SecretRead } from '../../storage/read-secret.ts'
import type { SecretRef } from '../../storage/secret-reason.ts'
import type { CapabilityRules } from '../../storage/volume-capability.ts'
import type { CallMemory, Failure } from './expand-view.ts'
import type { ResizerReason } from './reasons.ts'
import type { ResizerConfig } from './resizer-options.ts'

/** Shared by the controllers of the resizer. */
export type ResizerParts = {
  readonly driver: Driver
  readonly driverName: string
  readonly config: ResizerConfig
  readonly capabilityRules: CapabilityRules
  readonly queue: WorkQueue
  readonly watch: readonly Watch[]
  readonly claims: FollowedKind<PersistentVolumeClaim>
  readonly volumes: FollowedKind<PersistentVolume>
}

/** A claim that was deleted and created again starts from scratch. */
export type Memory<Answer> = CallMemory<Answer> & { readonly uid: string }
export type Reads = { readonly secret: SecretRead; readonly users: readonly string[] }
type ClaimView = { readonly seen: { readonly claim: PersistentVolumeClaim } }

/** How a failed call is recorded. Without a patch, the status still shows what may be running. */
export type CallFailure = {
  readonly outcome: Failure['outcome']
  readonly text: string
  readonly patch: Patch | undefined
}

/** The steps of both controllers for a claim. `event` is recorded when a call fails or is not made, `problem` is logged when it fails. */
export function claimSteps<View extends ClaimView, Answer>(
  { api, clock, random, events }: ControllerRole,
  { config }: ResizerParts,
  { event, problem }: { readonly event: string; readonly problem: string },
) {
  type ClaimPass = Pass<View, Memory<Answer>, Reads>
  const backoff = backoffOf(config)
  const patchClaim = (claim: PersistentVolumeClaim, patch: Patch | undefined): Promise<void> =>
    patchAsSeen(api, PERSISTENT_VOLUME_CLAIMS, claim, patch, { subresource: 'status' })
  /** Remembers the failure and returns when to retry. */
  const fail = (pass: ClaimPass, target: string, outcome: Failure['outcome'], message: string): WorkResult => {
    const { memory } = pass
    const count = memory?.kind === 'failed' && memory.target === target ? memory.count + 1 : 1
    // An infeasible target stays infeasible until the user requests another one.
    const delayMs = outcome === 'infeasible' ? config.retryIntervalMaxMs : backoffDelayMs(backoff, count, random)
    const { uid = '' } = pass.view.seen.claim.metadata
    pass.memory = { kind: 'failed', uid, target, outcome, message, count, retryAtMs: clock.monotonicMs() + delayMs }
    return after(delayMs)
  }
  return {
    patchClaim,
    /** Calls the driver, and remembers the response or the failure. */
    call: async (
      pass: ClaimPass,
      target: string,
      send: (secrets: Record<string, string>) => Promise<Answer>,
      failureOf: (error: CsiError) => CallFailure,
    ): Promise<void | WorkResult> => {
      const { claim } = pass.view.seen
      const { secret } = pass.reads
      try {
        const answer = await send(secret?.kind === 'read' ? { ...secret.values } : {})
        pass.memory = { kind: 'done', uid: claim.metadata.uid ?? '', target, ...answer }
      } catch (error) {
        pass.signal.throwIfAborted()
        if (!(error instanceof CsiError)) throw error
        const { outcome, text, patch } = failureOf(error)
        const result = fail(pass, target, outcome, error.message)
        events.record(claim, 'Warning', event, text)
        pass.log.warn(problem, { volume: claim.spec.volumeName, target, error: error.message })
        await patchClaim(claim, patch)
        return result
      }
    },
    held: ({ metadata }: PersistentVolumeClaim, memory: Memory<Answer> | undefined, reads: Partial<Reads>) => ({
      nowMs: clock.monotonicMs(),
      ...reads,
      ...(memory !== undefined && memory.uid === metadata.uid ? { memory } : {}),
    }),
    readSecret: async ({ ref }: { readonly ref: SecretRef }, pass: ClaimPass): Promise<void> => {
      pass.reads = { ...pass.reads, secret: await readSecret(api, ref) }
    },
    refuse: (
      { target, reason }: { readonly target: string; readonly reason: ResizerReason },
      pass: ClaimPass,
    ): WorkResult => {
      const text = formatReason(reason)
      pass.say(pass.view.seen.claim, { type: 'Warning', event }, text)
      return fail(pass, target, reason.code === 'VolumeInUse' ? 'in-use' : 'final', reason.message ?? text)
    },
    /** The objects show the result. */
    settled: (pass: ClaimPass, done: string, text: string): void => {
      pass.memory = undefined
      pass.unsay()
      events.record(pass.view.seen.claim, 'Normal', done, text)
    },
  }
}
