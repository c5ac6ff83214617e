import type { Patch } from '../../api/api.ts'
import type { ObjectMeta } from '../../api/object.ts'
import { ApiError } from '../../api/api-error.ts'
import { applyMergePatch } from '../../api/merge-patch.ts'
import { writeRequest } from '../core/perform-request.ts'
import type { SpecialHandler } from '../core/perform-request.ts'
import { draftOf, metaOf } from '../core/drafts.ts'
import type { Draft, KindDefinition } from '../core/kind-definition.ts'
import { applyOperations } from '../core/patch-object.ts'
import { getObject } from '../core/read-objects.ts'
import { invalid } from '../core/refusals.ts'
import type { RequestOf, ResourceResponse } from '../core/resource-request.ts'
import type { ServerParts } from '../core/server-parts.ts'
import type { StoredObject } from '../core/stored-object.ts'
import { changeObject, presentedDraft } from '../core/update-object.ts'
import { readBody } from './read-body.ts'

type Scale = {
  apiVersion: string
  kind: string
  metadata: object
  spec: { replicas: number }
  status: { replicas: number; selector?: string }
}
type GivenScale = { metadata: ObjectMeta; spec?: { replicas?: number } }
type ScaleChange = RequestOf<'patch' | 'update'>

const DEFAULT_PATHS: NonNullable<KindDefinition['scalePaths']> = {
  specReplicas: ['spec', 'replicas'],
  statusReplicas: ['status', 'replicas'],
}

/** GET, PUT and PATCH of `/scale`: the number of replicas as a separate object. */
export const serveScale: SpecialHandler = {
  get: async ({ kind, namespace, name }, parts) => scaleResponse(kind, getObject(parts, kind, namespace, name)),
  update: changeScale,
  patch: changeScale,
}

async function changeScale(request: ScaleChange, parts: ServerParts): Promise<ResourceResponse> {
  const { kind, name } = request
  const write = { ...writeRequest(request, request.options), subresource: '' }
  const stored = await changeObject(parts, write, (current) =>
    scaled(kind, draftOf(current), nextScale(request, scaleOf(kind, current)), name),
  )
  return scaleResponse(kind, stored)
}

const scaleResponse = (kind: KindDefinition, stored: StoredObject): ResourceResponse => ({
  kind: 'value',
  code: 200,
  value: scaleOf(kind, presentedDraft(kind, stored)),
  warnings: [],
})

function nextScale(request: ScaleChange, before: Scale): GivenScale {
  return request.verb === 'patch' ? patched(request, before, request.patch) : readBody<GivenScale>(request, 'Scale')
}

function patched(request: ScaleChange, scale: Scale, patch: Patch): GivenScale {
  if (patch.type === 'apply')
    throw new ApiError('UnsupportedMediaType', 'server-side apply is not supported for scale: use a merge patch')
  // A Scale has no lists to merge: strategic and plain merge patches are the same.
  const next =
    patch.type === 'json' ? applyOperations(request, scale, patch.operations) : applyMergePatch(scale, patch.value)
  return readBody<GivenScale>({ ...request, verb: 'update', body: next, options: request.options }, 'Scale')
}

function scaled(kind: KindDefinition, current: Draft, { metadata, spec }: GivenScale, name: string): Draft {
  const replicas = spec?.replicas ?? 0
  if (replicas < 0) {
    const detail = 'must be greater than or equal to 0'
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, name, [
      { field: 'spec.replicas', type: 'FieldValueInvalid', value: replicas, detail },
    ])
  }
  // A version or uid in the body is a precondition.
  const { uid, resourceVersion } = metadata
  const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) }
  const { specReplicas } = kind.scalePaths ?? DEFAULT_PATHS
  return {
    ...(withValue(current, specReplicas, replicas) as Draft),
    metadata: { ...metaOf(current), ...preconditions },
  }
}

function scaleOf(kind: KindDefinition, object: Draft): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metaOf(object)
  const paths = kind.scalePaths ?? DEFAULT_PATHS
  const count = (path: readonly string[]): number => Number(valueAt(object, path) ?? 0)
  const selector = paths.selector ? valueAt(object, paths.selector) : matchLabels(object)
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: count(paths.specReplicas) },
    status: {
      replicas: count(paths.statusReplicas),
      ...(typeof selector === 'string' && selector !== '' ? { selector } : {}),
    },
  }
}

// In the text form that clients use.
function matchLabels(object: Draft): string {
  const { spec } = object as { spec?: { selector?: { matchLabels?: Record<string, string> } } }
  return Object.entries(spec?.selector?.matchLabels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(',')
}

const valueAt = (object: unknown, [member, ...rest]: readonly string[]): unknown =>
  member === undefined ? object : valueAt((object as Record<string, unknown> | null | undefined)?.[member], rest)

function withValue(object: unknown, [member, ...rest]: readonly string[], value: unknown): unknown {
  if (member === undefined) return value
  const members = (typeof object === 'object' && object !== null ? object : {}) as Record<string, unknown>
  return { ...members, [member]: withValue(members[member], rest, value) }
}
