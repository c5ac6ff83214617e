import { parseExactJson } from '../../api/exact-json.ts'
import { deepFreeze } from '../../api/freeze.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'

/** An object as it stands at one revision. Object and text say the same; the object is frozen. */
export type StoredObject = {
  /** `namespace/name`, or `name` for what has no namespace. */
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

/** A step of the world. */
export type Change = {
  readonly revision: number
  readonly storage: string
  readonly key: string
  readonly type: 'put' | 'delete'
  /** After a put; for a delete, the last state with the revision of its deletion. */
  readonly after: StoredObject
  readonly before: StoredObject | undefined
}

/** Read access to the newest decided state: what admission and authorization look at. */
export interface StateView {
  find(storage: string, key: string): StoredObject | undefined
  /** In order of key; a namespace limits it. */
  list(storage: string, namespace?: string): StoredObject[]
}

export const keyOf = (namespace: string | undefined, name: string): string =>
  namespace ? `${namespace}/${name}` : name

/** Where objects of a type are kept: its group and plural name, or the latter alone for the core group. */
export const storageOf = ({ group, plural }: Pick<ResourceType, 'group' | 'plural'>): string =>
  group === '' ? plural : `${group}/${plural}`
