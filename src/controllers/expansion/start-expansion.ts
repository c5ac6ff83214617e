import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { formatReason } from '../../api/reason.ts'
import { createStops } from '../../base/stops.ts'
import type { StartClusterController } from '../cluster-controller.ts'
import type { ExpansionConfig } from './expansion-options.ts'
import { nextExpansionStep } from './next-expansion-step.ts'

/** Tells people whom a claim that is to grow waits for. */
export const startExpansion: StartClusterController<ExpansionConfig> = async (_config, { informers, events, log }, signal) => {
  const claims = informers.get(PERSISTENT_VOLUME_CLAIMS)
  const volumes = informers.get(PERSISTENT_VOLUMES)
  const stops = createStops()
  // By uid, the size that was spoken about last.
  const said = new Map<string, string>()
  const look = (claim: PersistentVolumeClaim): void => {
    const volume = volumes.get(claim.spec.volumeName ?? '')
    const step = nextExpansionStep({ seen: { claim, ...(volume ? { volume } : {}) } })
    const { uid = '' } = claim.metadata
    if (step.kind === 'wait') said.delete(uid)
    else if (said.get(uid) !== step.size) {
      said.set(uid, step.size)
      events.record(claim, 'Normal', 'ExternalExpanding', formatReason(step.reason))
    }
  }
  await Promise.all([claims.synced(signal), volumes.synced(signal)])
  stops.onStop(
    claims.onChange(({ before, after }) => {
      if (before && before.metadata.uid !== after?.metadata.uid) said.delete(before.metadata.uid ?? '')
      if (after) look(after)
    }),
  )
  log.info('expansion is working')
  return { isIdle: () => true, stop: stops.run }
}
