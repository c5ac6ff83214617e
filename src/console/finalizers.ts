import type { KubeObject } from '../api/object.ts'
import { formatObject } from '../api/object-key.ts'
import type { FinalizerInfo } from './protocol.ts'

type Known = { readonly holder: string; readonly removedWhen: string }

const KNOWN: Readonly<Record<string, Known>> = {
  'kubernetes.io/pvc-protection': {
    holder: 'PVC protection controller',
    removedWhen: 'the claim is deleted and no pod uses it',
  },
  'kubernetes.io/pv-protection': {
    holder: 'PV protection controller',
    removedWhen: 'the volume is deleted and no longer bound to a claim',
  },
  'external-provisioner.volume.kubernetes.io/finalizer': {
    holder: 'provisioner of the driver',
    removedWhen: 'the driver has deleted the volume (DeleteVolume), or the reclaim policy is Retain',
  },
  'snapshot.storage.kubernetes.io/pvc-as-source-protection': {
    holder: 'snapshot controller',
    removedWhen: 'no snapshot of the claim is being taken',
  },
  'snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection': {
    holder: 'snapshot controller',
    removedWhen: 'no claim is being restored from the snapshot',
  },
  'snapshot.storage.kubernetes.io/volumesnapshot-bound-protection': {
    holder: 'snapshot controller',
    removedWhen: 'the content of the snapshot is deleted, or retained',
  },
  'snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection': {
    holder: 'snapshotter of the driver',
    removedWhen: 'the driver has deleted the snapshot (DeleteSnapshot), or the deletion policy is Retain',
  },
  foregroundDeletion: { holder: 'garbage collector', removedWhen: 'all dependents of the object are deleted' },
  orphan: { holder: 'garbage collector', removedWhen: 'the dependents of the object no longer refer to it' },
}

/** Who holds each finalizer of an object, and what removes it. */
export const finalizersOf = (object: KubeObject): FinalizerInfo[] =>
  (object.metadata.finalizers ?? []).map((finalizer) => ({
    object: formatObject(object),
    finalizer,
    ...knownOf(finalizer),
  }))

function knownOf(finalizer: string): Known {
  if (finalizer.startsWith('external-attacher/'))
    return {
      holder: `attacher of ${finalizer.slice('external-attacher/'.length)}`,
      removedWhen: 'the driver has detached the volume (ControllerUnpublishVolume)',
    }
  return (
    (Object.hasOwn(KNOWN, finalizer) ? KNOWN[finalizer] : undefined) ?? {
      holder: 'a component that Holdfast does not know',
      removedWhen: 'that component removes it',
    }
  )
}
