import type { PolicyRule } from '../../api/kinds/rbac.ts'
import type { ResourceType } from '../../api/resource-type.ts'

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete'

/** What may be done to one kind of object, or to one of its subresources. */
export type Right = {
  readonly type: Pick<ResourceType, 'group' | 'plural'>
  readonly subresource?: string
  readonly verbs: readonly Verb[]
}

/** What a role asks of the API server. The RBAC manifests are generated from these declarations (`npm run generate`). */
export type Rights = {
  readonly cluster: readonly Right[]
  /** In the namespace of the pod only. */
  readonly ownNamespace: readonly Right[]
  /**
   * Whether objects that it works on can reference secrets. The permission to read them is granted apart, in one namespace or in all: most
   * drivers need none.
   */
  readonly readsSecrets: boolean
  /** What the Go program of this role needs beyond that. Manifests grant it only where the Go program runs. */
  readonly upstream?: { readonly cluster: readonly Right[]; readonly ownNamespace: readonly Right[] }
}

export const READ: readonly Verb[] = ['get', 'list', 'watch']

export const right = (type: Right['type'], ...verbs: readonly Verb[]): Right => ({ type, verbs })

export const rightOnStatus = (type: Right['type'], ...verbs: readonly Verb[]): Right => ({
  type,
  subresource: 'status',
  verbs,
})

const VERB_ORDER: readonly Verb[] = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']

/** One rule for each resource, with the verbs of all rights to it, so that a reader finds each resource once. */
export function formatRules(rights: readonly Right[]): PolicyRule[] {
  const verbsByResource = new Map<string, { group: string; resource: string; verbs: Set<Verb> }>()
  for (const { type, subresource, verbs } of rights) {
    const resource = subresource === undefined ? type.plural : `${type.plural}/${subresource}`
    const key = `${type.group}/${resource}`
    const known = verbsByResource.get(key) ?? { group: type.group, resource, verbs: new Set() }
    verbsByResource.set(key, known)
    for (const verb of verbs) known.verbs.add(verb)
  }
  return [...verbsByResource]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, { group, resource, verbs }]) => ({
      apiGroups: [group],
      resources: [resource],
      verbs: VERB_ORDER.filter((verb) => verbs.has(verb)),
    }))
}
