import { isForbidden, isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { SECRETS } from '../../api/kinds/secret.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../../api/kinds/volume-attributes-class.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import type { KubeObject, ObjectRef } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { ReadObjects, Wanted } from './plan-volume.ts'

/** The object that a decision asked for, as the member of `ReadObjects` that it goes into; null when it is not there. */
export async function readWanted(api: Api, { kind, ref }: Wanted, signal: AbortSignal): Promise<ReadObjects> {
  switch (kind) {
    case 'claim':
      return { claim: await readIfPresent(api, PERSISTENT_VOLUME_CLAIMS, ref, signal) }
    case 'volume':
      return { volume: await readIfPresent(api, PERSISTENT_VOLUMES, ref, signal) }
    case 'secret':
      return { secret: await readIfPresent(api, SECRETS, ref, signal) }
    case 'snapshot':
      return { snapshot: await readIfPresent(api, VOLUME_SNAPSHOTS, ref, signal) }
    case 'snapshotContent':
      return { snapshotContent: await readIfPresent(api, VOLUME_SNAPSHOT_CONTENTS, ref, signal) }
    case 'attributesClass':
      return { attributesClass: await readIfPresent(api, VOLUME_ATTRIBUTES_CLASSES, ref, signal) }
  }
}

/** Null when there is none. */
export async function readIfPresent<T extends KubeObject>(
  api: Api,
  type: ResourceType<T>,
  ref: ObjectRef,
  signal: AbortSignal,
): Promise<T | null> {
  try {
    return await api.get(type, ref, { signal })
  } catch (error) {
    if (isNotFound(error)) return null
    throw error
  }
}

/** The same, and null too when we may not see it. */
export async function readIfAllowed<T extends KubeObject>(
  api: Api,
  type: ResourceType<T>,
  ref: ObjectRef,
  signal: AbortSignal,
): Promise<T | null> {
  try {
    return await readIfPresent(api, type, ref, signal)
  } catch (error) {
    if (isForbidden(error)) return null
    throw error
  }
}

/** Kinds that are not cached, by the name that a reason has for them. */
export const UNCACHED_TYPES: Readonly<Record<string, ResourceType>> = {
  Secret: SECRETS,
  VolumeSnapshot: VOLUME_SNAPSHOTS,
  VolumeSnapshotContent: VOLUME_SNAPSHOT_CONTENTS,
  VolumeAttributesClass: VOLUME_ATTRIBUTES_CLASSES,
}
