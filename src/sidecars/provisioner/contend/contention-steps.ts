import { isConflict, isNotFound } from '../../../api/api-error.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import { formatReason } from '../../../api/reason.ts'
import { backoffDelayMs } from '../../../base/backoff.ts'
import { CsiError } from '../../../csi/csi-error.ts'
import { ControllerServiceCapability_RPC_Type as Capability } from '../../../csi/generated/csi/v1/csi.ts'
import { after, DONE } from '../../../kube/controller/index.ts'
import type { ControllerRole, Pass, StepOutcome } from '../../../kube/controller/index.ts'
import type { RoleParts } from '../../role.ts'
import type { ProvisionSettings } from '../provisioner-options.ts'
import type { ClaimMemory, ReadObjects } from '../provision-view.ts'
import type { ContentionStep, RoomAnswer } from './next-contention-step.ts'

type ContentionPass = Pass<
  { readonly seen: { readonly claim: PersistentVolumeClaim | undefined } },
  ClaimMemory,
  ReadObjects
>
type StepOf<Kind> = Extract<ContentionStep, { kind: Kind }>

// Independent of the configured delays. A change of the claim brings it back sooner.
const SHORTEST_PAUSE_MS = 1000

/** How an instance contends with those on other nodes for claims without a selected node. It never blocks a worker while waiting for its turn. */
export function contentionSteps(
  settings: Omit<ProvisionSettings, 'identity' | 'useAttributesClasses'>,
  { driver, facts }: Pick<RoleParts, 'driver' | 'facts'>,
  { api, clock, random }: ControllerRole,
) {
  const { nodeDeploymentBaseDelayMs: baseMs, nodeDeploymentMaxDelayMs: maximumMs, timeoutMs, ownNode } = settings
  // The backoff minus a random part of the base delay, so that nodes which saw the claim at the same time don't act at the same time.
  const draw = (pass: ContentionPass): number => {
    const turns = (pass.memory?.turns ?? 0) + 1
    const delayMs = backoffDelayMs({ initialMs: baseMs, maximumMs }, turns, random)
    const waitMs = Math.max(0, delayMs - baseMs * random.fraction())
    pass.memory = { ...pass.memory, turns, turnAtMs: clock.monotonicMs() + waitMs }
    return waitMs
  }
  const pause = (pass: ContentionPass): StepOutcome => after(Math.max(draw(pass), SHORTEST_PAUSE_MS))
  return {
    'draw-turn': (_step: StepOf<'draw-turn'>, pass: ContentionPass): void => void draw(pass),
    'ask-for-room': async ({ request }: StepOf<'ask-for-room'>, pass: ContentionPass): Promise<void> => {
      const { volumeCapabilities, parameters } = request
      const segments = { ...ownNode?.segments }
      const place = Object.keys(segments).length === 0 ? {} : { accessibleTopology: { segments } }
      let room: RoomAnswer = { kind: 'unknown' }
      try {
        if (facts.controller.has(Capability.GET_CAPACITY)) {
          const options = { timeoutMs, signal: pass.signal }
          const answer = await driver.getCapacity({ volumeCapabilities, parameters, ...place }, options)
          room = { kind: 'room', available: answer.availableCapacity, largestVolume: answer.maximumVolumeSize }
        }
      } catch (error) {
        if (!(error instanceof CsiError)) throw error
        // If the capacity is too small, CreateVolume fails, and the claim is given back then.
        pass.log.warn('the driver did not report its capacity', { error })
      }
      pass.reads = { ...pass.reads, room }
    },
    'take-claim': async ({ object }: StepOf<'take-claim'>, pass: ContentionPass): Promise<StepOutcome> => {
      try {
        await api.update(PERSISTENT_VOLUME_CLAIMS, object)
      } catch (error) {
        if (isConflict(error)) return pause(pass)
        if (!isNotFound(error)) throw error
      }
      // After insufficient capacity, other nodes get the claim first: the number of turns is kept.
      pass.memory = { ...pass.memory, turnAtMs: undefined }
      return DONE
    },
    'leave-claim': ({ reason }: StepOf<'leave-claim'>, pass: ContentionPass): StepOutcome => {
      const { claim } = pass.view.seen
      if (claim) pass.say(claim, { type: 'Normal', event: 'WaitForCapacity' }, formatReason(reason), 'capacity')
      return pause(pass)
    },
  }
}
