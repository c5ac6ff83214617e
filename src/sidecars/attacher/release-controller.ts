import { dropFinalizerPatch, hasFinalizer } from '../../api/finalizers.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { keyOf, refOf } from '../../api/object-key.ts'
import { defineController, DONE, on, topicOf, withUrgency } from '../../kube/controller/index.ts'
import type { ControllerRole, FollowedKind, WorkQueue } from '../../kube/controller/index.ts'
import { nextReleaseStep } from './next-release-step.ts'
import { volumeNamesOf } from '../../storage/attachment-indexes.ts'
import type { ReleaseStep, ReleaseView } from './next-release-step.ts'
import { claimUidOf } from '../../storage/life-of.ts'

export type ReleaseParts = {
  readonly queue: WorkQueue
  readonly attachments: FollowedKind<VolumeAttachment>
  readonly finalizer: string
  readonly delayMs: number
}

/** Removes our finalizer from volumes that are no longer attached. Attaching waits for that to finish. */
export function defineReleaseController(
  { api: anyApi, clock, follow, onReady }: ControllerRole,
  { queue, attachments, finalizer, delayMs }: ReleaseParts,
) {
  // An attachment that a pod waits for goes first.
  const api = withUrgency(anyApi, 'later')
  const volumes = follow(PERSISTENT_VOLUMES)
  const unattachedSinceMs = new Map<string, number>()
  const attachmentsOf = attachments.indexBy(volumeNamesOf)
  onReady(() => {
    // It is unknown whether they were attached before we started: they count as left behind.
    for (const volume of volumes.all())
      if (hasFinalizer(volume, finalizer) && attachmentsOf(keyOf(volume)).length === 0)
        unattachedSinceMs.set(keyOf(volume), clock.monotonicMs())
  })

  return defineController<ReleaseView, ReleaseStep>({
    name: 'attacher-volumes',
    queue,
    watch: [
      on(attachments, ({ before, after }) => {
        const [left, named] = [before?.spec.source.persistentVolumeName, after?.spec.source.persistentVolumeName]
        if (left === undefined || left === named) return undefined
        // A volume that was deleted before its attachment would be remembered forever.
        if (volumes.get(left) && attachmentsOf(left).length === 0) unattachedSinceMs.set(left, clock.monotonicMs())
        return left
      }),
      on(volumes, ({ key, after }) => (!after || hasFinalizer(after, finalizer) ? key : undefined)),
    ],
    view: (name) => {
      const volume = volumes.get(name)
      const sinceMs = unattachedSinceMs.get(name)
      return (
        volume && {
          seen: { volume, attachments: attachmentsOf(name) },
          held: sinceMs === undefined ? {} : { keptForMs: sinceMs + delayMs - clock.monotonicMs() },
        }
      )
    },
    forget: (name) => void unattachedSinceMs.delete(name),
    decide: (view) => nextReleaseStep(view, finalizer),
    lifeOf: ({ seen }) => [claimUidOf(seen.volume)],
    perform: {
      release: async (_step, { key, view: { seen }, hold }) => {
        // By name and not by index: the provisioner and the protection controller remove theirs at the same time.
        const patch = dropFinalizerPatch(seen.volume, finalizer)
        if (!patch || !hold(topicOf(PERSISTENT_VOLUMES.kind, key))) return DONE
        await api.patch(PERSISTENT_VOLUMES, refOf(seen.volume), patch)
        return undefined
      },
    },
  })
}
