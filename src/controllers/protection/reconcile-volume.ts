import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { unreachable } from '../../base/abort.ts'
import { DONE } from '../../kube/controller.ts'
import type { Reconciler } from '../../kube/controller.ts'
import { nextVolumeProtectionStep } from './next-volume-protection-step.ts'
import type { WriteFinalizer } from './write-finalizer.ts'

export type VolumeParts = {
  /** Undefined when it is gone. */
  readVolume(name: string): PersistentVolume | undefined
  readonly write: WriteFinalizer<PersistentVolume>
}

/** One pass over the protection of one volume. */
export function createVolumeReconciler({ readVolume, write }: VolumeParts): Reconciler {
  return (name, { log, signal }) => {
    const volume = readVolume(name)
    if (!volume) return Promise.resolve(DONE)
    const step = nextVolumeProtectionStep({ seen: { volume } })
    log.debug('volume protection step', { step })
    switch (step.kind) {
      case 'wait':
        return Promise.resolve(DONE)
      case 'add-finalizer':
        return write(volume, 'add', signal)
      case 'remove-finalizer':
        return write(volume, 'remove', signal)
      default:
        return unreachable(step)
    }
  }
}
