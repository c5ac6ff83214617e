import { isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { dropFinalizerPatch } from '../../api/finalizers.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { refOf } from '../../api/object-key.ts'
import { unreachable } from '../../base/abort.ts'
import type { Clock } from '../../base/clock.ts'
import { after, DONE } from '../../kube/controller.ts'
import type { Reconciler } from '../../kube/controller.ts'
import { nextReleaseStep } from './next-release-step.ts'
import type { ReleaseView } from './next-release-step.ts'
import type { OwnWrites } from '../../kube/own-writes.ts'
import { within } from '../../kube/within.ts'

export type VolumeParts = {
  readonly api: Api
  readonly clock: Clock
  readonly finalizer: string
  readonly volumes: OwnWrites<PersistentVolume>
  readView(name: string): ReleaseView | undefined
  /** Attaching waits while a volume is in here. */
  readonly releasing: Set<string>
  /** The finalizer is gone, or the try is over. */
  onReleased(name: string): void
}

/** Takes our finalizer off volumes that nobody has attached any more. */
export function createVolumeReconciler({ api, clock, finalizer, volumes, readView, releasing, onReleased }: VolumeParts): Reconciler {
  const release = async (volume: PersistentVolume, signal: AbortSignal): Promise<void> => {
    const name = volume.metadata.name ?? ''
    // By its name and not by its place: the provisioner and the protection take theirs off at the same time.
    const patch = dropFinalizerPatch(volume, finalizer)
    if (!patch) return
    releasing.add(name)
    try {
      volumes.remember(await within(clock, signal, (until) => api.patch(PERSISTENT_VOLUMES, refOf(volume), patch, { signal: until })))
    } catch (error) {
      if (!isNotFound(error)) throw error
    } finally {
      releasing.delete(name)
      onReleased(name)
    }
  }
  return async (name, { log, signal }) => {
    const view = readView(name)
    if (!view) return DONE
    const step = nextReleaseStep(view, finalizer)
    log.debug('release step', { step })
    switch (step.kind) {
      case 'wait':
        return step.retryInMs === undefined ? DONE : after(step.retryInMs)
      case 'release':
        await release(view.seen.volume, signal)
        return DONE
      default:
        return unreachable(step)
    }
  }
}
