import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { classNameOf } from '../../storage/names.ts'
import type { SecretRead } from '../../storage/read-secret.ts'
import type { DriverFacts } from '../discover-driver.ts'
import type { OwnNode } from './claim-eligibility.ts'
import type { ProvisionSources } from './provision-view.ts'

export type DeleteView = {
  readonly driverName: string
  readonly seen: {
    readonly volume: PersistentVolume
    /** All attachments of the volume, whatever their attacher and status. */
    readonly attachments: readonly VolumeAttachment[]
    /** The volume's class. Only needed for volumes without a recorded secret. */
    readonly class: StorageClass | undefined
    readonly secret?: SecretRead | undefined
  }
  /** Undefined for `holdfast why`. */
  readonly held?: DeleteHeld | undefined
}

export type DeleteHeld = {
  readonly facts: DriverFacts
  readonly ownNode?: OwnNode | undefined
  /** Whether this process gives volumes the attacher's finalizer, and takes it with its own. */
  readonly ownsAttacherFinalizer?: boolean
  /** DeleteVolume succeeded for this PersistentVolume since the start of the process. */
  readonly isDeleted: boolean
  /** The API server accepted our request to delete the object; the cache may not show it yet. */
  readonly isRemoved: boolean
}

/** What a view is read from. */
export type DeleteSources = Pick<ProvisionSources, 'driverName' | 'findVolume' | 'findClass'> & {
  attachmentsOf(volumeName: string): readonly VolumeAttachment[]
}

/** Undefined if the volume does not exist. */
export function readDeleteView(
  sources: DeleteSources,
  name: string,
  secret?: SecretRead,
  held?: (volume: PersistentVolume) => DeleteHeld,
): DeleteView | undefined {
  const volume = sources.findVolume(name)
  if (!volume) return undefined
  return {
    driverName: sources.driverName,
    seen: { volume, attachments: sources.attachmentsOf(name), class: sources.findClass(classNameOf(volume)), secret },
    held: held?.(volume),
  }
}
