import { isConflict, isNotFound } from '../../../api/api-error.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import { formatReason } from '../../../api/reason.ts'
import { unreachable } from '../../../base/abort.ts'
import { backoffDelayMs } from '../../../base/backoff.ts'
import { ControllerServiceCapability_RPC_Type as Capability } from '../../../csi/generated/csi/v1/csi.ts'
import { CsiError } from '../../../csi/csi-error.ts'
import { after, DONE } from '../../../kube/controller.ts'
import { within } from '../../../kube/within.ts'
import type { WorkResult } from '../../../kube/work-queue.ts'
import type { RoleParts } from '../../role.ts'
import type { OwnNode } from '../claim-eligibility.ts'
import type { ProvisionPlan } from '../plan-volume.ts'
import type { ProvisionerConfig } from '../provisioner-options.ts'
import { nextContentionStep } from './next-contention-step.ts'
import type { RoomAnswer } from './next-contention-step.ts'

export type ContentionParts = Pick<RoleParts, 'driver' | 'facts' | 'api' | 'events' | 'clock' | 'random' | 'log'> & {
  readonly ownNode: Pick<OwnNode, 'name' | 'segments'>
  /** A claim as the server answered: the cache may lag behind. */
  remember?(claim: PersistentVolumeClaim): void
}

/** Contends with the instances on other nodes for claims that no node was selected for. */
export interface Contention {
  /** One pass. It never waits for its turn: the result says when to come again. */
  contend(claim: PersistentVolumeClaim, plan: ProvisionPlan, signal: AbortSignal): Promise<WorkResult>
  /** The claim is bound or gone: the next one by that uid begins anew. */
  forget(uid: string): void
}

type Turn = {
  /** Turns so far: each waits longer. */ readonly count: number
  readonly atMs: number | undefined
  readonly told: boolean
}
type Config = Pick<ProvisionerConfig, 'nodeDeploymentBaseDelayMs' | 'nodeDeploymentMaxDelayMs' | 'timeoutMs'>

// Whatever the delays are set to. What changes the claim brings it back sooner.
const SHORTEST_PAUSE_MS = 1000
const FIRST: Turn = { count: 0, atMs: undefined, told: false }

export function createContention(config: Config, parts: ContentionParts): Contention {
  const { driver, facts, api, events, clock, random, log, ownNode, remember } = parts
  const { nodeDeploymentBaseDelayMs: baseMs, nodeDeploymentMaxDelayMs: maximumMs, timeoutMs } = config
  const turns = new Map<string, Turn>()

  // Up to the base less than the bound, so that nodes which all saw the claim at once don't come at once.
  const draw = (uid: string, turn: Turn): number => {
    const count = turn.count + 1
    const waitMs = Math.max(
      0,
      backoffDelayMs({ initialMs: baseMs, maximumMs }, count, random) - baseMs * random.fraction(),
    )
    turns.set(uid, { ...turn, count, atMs: clock.monotonicMs() + waitMs })
    return waitMs
  }
  const ask = async (
    { request: { volumeCapabilities, parameters } }: ProvisionPlan,
    signal: AbortSignal,
  ): Promise<RoomAnswer> => {
    if (!facts.controller.has(Capability.GET_CAPACITY)) return { kind: 'unknown' }
    const { segments } = ownNode
    const place = Object.keys(segments).length === 0 ? {} : { accessibleTopology: { segments: { ...segments } } }
    try {
      const { availableCapacity, maximumVolumeSize } = await driver.getCapacity(
        { volumeCapabilities, parameters, ...place },
        { timeoutMs, signal },
      )
      return { kind: 'room', available: availableCapacity, largestVolume: maximumVolumeSize }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof CsiError)) throw error
      // Whether there is room is going to show when the volume is made; it is given back then.
      log.warn('the driver does not say how much room there is', { error })
      return { kind: 'unknown' }
    }
  }
  /** False: somebody else changed the claim first. */
  const take = async (object: PersistentVolumeClaim, signal: AbortSignal): Promise<boolean> => {
    try {
      const taken = await within(clock, signal, (until) =>
        api.update(PERSISTENT_VOLUME_CLAIMS, object, { signal: until }),
      )
      remember?.(taken)
      return true
    } catch (error) {
      if (isConflict(error)) return false
      if (isNotFound(error)) return true
      throw error
    }
  }

  const contend = async (
    claim: PersistentVolumeClaim,
    plan: ProvisionPlan,
    signal: AbortSignal,
  ): Promise<WorkResult> => {
    const { uid = '' } = claim.metadata
    const requestedBytes = plan.request.capacityRange?.requiredBytes ?? 0n
    let answer: RoomAnswer | undefined
    for (;;) {
      const turn = turns.get(uid) ?? FIRST
      const waitMs = turn.atMs === undefined ? undefined : turn.atMs - clock.monotonicMs()
      const step = nextContentionStep({
        seen: { claim, nodeName: ownNode.name, requestedBytes },
        held: { waitMs, answer },
      })
      switch (step.kind) {
        case 'give-up':
          turns.delete(uid)
          return DONE
        case 'draw':
          draw(uid, turn)
          break
        case 'wait':
          return after(step.forMs)
        case 'ask':
          answer = await ask(plan, signal)
          break
        case 'take':
          if (!(await take(step.object, signal))) return after(Math.max(draw(uid, turn), SHORTEST_PAUSE_MS))
          // One that comes back since there was no room after all goes to others first: the count stays.
          turns.set(uid, { ...turn, atMs: undefined })
          return DONE
        case 'leave':
          if (!turn.told) events.record(claim, 'Normal', 'WaitForCapacity', formatReason(step.reason))
          return after(Math.max(draw(uid, { ...turn, told: true }), SHORTEST_PAUSE_MS))
        default:
          return unreachable(step)
      }
    }
  }
  return { contend, forget: (uid) => void turns.delete(uid) }
}
