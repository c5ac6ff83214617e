import { parseExactJson } from '../../api/exact-json.ts'
import { deepFreeze } from '../../api/freeze.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'

/** An object at one revision, as a frozen value and as its JSON text. */
export type StoredObject = {
  /** `namespace/name`, or `name` for a cluster-scoped object. */
  readonly key: string
  readonly revision: number
  readonly object: KubeObject
  readonly json: string
}

/** An object as a backend returns it. Its text is parsed on first access: most objects are not accessed at startup. */
export class LoadedObject implements StoredObject {
  readonly key: string
  readonly revision: number
  readonly json: string
  #object: KubeObject | undefined

  constructor({ key, revision, json }: { key: string; revision: number; json: string }) {
    this.key = key
    this.revision = revision
    this.json = json
  }

  get object(): KubeObject {
    return (this.#object ??= deepFreeze(parseExactJson(this.json) as KubeObject))
  }
}

/** An object that is kept as text: its value is created on access, and released when memory is needed. For numerous, rarely read objects. */
export class TextObject implements StoredObject {
  readonly key: string
  readonly revision: number
  readonly json: string
  #object: WeakRef<KubeObject> | undefined

  constructor({ key, revision, json }: { key: string; revision: number; json: string }) {
    this.key = key
    this.revision = revision
    this.json = json
  }

  get object(): KubeObject {
    const known = this.#object?.deref()
    if (known) return known
    const object = deepFreeze(parseExactJson(this.json) as KubeObject)
    this.#object = new WeakRef(object)
    return object
  }
}

/** One change of the state. */
export type Change = {
  readonly revision: number
  readonly storage: string
  readonly key: string
  readonly type: 'put' | 'delete'
  /** After a put; for a delete, the last state with the revision of its deletion. */
  readonly after: StoredObject
  readonly before: StoredObject | undefined
}

/** Read access to the newest decided state, for admission and authorization. */
export interface StateView {
  find(storage: string, key: string): StoredObject | undefined
  /** In key order, optionally limited to a namespace. */
  list(storage: string, namespace?: string): StoredObject[]
}

export const keyOf = (namespace: string | undefined, name: string): string =>
  namespace ? `${namespace}/${name}` : name

/** The storage of a type: its group and plural name, or only the plural for the core group. */
export const storageOf = ({ group, plural }: Pick<ResourceType, 'group' | 'plural'>): string =>
  group === '' ? plural : `${group}/${plural}`
