import { SNAPSHOT_RESOURCE_TYPES } from '../api/kinds/all-resource-types.ts'
import type { ResourceType } from '../api/resource-type.ts'
import type { ClusterReader } from './cluster-reader.ts'
import type { Link } from './explanation.ts'
import { SCOPE_REASONS } from './scope-reasons.ts'

/** The kinds that a cluster has only if somebody installed their CRDs. */
const OPTIONAL: ReadonlyMap<string, ResourceType> = new Map(SNAPSHOT_RESOURCE_TYPES.map((type) => [type.kind, type]))

/** The same chain; an object that is absent because its kind is not installed has that as its reason: nobody could create it. */
export async function withInstalledKinds(link: Link, reader: ClusterReader): Promise<Link> {
  const type = link.status === 'waits' && link.state === 'absent' ? OPTIONAL.get(link.object.kind) : undefined
  if (type && !(await reader.isServed(type)))
    return { ...link, reason: SCOPE_REASONS.snapshotsNotInstalled(type.plural) }
  return { ...link, dependsOn: await Promise.all(link.dependsOn.map((each) => withInstalledKinds(each, reader))) }
}
