import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { formatReason } from '../../api/reason.ts'
import { defineController, DONE, keyIfPresent, on, startControllers } from '../../kube/controller/index.ts'
import type { StartClusterController } from '../cluster-controller.ts'
import { nextExpansionStep } from './next-expansion-step.ts'

/** Reports in an event what a claim that is to be expanded is waiting for. */
export const startExpansion: StartClusterController<object> = (_config, world, signal) =>
  startControllers(world, signal, ({ follow }) => {
    const claims = follow(PERSISTENT_VOLUME_CLAIMS)
    const volumes = follow(PERSISTENT_VOLUMES)
    const expansion = defineController({
      name: 'expansion',
      watch: [on(claims, keyIfPresent)],
      view: (key) => {
        const claim = claims.get(key)
        const volume = volumes.get(claim?.spec.volumeName ?? '')
        return claim && { seen: { claim, ...(volume ? { volume } : {}) } }
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
    return [expansion]
  })
