import type { TestContext } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../../api/kinds/persistent-volume.ts'
import { STORAGE_CLASSES } from '../../../api/kinds/storage-class.ts'
import type { StorageClass } from '../../../api/kinds/storage-class.ts'
import { claimReferenceTo } from '../../../storage/claim-reference.ts'
import { claimOf, classOf, createOn, volumeOf } from '../../../testing/objects.ts'
import { startControllersUnderTest } from '../../testing/describe-controller.ts'
import { defaultsOf } from '../../../base/options/index.ts'
import type { ControllerTestOptions, ControllerUnderTest } from '../../testing/describe-controller.ts'
import { binderOptions } from '../binder-options.ts'
import type { BinderConfig } from '../binder-options.ts'
import { startBinder } from '../start-binder.ts'
import type { ClaimParts, VolumeParts } from '../../../testing/objects.ts'

// Shared by the tests of the whole binder.

export const DEFAULTS: BinderConfig = defaultsOf(binderOptions)

export type BinderUnderTest = ControllerUnderTest & {
  claim(name?: string): Promise<PersistentVolumeClaim>
  volume(name?: string): Promise<PersistentVolume>
  /** `Bound v1`, `Pending`. */
  claimState(name?: string): Promise<string>
  /** `Bound default/c1`, `Available`. */
  volumeState(name?: string): Promise<string>
}

export async function startUnderTest(
  context: TestContext,
  options: ControllerTestOptions & { config?: Partial<BinderConfig> } = {},
): Promise<BinderUnderTest> {
  const test = await startControllersUnderTest(
    context,
    [(world, signal) => startBinder({ ...DEFAULTS, ...options.config }, world, signal)],
    options,
  )
  const { api } = test
  const claim = (name = 'c1') => api.get(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default', name })
  const volume = (name = 'v1') => api.get(PERSISTENT_VOLUMES, { name })
  return {
    ...test,
    claim,
    volume,
    claimState: async (name) => {
      const { status, spec } = await claim(name)
      return [status?.phase, spec.volumeName].filter((part) => part !== undefined).join(' ')
    },
    volumeState: async (name) => {
      const { status, spec } = await volume(name)
      return [status?.phase, spec.claimRef && `${spec.claimRef.namespace}/${spec.claimRef.name}`]
        .filter((part) => part !== undefined)
        .join(' ')
    },
  }
}

export const createClaim = (api: Api, parts: ClaimParts = {}): Promise<PersistentVolumeClaim> =>
  createOn(api, PERSISTENT_VOLUME_CLAIMS, claimOf(parts))

export const createVolume = (api: Api, parts: VolumeParts = {}): Promise<PersistentVolume> =>
  createOn(api, PERSISTENT_VOLUMES, volumeOf(parts))

export const createClass = (api: Api, more: Partial<StorageClass> = {}, name = 'fast'): Promise<StorageClass> =>
  api.create(STORAGE_CLASSES, classOf(more, name))

/** Acts as a provisioner that writes the volume of a claim. */
export const provision = (
  api: Api,
  claim: PersistentVolumeClaim,
  name = `pvc-${claim.metadata.name}`,
  parts: VolumeParts = {},
): Promise<PersistentVolume> =>
  createVolume(api, {
    name,
    metadata: { name, annotations: { 'pv.kubernetes.io/provisioned-by': 'test.holdfast.dev' } },
    ...parts,
    spec: {
      claimRef: claimReferenceTo(claim),
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: claim.spec.storageClassName ?? '',
      ...parts.spec,
    },
  })

/** Removes the claim, as if its protection had been removed. */
export async function removeClaim(api: Api, name = 'c1'): Promise<void> {
  const ref = { namespace: 'default', name }
  await api.delete(PERSISTENT_VOLUME_CLAIMS, ref)
  await api.patch(PERSISTENT_VOLUME_CLAIMS, ref, { type: 'merge', value: { metadata: { finalizers: null } } })
}

export async function removeVolume(api: Api, name = 'v1'): Promise<void> {
  await api.delete(PERSISTENT_VOLUMES, { name })
  await api.patch(PERSISTENT_VOLUMES, { name }, { type: 'merge', value: { metadata: { finalizers: null } } })
}
