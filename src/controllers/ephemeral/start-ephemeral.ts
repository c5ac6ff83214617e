import { ApiError, isAlreadyExists, isLasting } from '../../api/api-error.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { keyOf, refOf } from '../../api/object-key.ts'
import { formatReason } from '../../api/reason.ts'
import { count } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'
import { defineController, DONE, on, startControllers } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import { podClaimsOf } from '../../storage/pod-claims.ts'
import type { StartRole } from '../../kube/process/role-world.ts'
import { nextEphemeralStep } from './next-ephemeral-step.ts'
import type { EphemeralStep, EphemeralView } from './next-ephemeral-step.ts'

const FAILED_BINDING = 'FailedBinding'

export const ephemeralOptions = {
  workers: count(10, 'Number of pods to process concurrently.', { minimum: 1 }),
} satisfies OptionTable

type EphemeralConfig = ConfigOf<typeof ephemeralOptions>

/** Creates the claims of pods with generic ephemeral volumes. */
export const startEphemeral: StartRole<EphemeralConfig> = (config, world, signal) =>
  startControllers(world, signal, (role) => [defineEphemeral(config, role)])

function defineEphemeral(config: EphemeralConfig, { api, follow, createQueue }: ControllerRole) {
  const pods = follow(PODS)
  const podsOf = pods.indexBy(ownClaimKeysOf)
  const claims = follow(PERSISTENT_VOLUME_CLAIMS)

  /** The claim that already exists, which the cache does not show yet; undefined if it was created. */
  const create = async (pod: Pod, claim: PersistentVolumeClaim): Promise<PersistentVolumeClaim | undefined> => {
    try {
      await api.create(PERSISTENT_VOLUME_CLAIMS, claim)
      return undefined
    } catch (error) {
      if (isAlreadyExists(error)) return api.get(PERSISTENT_VOLUME_CLAIMS, refOf(claim))
      if (isLasting(error))
        throw new ApiError(
          error.reason,
          `ephemeral volume ${podVolumeNameOf(pod, claim)}: create PVC ${claim.metadata.name}: ${error.message}`,
          { cause: error },
        )
      throw error
    }
  }
  return defineController<EphemeralView, EphemeralStep, undefined, { found: readonly PersistentVolumeClaim[] }>({
    name: 'ephemeral',
    queue: createQueue({ name: 'ephemeral', lanes: { default: config.workers } }),
    watch: [
      on(pods, ({ key, after }) => (after && ownClaimKeysOf(after).length > 0 ? key : undefined)),
      // A deleted claim is created again, or it was in conflict with a claim to create.
      on(claims, ({ key, after }) => (after ? undefined : podsOf(key).map(keyOf))),
    ],
    view: (key, { reads: { found = [] } }) => {
      const pod = pods.get(key)
      if (!pod) return undefined
      const present = ownClaimKeysOf(pod).flatMap((claimKey) => claims.get(claimKey) ?? [])
      return { seen: { pod, claims: [...present, ...found] } }
    },
    decide: nextEphemeralStep,
    perform: {
      'make-claims': async (step, pass) => {
        const { pod } = pass.view.seen
        for (const obstacle of step.obstacles)
          pass.say(pod, { type: 'Warning', event: FAILED_BINDING }, formatReason(obstacle), formatReason(obstacle))
        const found: PersistentVolumeClaim[] = []
        for (const claim of step.claims) {
          const present = await create(pod, claim)
          if (present) found.push(present)
          else pass.log.info('created the claim of an ephemeral volume', { claim: claim.metadata.name })
        }
        if (found.length === 0) return DONE
        pass.reads = { found }
        return undefined
      },
    },
    report: { event: FAILED_BINDING, about: ({ seen }) => seen.pod },
  })
}

const ownClaimKeysOf = (pod: Pod): string[] =>
  podClaimsOf(pod).flatMap(({ key, isEphemeral }) => (isEphemeral ? [key] : []))

/** The claim of an ephemeral volume is named `POD-VOLUME`. */
const podVolumeNameOf = (pod: Pod, claim: PersistentVolumeClaim): string =>
  (claim.metadata.name ?? '').slice((pod.metadata.name ?? '').length + 1)
