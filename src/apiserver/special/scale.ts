import type { Patch } from '../../api/api.ts'
import { applyJsonPatch } from '../../api/json-patch.ts'
import { applyMergePatch } from '../../api/merge-patch.ts'
import { writeRequest } from '../core/core.ts'
import type { SpecialHandler } from '../core/core.ts'
import type { Draft } from '../core/kind-definition.ts'
import { getObject } from '../core/read-objects.ts'
import { badRequest, invalid } from '../core/refusals.ts'
import type { ResourceRequest } from '../core/resource-request.ts'
import type { StoredObject } from '../core/stored-object.ts'
import { changeObject } from '../core/update-object.ts'

type Scale = { apiVersion: string; kind: string; metadata: object; spec: { replicas: number }; status: { replicas: number; selector?: string } }
type Scalable = { spec?: { replicas?: number; selector?: { matchLabels?: Record<string, string> } }; status?: { replicas?: number } }

/** GET, PUT and PATCH of `/scale`: the number of replicas as an object of its own. */
export const serveScale: SpecialHandler = async (request, parts) => {
  const { kind, namespace, name } = request
  const answer = (stored: StoredObject) => ({ kind: 'value' as const, code: 200 as const, value: scaleOf(stored), warnings: [] })
  if (request.verb === 'get') return answer(getObject(parts, kind, namespace, name))
  if (request.verb !== 'update' && request.verb !== 'patch') throw badRequest('scale takes GET, PUT and PATCH')
  const nextScale = nextScaleOf(request)
  const write = { ...writeRequest(request, request.options), subresource: '' }
  const stored = await changeObject(parts, write, (current) => {
    const before = scaleOf({ object: current } as unknown as StoredObject)
    const after = nextScale(before)
    const replicas = after.spec?.replicas ?? 0
    if (!Number.isInteger(replicas) || replicas < 0) {
      throw invalid({ group: 'autoscaling', kind: 'Scale' }, name, [{ field: 'spec.replicas', type: 'FieldValueInvalid', value: replicas, detail: 'must be greater than or equal to 0' }])
    }
    const { resourceVersion } = (after.metadata ?? {}) as { resourceVersion?: string }
    const metadata = { ...(current['metadata'] as object), ...(resourceVersion === undefined ? {} : { resourceVersion }) }
    return { ...current, metadata, spec: { ...(current['spec'] as object), replicas } } satisfies Draft
  })
  return answer(stored)
}

function nextScaleOf(request: Extract<ResourceRequest, { verb: 'patch' } | { verb: 'create' | 'update' }>): (before: Scale) => Partial<Scale> {
  if (request.verb === 'patch') return (before) => patched(before, request.patch) as Partial<Scale>
  return () => request.body as Partial<Scale>
}

function patched(scale: Scale, patch: Patch): unknown {
  // A Scale has no lists to merge: strategic and plain merge are the same.
  return patch.type === 'json' ? applyJsonPatch(scale, patch.operations) : applyMergePatch(scale, patch.value)
}

function scaleOf({ object }: StoredObject): Scale {
  const { metadata } = object
  const { spec, status } = object as Scalable
  const selector = Object.entries(spec?.selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`).join(',')
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: spec?.replicas ?? 0 },
    status: { replicas: status?.replicas ?? 0, ...(selector === '' ? {} : { selector }) },
  }
}
