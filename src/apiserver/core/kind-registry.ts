import { apiVersionOf } from '../../api/resource-type.ts'
import type { KindDefinition } from './kind-definition.ts'

/** The kinds that are served now: the built-in ones and those of established CRDs. */
export interface KindRegistry {
  all(): readonly KindDefinition[]
  findByResource(group: string, version: string, plural: string): KindDefinition | undefined
  findByKind(apiVersion: string, kind: string): KindDefinition | undefined
  /** Any version: for what is stored. */
  findByStorage(storage: string): KindDefinition | undefined
  add(kind: KindDefinition): void
  remove(kind: KindDefinition): void
  /** Grows with every change: what was made from the kinds (discovery, OpenAPI) is made again. */
  revision(): number
}

export function createKindRegistry(builtIn: readonly KindDefinition[]): KindRegistry {
  const byResource = new Map<string, KindDefinition>()
  const byKind = new Map<string, KindDefinition>()
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
    byResource.delete(resourceKey(group, version, plural))
    byKind.delete(`${apiVersionOf(kind.type)}/${kind.type.kind}`)
    revision++
  }
  for (const kind of builtIn) add(kind)
  return {
    all: () => [...byResource.values()],
    findByResource: (group, version, plural) => byResource.get(resourceKey(group, version, plural)),
    findByKind: (apiVersion, kind) => byKind.get(`${apiVersion}/${kind}`),
    findByStorage: (storage) => byResource.values().find((kind) => kind.storage === storage),
    add,
    remove,
    revision: () => revision,
  }
}
