import { apiVersionOf } from '../../api/resource-type.ts'
import type { KindDefinition } from './kind-definition.ts'

/** The kinds that are currently served: the built-in ones and those of established CRDs. */
export interface KindRegistry {
  all(): readonly KindDefinition[]
  findByResource(group: string, version: string, plural: string): KindDefinition | undefined
  findByKind(apiVersion: string, kind: string): KindDefinition | undefined
  /** Any version of the kind with this storage. */
  findByStorage(storage: string): KindDefinition | undefined
  add(kind: KindDefinition): void
  remove(kind: KindDefinition): void
  /** Calls back for each kind that is removed or replaced. */
  onRemove(listener: (kind: KindDefinition) => void): void
  /** The kinds that do not come from a CRD. */
  readonly builtIn: readonly KindDefinition[]
  /** Increases with every change: documents derived from the kinds (discovery, OpenAPI) must be created again. */
  revision(): number
}

export function createKindRegistry(builtIn: readonly KindDefinition[]): KindRegistry {
  const byResource = new Map<string, KindDefinition>()
  const byKind = new Map<string, KindDefinition>()
  const removeListeners: ((kind: KindDefinition) => void)[] = []
  let revision = 0

  const resourceKey = (group: string, version: string, plural: string): string => `${group}/${version}/${plural}`
  const add = (kind: KindDefinition): void => {
    const { group, version, plural } = kind.type
    byResource.set(resourceKey(group, version, plural), kind)
    byKind.set(`${apiVersionOf(kind.type)}/${kind.type.kind}`, kind)
    revision++
  }
  const remove = (kind: KindDefinition): void => {
    const { group, version, plural } = kind.type
    const [resource, name] = [resourceKey(group, version, plural), `${apiVersionOf(kind.type)}/${kind.type.kind}`]
    if (byResource.get(resource) === kind) byResource.delete(resource)
    if (byKind.get(name) === kind) byKind.delete(name)
    revision++
    for (const listener of removeListeners) listener(kind)
  }
  for (const kind of builtIn) add(kind)
  return {
    all: () => [...byResource.values()],
    findByResource: (group, version, plural) => byResource.get(resourceKey(group, version, plural)),
    findByKind: (apiVersion, kind) => byKind.get(`${apiVersion}/${kind}`),
    findByStorage: (storage) => byResource.values().find((kind) => kind.storage === storage),
    add,
    remove,
    onRemove: (listener) => void removeListeners.push(listener),
    builtIn,
    revision: () => revision,
  }
}
