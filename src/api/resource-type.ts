import type { KubeObject } from './object.ts'

/** A kind of object and its path on the server. `T` is only for the compiler: it gives reads and writes the type of the kind. */
export type ResourceType<T extends KubeObject = KubeObject> = {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly kind: string
  /** As in paths: `persistentvolumeclaims`. */
  readonly plural: string
  readonly namespaced: boolean
  /** Never set; only carries the type. */
  readonly _object?: T
}

/** `v1`, `storage.k8s.io/v1`. */
export const apiVersionOf = ({ group, version }: Pick<ResourceType, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`

/** The name in messages and authorization: `persistentvolumeclaims`, `csidrivers.storage.k8s.io`. */
export const qualifiedResource = ({ group, plural }: Pick<ResourceType, 'group' | 'plural'>): string =>
  group === '' ? plural : `${plural}.${group}`

/** Group and version of an `apiVersion`. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/')
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) }
}
