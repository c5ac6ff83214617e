import { canonicalJson } from '../../api/canonical-json.ts'
import type { ControllerRevision } from '../../api/kinds/controller-revision.ts'
import type { PodTemplateSpec } from '../../api/kinds/stateful-set.ts'
import type { KubeObject } from '../../api/object.ts'
import { ownerReferenceTo } from '../../api/owner-references.ts'
import { shortHash } from './short-hash.ts'

/** On pods: the name of their revision (StatefulSet), or its hash (DaemonSet). On revisions of a DaemonSet: their hash. */
export const REVISION_LABEL = 'controller-revision-hash'
/** On revisions of a StatefulSet. Earlier versions of Holdfast set it on those of a DaemonSet, too. */
const HASH_LABEL = 'controller.kubernetes.io/hash'
// Leaves room for the hash in a name.
const LONGEST_PREFIX = 223

/** What a revision stores of its owner: a patch that restores the template. */
type RevisionData = { readonly spec?: { readonly template?: PodTemplateSpec & { readonly $patch?: string } } }

type Owner = KubeObject & {
  readonly spec: { readonly template: PodTemplateSpec }
  readonly status?: { readonly collisionCount?: number }
}

/** What has to happen for the owner's template to have a revision. */
export type RevisionStep =
  | { readonly kind: 'use'; readonly revision: ControllerRevision }
  | { readonly kind: 'create'; readonly revision: ControllerRevision }
  /** The template is that of an older revision, which becomes the newest. */
  | { readonly kind: 'renumber'; readonly revision: ControllerRevision; readonly number: number }

/** The revision of the owner's current template, among its revisions. */
export function nextRevisionStep(owner: Owner, revisions: readonly ControllerRevision[]): RevisionStep {
  const sorted = sortRevisions(revisions)
  const newest = sorted.at(-1)
  const number = (newest?.revision ?? 0) + 1
  const wanted = createRevision(owner, number)
  const equal = sorted.findLast((revision) => hasSameData(revision, wanted))
  if (!equal) return { kind: 'create', revision: wanted }
  return equal === newest || (newest && hasSameData(newest, equal))
    ? { kind: 'use', revision: newest ?? equal }
    : { kind: 'renumber', revision: equal, number }
}

/** In the order of their numbers. */
export const sortRevisions = (revisions: readonly ControllerRevision[]): readonly ControllerRevision[] =>
  revisions.toSorted((one, other) => one.revision - other.revision || compare(nameOf(one), nameOf(other)))

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

export const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? ''

/** The hash of a revision, which pods of a DaemonSet carry. kube-controller-manager takes the name for one without it. */
export const hashOf = ({ metadata }: ControllerRevision): string =>
  metadata.labels?.[REVISION_LABEL] ?? metadata.labels?.[HASH_LABEL] ?? metadata.name ?? ''

export const hasSameData = (one: ControllerRevision, other: ControllerRevision): boolean =>
  canonicalJson(one.data) === canonicalJson(other.data)

function createRevision(owner: Owner, number: number): ControllerRevision {
  const { template } = owner.spec
  const data = { spec: { template: { ...template, $patch: 'replace' } } }
  const hash = shortHash(`${canonicalJson(data)}${owner.status?.collisionCount ?? 0}`)
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      namespace: owner.metadata.namespace ?? '',
      name: `${nameOf(owner).slice(0, LONGEST_PREFIX)}-${hash}`,
      labels: { ...template.metadata?.labels, [owner.kind === 'DaemonSet' ? REVISION_LABEL : HASH_LABEL]: hash },
      ...(owner.metadata.annotations ? { annotations: owner.metadata.annotations } : {}),
      ownerReferences: [ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true })],
    },
    data,
    revision: number,
  }
}

/** The template that the revision restores; undefined if it stores none. */
export function templateOf({ data }: ControllerRevision): PodTemplateSpec | undefined {
  // The server stores any JSON as data; revisions of another shape restore nothing.
  const stored = (data as RevisionData | undefined)?.spec?.template
  if (stored === undefined) return undefined
  const { $patch: _patch, ...template } = stored
  return template
}

/** The oldest revisions beyond the limit. Those in use do not count. */
export function revisionsToDelete(
  revisions: readonly ControllerRevision[],
  inUse: ReadonlySet<string>,
  limit: number,
): readonly ControllerRevision[] {
  const unused = sortRevisions(revisions).filter((revision) => !inUse.has(nameOf(revision)))
  return limit < 0 ? [] : unused.slice(0, Math.max(0, unused.length - limit))
}
