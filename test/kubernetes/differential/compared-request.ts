/** A request that is sent to both servers. */
export type ComparedRequest = {
  /** Shown when the responses differ, and matched by the accepted differences: `create Pod spec.nodeName removed`. */
  readonly title: string
  readonly method: string
  /** May contain the same words as the body. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /**
   * `RV_OF(PATH)` stands for the resource version that the server gave the object at that path, `UID_OF(PATH)` for its UID, and
   * `CONTINUE_OF(PATH)` for the continue token of a list. Each is asked for once, when it is first mentioned.
   */
  readonly body?: string
}

/** The path of an object, or of its collection. */
export type ObjectPath = (object: {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly namespace?: string; readonly name?: string }
}) => { readonly collection: string; readonly object: string }

const PLURALS: Readonly<Record<string, string>> = {
  StorageClass: 'storageclasses',
  CSIStorageCapacity: 'csistoragecapacities',
  VolumeAttributesClass: 'volumeattributesclasses',
  RuntimeClass: 'runtimeclasses',
  PriorityClass: 'priorityclasses',
}

export const pluralOf = (kind: string): string => PLURALS[kind] ?? `${kind.toLowerCase()}s`

export const pathOf: ObjectPath = ({ apiVersion, kind, metadata: { namespace, name } }) => {
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`
  const collection = `${root}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${pluralOf(kind)}`
  return { collection, object: `${collection}/${name}` }
}

export const JSON_BODY = { 'content-type': 'application/json' }
