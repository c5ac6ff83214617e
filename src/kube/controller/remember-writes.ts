import type { Api } from '../../api/api.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'

/** The API, with the answer to every write passed on, so that the next decision is made on what the last step wrote. */
export function rememberWrites(api: Api, remember: (type: ResourceType, object: KubeObject) => void): Api {
  const passOn = <T extends KubeObject>(
    type: ResourceType<T>,
    isDryRun: boolean | undefined,
    writing: Promise<T>,
  ): Promise<T> =>
    writing.then((object) => {
      if (!isDryRun) remember(type, object)
      return object
    })
  return {
    ...api,
    create: (type, object, options) => passOn(type, options?.dryRun, api.create(type, object, options)),
    update: (type, object, options) => passOn(type, options?.dryRun, api.update(type, object, options)),
    patch: (type, ref, patch, options) => passOn(type, options?.dryRun, api.patch(type, ref, patch, options)),
    delete: async (type, ref, options) => {
      const left = await api.delete(type, ref, options)
      // A Status says that the object is gone; an object that is left has finalizers or a grace period.
      if (!options?.dryRun && isLeaving(left)) remember(type, left)
      return left
    },
  }
}

const isLeaving = (left: object): left is KubeObject =>
  'metadata' in left && (left as KubeObject).metadata.deletionTimestamp !== undefined
