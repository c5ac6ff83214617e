import { ignoreNotFound } from '../../api/api-error.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { keyOf } from '../../api/object-key.ts'
import { formatReason } from '../../api/reason.ts'
import { after, CACHE_BEHIND_MS, defineController, keyIfPresent, on } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import { createRecentMap } from '../../kube/cache/recent-map.ts'
import { claimKeyOf, claimKeysOf } from '../../storage/claim-reference.ts'
import { BOUND_BY_CONTROLLER } from '../../storage/names.ts'
import type { BinderState } from './binder-state.ts'
import { createBindingWriter } from './binding-writer.ts'
import { nextVolumeStep } from './next-volume-step.ts'
import type { VolumeStep, VolumeView } from './next-volume-step.ts'

// How many deleted claims are remembered until their volumes have been processed.
const MOST_GONE = 10_000

/** Sets the phase of volumes from their claims. It writes only while no claim is being bound to the volume. */
export function defineVolumeBinder({ api }: ControllerRole, { claims, volumes, volumeQueue }: BinderState) {
  const write = createBindingWriter(api)
  const volumesFor = volumes.indexBy(claimKeysOf)
  // Claims whose deletion was seen: the API server need not be asked about them.
  const goneClaims = createRecentMap<true>(MOST_GONE)
  claims.onChange(({ before, after: now }) => {
    if (before && before.metadata.uid !== now?.metadata.uid) goneClaims.set(before.metadata.uid ?? '', true)
  })
  return defineController<VolumeView, VolumeStep, undefined, { isClaimGone: true }>({
    name: 'binder-volumes',
    queue: volumeQueue,
    watch: [
      on(volumes, keyIfPresent),
      on(claims, ({ key, before, after: now }) => {
        if (before?.metadata.uid === now?.metadata.uid && before?.spec.volumeName === now?.spec.volumeName)
          return undefined
        return [
          ...volumesFor(key).map(keyOf),
          ...[before?.spec.volumeName, now?.spec.volumeName].flatMap((name) => name || []),
        ]
      }),
    ],
    view: (name, { reads }) => {
      const volume = volumes.get(name)
      if (!volume) return undefined
      const claim = claims.get(claimKeyOf(volume) ?? '')
      return {
        seen: { volume, claim },
        held: { isClaimConfirmed: reads.isClaimGone ?? goneClaims.get(volume.spec.claimRef?.uid ?? '') ?? false },
      }
    },
    decide: nextVolumeStep,
    resource: (_view, key, { kind }) => (kind === 'look-at-claim' ? undefined : key),
    perform: {
      wait: ({ notice, reason, tellClaim }, { view, say }) => {
        if (notice)
          for (const about of [view.seen.volume, ...(tellClaim ? [tellClaim] : [])])
            say(about, notice, formatReason(reason))
      },
      'look-at-claim': async (_step, pass) => {
        const { namespace = '', name = '', uid } = pass.view.seen.volume.spec.claimRef ?? {}
        const claim = await api.get(PERSISTENT_VOLUME_CLAIMS, { namespace, name }).catch(ignoreNotFound)
        if (claim && claim.metadata.uid === uid) return after(CACHE_BEHIND_MS)
        pass.reads = { isClaimGone: true }
        return undefined
      },
      'set-phase': async ({ phase, reason, notice }, pass) => {
        const { volume } = pass.view.seen
        await write.setVolumePhase(volume, phase, phase === 'Failed' ? formatReason(reason) : '')
        if (notice) pass.say(volume, notice, formatReason(reason))
        pass.log.info('volume phase', { phase })
      },
      unbind: ({ keeps }, pass) => {
        const change =
          keeps === 'nothing'
            ? { metadata: { annotations: { [BOUND_BY_CONTROLLER]: null } }, spec: { claimRef: null } }
            : { spec: { claimRef: { uid: null, resourceVersion: null } } }
        return write.patchVolume(pass.view.seen.volume, change)
      },
    },
  })
}
