import type { Patch } from '../../api/api.ts'
import type { ObjectMeta } from '../../api/object.ts'
import { formatLabelSelector, labelRequirementsOf } from '../../api/label-selector.ts'
import type { LabelSelector } from '../../api/kinds/selectors.ts'
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
import { readAppliedScale, SCALE } from './apply-scale.ts'
import { valueAt, withValue } from './member-path.ts'
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

const NOWHERE = ['']

const pathsOf = ({ scalePaths }: KindDefinition): typeof DEFAULT_PATHS => scalePaths ?? DEFAULT_PATHS

/** GET, PUT and PATCH of `/scale`: the number of replicas as a separate object. */
export const serveScale: SpecialHandler = {
  get: async ({ kind, namespace, name }, parts) => scaleResponse(kind, getObject(parts, kind, namespace, name)),
  update: changeScale,
  patch: changeScale,
}

async function changeScale(request: ScaleChange, parts: ServerParts): Promise<ResourceResponse> {
  const { kind, name } = request
  const write = {
    ...writeRequest(request, request.options),
    shownAs: {
      kind: SCALE,
      show: (object: Draft): Draft => scaleOf(kind, object),
      take: (object: Draft, scale: Draft): Draft => scaled(kind, object, scale as GivenScale, name),
    },
  }
  const applied =
    request.verb === 'patch' && request.patch.type === 'apply'
      ? readAppliedScale(parts, write, request.patch, pathsOf(kind).specReplicas)
      : undefined
  const stored = await changeObject(
    parts,
    applied ? { ...write, managedFields: () => applied.managers() } : write,
    (current) => {
      const next = applied?.next(current) ?? nextScale(request, scaleOf(kind, current))
      return scaled(kind, draftOf(current), next, name)
    },
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
  // An apply has been read before.
  if (patch.type === 'apply') throw new Error('an apply is no patch of a Scale')
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
  const { specReplicas } = pathsOf(kind)
  return {
    ...(withValue(current, specReplicas, replicas) as Draft),
    metadata: { ...metaOf(current), ...preconditions },
  }
}

function scaleOf(kind: KindDefinition, object: Draft): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metaOf(object)
  const paths = pathsOf(kind)
  const count = (path: readonly string[]): number => Number(valueAt(object, path) ?? 0)
  // A definition of a custom resource may have no path for it.
  const selector = kind.scalePaths ? valueAt(object, paths.selector ?? NOWHERE) : selectorText(object)
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

// In the text form that clients use. The selector of a ReplicationController is a map.
function selectorText({ kind, spec }: Draft): string {
  const { selector = {} } = (spec ?? {}) as { selector?: LabelSelector | Record<string, string> }
  const isMap = kind === 'ReplicationController'
  const requirements = labelRequirementsOf(
    isMap ? { matchLabels: selector as Record<string, string> } : (selector as LabelSelector),
  )
  return formatLabelSelector(requirements)
}
