import type { KubeObject, ObjectRef } from './object.ts'

/** Identifies an object among those of its kind: `namespace/name`, or `name` for cluster-scoped kinds. */
export type ObjectKey = string

export function keyOf({ metadata }: Pick<KubeObject, 'metadata'>): ObjectKey {
  return keyOfRef(refOf({ metadata }))
}

export function keyOfRef({ namespace, name }: ObjectRef): ObjectKey {
  return namespace ? `${namespace}/${name}` : name
}

/** The reverse of the key. Names contain no slash, so the first slash separates the parts. */
export function parseKey(key: ObjectKey): ObjectRef {
  const slash = key.indexOf('/')
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}

/** The namespace and name of an object. Throws if it has no name yet. */
export function refOf({ metadata }: Pick<KubeObject, 'metadata'>): ObjectRef {
  const { namespace, name } = metadata
  if (!name) throw new Error('an object without a name cannot be referred to')
  return namespace ? { namespace, name } : { name }
}

/** For logs and messages: `PersistentVolumeClaim/default/data`, `Node/n1`. */
export function formatObject({ kind, metadata }: Pick<KubeObject, 'kind' | 'metadata'>): string {
  const { namespace, name, generateName } = metadata
  return formatRef(kind, { ...(namespace ? { namespace } : {}), name: name ?? `${generateName ?? ''}…` })
}

/** Like `formatObject`, for an object that need not exist. */
export function formatRef(kind: string, ref: ObjectRef): string {
  return `${kind}/${keyOfRef(ref)}`
}
