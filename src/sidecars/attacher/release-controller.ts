import { dropFinalizerPatch, hasFinalizer } from '../../api/finalizers.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { keyOf, refOf } from '../../api/object-key.ts'
import { defineController, DONE, on, topicOf } from '../../kube/controller/index.ts'
import type { ControllerRole, FollowedKind, WorkQueue } from '../../kube/controller/index.ts'
import { nextReleaseStep } from './next-release-step.ts'
import type { ReleaseStep, ReleaseView } from './next-release-step.ts'

export const BY_VOLUME = 'attacher/volume'

export type ReleaseParts = {
  readonly queue: WorkQueue
  readonly attachments: FollowedKind<VolumeAttachment>
  readonly finalizer: string
  readonly delayMs: number
}

/** Takes our finalizer off volumes that nobody has attached any more. Attaching waits while that is under way. */
export function defineReleaseController(
  { api, clock, follow, holds, report, onReady, onStop }: ControllerRole,
  { queue, attachments, finalizer, delayMs }: ReleaseParts,
) {
  const volumes = follow(PERSISTENT_VOLUMES)
  // When the last attachment of a volume went.
  const unattachedSinceMs = new Map<string, number>()
  const isAttached = (name: string): boolean => attachments.byIndex(BY_VOLUME, name).length > 0
  onReady(() => {
    // Whether they were attached before we came is not known: they count as left behind.
    for (const volume of volumes.all()) {
      const key = keyOf(volume)
      if (hasFinalizer(volume, finalizer) && !isAttached(key)) unattachedSinceMs.set(key, clock.monotonicMs())
    }
  })
  onStop(holds.onRelease((name) => report(topicOf(PERSISTENT_VOLUMES.kind, name))))

  return defineController<ReleaseView, ReleaseStep>({
    name: 'attacher-volumes',
    queue,
    watch: [
      on(attachments, ({ before, after }) => {
        const [left, named] = [before?.spec.source.persistentVolumeName, after?.spec.source.persistentVolumeName]
        if (left === undefined || left === named) return undefined
        // A volume that has gone before its attachment would be remembered for ever.
        if (volumes.get(left) && !isAttached(left)) unattachedSinceMs.set(left, clock.monotonicMs())
        return left
      }),
      on(volumes, ({ key, after }) => (!after || hasFinalizer(after, finalizer) ? key : undefined)),
    ],
    view: (name) => {
      const volume = volumes.get(name)
      if (!volume) return undefined
      const sinceMs = unattachedSinceMs.get(name)
      return {
        seen: { volume, attachments: attachments.byIndex(BY_VOLUME, name) },
        held: sinceMs === undefined ? {} : { keptForMs: sinceMs + delayMs - clock.monotonicMs() },
      }
    },
    forget: (name) => void unattachedSinceMs.delete(name),
    decide: (view) => nextReleaseStep(view, finalizer),
    perform: {
      release: async (_step, pass) => {
        const { volume } = pass.view.seen
        // By its name and not by its place: the provisioner and the protection take theirs off at the same time.
        const patch = dropFinalizerPatch(volume, finalizer)
        if (!patch || !pass.hold(keyOf(volume))) return DONE
        await api.patch(PERSISTENT_VOLUMES, refOf(volume), patch)
        return undefined
      },
    },
  })
}
