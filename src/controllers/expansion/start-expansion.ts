import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { formatReason } from '../../api/reason.ts'
import { defineController, DONE, keyIfPresent, on, patchAsSeen, startControllers } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import { podClaimKeysOf } from '../../storage/pod-claims.ts'
import type { StartRole } from '../../kube/process/role-world.ts'
import { nextExpansionStep } from './next-expansion-step.ts'
import { nextHintStep } from './next-hint-step.ts'

/** Reports in an event what a claim that is to be expanded is waiting for, and notifies the nodes when it is their turn. */
export const startExpansion: StartRole<object> = (_config, world, signal) =>
  startControllers(world, signal, (role) => [defineExpansion(role), defineHints(role)])

function defineExpansion({ follow }: ControllerRole) {
  const claims = follow(PERSISTENT_VOLUME_CLAIMS)
  const volumes = follow(PERSISTENT_VOLUMES)
  return defineController({
    name: 'expansion',
    watch: [on(claims, keyIfPresent)],
    view: (key) => {
      const claim = claims.get(key)
      const volume = volumes.get(claim?.spec.volumeName ?? '')
      return claim && { seen: { claim, volume } }
    },
    decide: nextExpansionStep,
    perform: {
      wait: (_step, pass) => pass.unsay(),
      'hand-over': ({ reason }, pass) => {
        pass.say(pass.view.seen.claim, { type: 'Normal', event: 'ExternalExpanding' }, formatReason(reason))
        return DONE
      },
    },
  })
}

function defineHints({ api, follow }: ControllerRole) {
  const claims = follow(PERSISTENT_VOLUME_CLAIMS)
  const podsOf = follow(PODS).indexBy(podClaimKeysOf)
  return defineController({
    name: 'expansion-hints',
    // Not on pods: a node reads the claims of a new pod anyway.
    watch: [on(claims, keyIfPresent)],
    view: (key) => {
      const claim = claims.get(key)
      return claim && { seen: { claim, pods: podsOf(key) } }
    },
    decide: nextHintStep,
    perform: {
      hint: ({ pod, annotation, size }) => {
        const value = { metadata: { uid: pod.metadata.uid, annotations: { [annotation]: size } } }
        return patchAsSeen(api, PODS, pod, { type: 'merge', value })
      },
    },
  })
}
