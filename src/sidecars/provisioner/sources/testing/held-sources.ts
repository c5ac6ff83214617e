import type { Api } from '../../../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../../../api/kinds/persistent-volume-claim.ts'
import { VOLUME_SNAPSHOTS } from '../../../../api/kinds/volume-snapshot.ts'
import type { CsiHandlers } from '../../../../csi/kit/index.ts'
import { STORAGE_PROVISIONER } from '../../../../storage/names.ts'
import { startControllers } from '../../../../kube/controller/index.ts'
import type { RoleParts, RunningRole } from '../../../role.ts'
import type { ProvisionerConfig } from '../../provisioner-options.ts'
import { defineSources } from '../source-controller.ts'
import { CLONE_SOURCE_FINALIZER, SNAPSHOT_SOURCE_FINALIZER } from '../../names.ts'
import { DRIVER, testClaim } from '../../testing/objects.ts'
import { createOn } from '../../../../testing/objects.ts'

/** Calls that create copies, for a driver that supports them but is never called. */
export const COPYING_DRIVER: CsiHandlers = {
  createVolume: () => Promise.reject(new Error('not called')),
  deleteVolume: () => Promise.reject(new Error('not called')),
  createSnapshot: () => Promise.reject(new Error('not called')),
  deleteSnapshot: () => Promise.reject(new Error('not called')),
}

export const createClaim = (
  api: Api,
  name: string,
  spec: Partial<PersistentVolumeClaimSpec> = {},
  { namespace = 'default', finalizers = [] as string[], provisioner = DRIVER } = {},
): Promise<PersistentVolumeClaim> => {
  const annotations = { [STORAGE_PROVISIONER]: provisioner }
  return createOn(api, PERSISTENT_VOLUME_CLAIMS, testClaim(spec, { name, namespace, finalizers, annotations }))
}
export const createHeldClaim = (api: Api, provisioner = DRIVER) =>
  createClaim(api, 'source', {}, { finalizers: [CLONE_SOURCE_FINALIZER], provisioner })
export const cloneClaim = (api: Api, name: string) =>
  createClaim(api, name, { dataSource: { kind: 'PersistentVolumeClaim', name: 'source' } })
export const restoreSnapshot = (api: Api, name: string, provisioner = DRIVER) =>
  createClaim(
    api,
    name,
    { dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'snap' } },
    { provisioner },
  )

export async function bindClaim(api: Api, name: string, namespace = 'default'): Promise<void> {
  const claim = await api.get(PERSISTENT_VOLUME_CLAIMS, { namespace, name })
  await api.update(
    PERSISTENT_VOLUME_CLAIMS,
    { ...claim, status: { ...claim.status, phase: 'Bound' } },
    { subresource: 'status' },
  )
}
export const createHeldSnapshot = (api: Api) =>
  api.create(VOLUME_SNAPSHOTS, {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshot',
    metadata: { namespace: 'default', name: 'snap', finalizers: [SNAPSHOT_SOURCE_FINALIZER] },
    spec: { source: { persistentVolumeClaimName: 'any' } },
  })

export type SourceRelease = RunningRole & {
  sourceReleased(sourceKey: string): void
  isReleasing(sourceKey: string): boolean
}

/** The release of sources alone, as a separate role. */
export async function startSourceRelease(
  config: ProvisionerConfig,
  parts: RoleParts & { isInUse(sourceKey: string): boolean; onReleased?(sourceKey: string): void },
  signal: AbortSignal,
): Promise<SourceRelease> {
  let release: Omit<SourceRelease, keyof RunningRole> | undefined
  const running = await startControllers(parts, signal, (role) => {
    const { controllers, sourceReleased } = defineSources(role, config, parts.facts, parts.isInUse)
    if (parts.onReleased) role.onStop(role.holds.onRelease(parts.onReleased))
    release = { sourceReleased, isReleasing: (key) => role.holds.isHeldByOther(key, '') }
    return controllers
  })
  if (!release) throw new Error('the release was not defined')
  return { ...running, ...release }
}
