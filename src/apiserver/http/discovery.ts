import type { KindDefinition, Subresource } from '../core/kind-definition.ts'
import type { KindRegistry } from '../core/kind-registry.ts'
import { apiVersionOf } from '../../api/resource-type.ts'
import { JSON_TYPE } from './answer.ts'
import { createDocument } from './cached-document.ts'
import type { CachedDocument } from './cached-document.ts'
import { compareGroups, compareText, compareVersions } from './group-order.ts'
import { parseAccept } from './negotiate.ts'
import { byRevision } from './by-revision.ts'

/** The served groups, versions and resources. */
export interface Discovery {
  /** The document at a path, in the form that the Accept header requests; undefined if there is none. */
  find(segments: readonly string[], accept: string | undefined): CachedDocument | undefined
}

type Group = { readonly name: string; readonly versions: readonly Version[] }
type Version = { readonly name: string; readonly kinds: readonly KindDefinition[] }

const AGGREGATED_TYPE = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** Documents are built on first use, once for each state of the kinds. `serverAddress`: where clients reach the server. */
export function createDiscovery(kinds: KindRegistry, serverAddress: () => string): Discovery {
  const current = byRevision(kinds, () => createDocuments(groupsOf(kinds.all()), serverAddress()))
  return { find: (segments, accept) => current()(segments, wantsAggregated(accept)) }
}

function createDocuments(
  groups: readonly Group[],
  serverAddress: string,
): (segments: readonly string[], aggregated: boolean) => CachedDocument | undefined {
  const made = new Map<string, CachedDocument | undefined>()
  return (segments, aggregated) => {
    const key = `${aggregated} ${segments.join('/')}`
    const known = made.get(key)
    if (known) return known
    const value = findDocument(groups, segments, aggregated, serverAddress)
    if (!value) return undefined
    const isAggregated = 'items' in value
    const document = createDocument(isAggregated ? AGGREGATED_TYPE : JSON_TYPE, `${JSON.stringify(value)}\n`)
    made.set(key, document)
    return document
  }
}

/** Only version 2 of the aggregated form is supported; other requests get the plain lists, which every client understands. */
function wantsAggregated(accept: string | undefined): boolean {
  if (accept === undefined) return false
  for (const { type, parameters } of parseAccept(accept)) {
    if (type !== JSON_TYPE && type !== '*/*' && type !== 'application/*') continue
    if (!parameters.has('as')) return false
    if (
      parameters.get('as') === 'APIGroupDiscoveryList' &&
      parameters.get('g') === 'apidiscovery.k8s.io' &&
      parameters.get('v') === 'v2'
    )
      return true
  }
  return false
}

function groupsOf(kinds: readonly KindDefinition[]): Group[] {
  const groups = new Map<string, Map<string, KindDefinition[]>>()
  for (const kind of kinds) {
    const { group, version } = kind.type
    const versions = groups.get(group) ?? new Map<string, KindDefinition[]>()
    groups.set(group, versions.set(version, [...(versions.get(version) ?? []), kind]))
  }
  return [...groups]
    .sort(([left], [right]) => compareGroups(left, right))
    .map(([name, versions]) => ({
      name,
      versions: [...versions]
        .sort(([left], [right]) => compareVersions(left, right))
        .map(([version, members]) => ({
          name: version,
          kinds: members.toSorted((left, right) => compareText(left.type.plural, right.type.plural)),
        })),
    }))
}

function findDocument(
  groups: readonly Group[],
  segments: readonly string[],
  aggregated: boolean,
  serverAddress: string,
): object | undefined {
  const [prefix, second, third] = segments
  const core = groups.find(({ name }) => name === '')
  const named = groups.filter(({ name }) => name !== '')
  if (prefix === 'api') {
    if (segments.length === 2) return resourceList(core, second)
    if (segments.length !== 1) return undefined
    if (aggregated) return aggregatedList(core ? [core] : [])
    const serverAddressByClientCIDRs = [{ clientCIDR: '0.0.0.0/0', serverAddress }]
    return { kind: 'APIVersions', versions: (core?.versions ?? []).map(({ name }) => name), serverAddressByClientCIDRs }
  }
  if (prefix !== 'apis') return undefined
  if (segments.length === 1)
    return aggregated ? aggregatedList(named) : { kind: 'APIGroupList', apiVersion: 'v1', groups: named.map(apiGroup) }
  const group = named.find(({ name }) => name === second)
  if (segments.length === 2) return group && { kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(group) }
  return segments.length === 3 ? resourceList(group, third) : undefined
}

function apiGroup({ name, versions }: Group): object {
  const all = versions.map((version) => ({ groupVersion: `${name}/${version.name}`, version: version.name }))
  return { name, versions: all, preferredVersion: all[0] }
}

function resourceList(group: Group | undefined, versionName: string | undefined): object | undefined {
  const version = group?.versions.find(({ name }) => name === versionName)
  if (!group || !version) return undefined
  const groupVersion = apiVersionOf({ group: group.name, version: version.name })
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: version.kinds.flatMap(apiResources) }
}

function apiResources(kind: KindDefinition): object[] {
  const { type, singular, verbs, shortNames, categories } = kind
  const { plural: name, namespaced } = type
  const own = {
    name,
    singularName: singular,
    namespaced,
    kind: type.kind,
    verbs: verbs.toSorted(),
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
  }
  const below = subresourcesOf(kind).map(([subresource, definition]) => ({
    name: `${name}/${subresource}`,
    singularName: '',
    namespaced,
    ...(definition.kind && { group: definition.kind.group, version: definition.kind.version }),
    kind: definition.kind?.kind ?? type.kind,
    verbs: definition.verbs.toSorted(),
  }))
  return [own, ...below]
}

const subresourcesOf = ({ subresources }: KindDefinition): [string, Subresource][] =>
  Object.entries(subresources).sort(([left], [right]) => compareText(left, right))

const aggregatedList = (groups: readonly Group[]): object => ({
  kind: 'APIGroupDiscoveryList',
  apiVersion: 'apidiscovery.k8s.io/v2',
  metadata: {},
  items: groups.map(({ name, versions }) => ({
    metadata: name === '' ? {} : { name },
    versions: versions.map((version) => ({
      version: version.name,
      resources: version.kinds.map(aggregatedResource),
      freshness: 'Current',
    })),
  })),
})

// Clients would drop an entry without a response kind, so each has one.
function aggregatedResource(kind: KindDefinition): object {
  const { group, version, kind: name, plural, namespaced } = kind.type
  const responseKind = { group, version, kind: name }
  const subresources = subresourcesOf(kind).map(([subresource, definition]) => ({
    subresource,
    responseKind: definition.kind ?? responseKind,
    verbs: definition.verbs.toSorted(),
  }))
  return {
    resource: plural,
    responseKind,
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.singular,
    verbs: kind.verbs.toSorted(),
    ...(kind.shortNames.length > 0 && { shortNames: kind.shortNames }),
    ...(kind.categories.length > 0 && { categories: kind.categories }),
    ...(subresources.length > 0 && { subresources }),
  }
}
