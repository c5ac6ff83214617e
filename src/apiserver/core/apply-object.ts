import { formatExactJson, parseExactJson } from '../../api/exact-json.ts'
import { ApiError } from '../../api/api-error.ts'
import type { Patch } from '../../api/api.ts'
import { apiVersionOf } from '../../api/resource-type.ts'
import { applyFields, unchangedFields } from '../apply/apply-fields.ts'
import type { ApplyResult } from '../apply/apply-fields.ts'
import type { FieldSet } from '../apply/field-set.ts'
import { formatManagers, parseManagers } from '../apply/managed-fields.ts'
import type { Manager } from '../apply/managed-fields.ts'
import { checkItems, ItemError } from '../apply/parts-of.ts'
import { storeNew } from './create-object.ts'
import { decodeKnown, decodeObject, formatDuplicates, refuseManyValues, reportFields } from './decode-object.ts'
import { draftOf, metaOf } from './drafts.ts'
import type { Draft, KindDefinition } from './kind-definition.ts'
import { applyConflict, badRequest, invalid } from './refusals.ts'
import type { ServerParts } from './server-parts.ts'
import { keyOf } from './stored-object.ts'
import { rulesOf, writerOf } from './track-managers.ts'
import { changeObject } from './update-object.ts'
import type { UpdateResult } from './update-object.ts'
import type { WriteRequest } from './write-request.ts'

type ApplyPatch = Extract<Patch, { type: 'apply' }>

/** Server-side apply. A missing object is created; `authorizeCreation` throws if the user may not do that. */
export async function applyObject(
  parts: ServerParts,
  request: WriteRequest,
  { value, force = false }: ApplyPatch,
  authorizeCreation: () => void,
): Promise<UpdateResult> {
  const { kind, namespace, name } = request
  const applied = readApplied(kind, request, value)
  const current = parts.store.decided.find(kind.storage, keyOf(kind.type.namespaced ? namespace : '', name))
  if (!current && request.subresource === '') {
    authorizeCreation()
    return { stored: await createApplied(parts, request, applied), created: true }
  }
  let managers: readonly Manager[] = []
  const write = { ...request, managedFields: () => formatManagers(managers) }
  const stored = await changeObject(parts, write, (live) => {
    const result = applyTo(parts, request, { live, applied, force })
    if (result.kind === 'conflict') throw applyConflict(result.conflicts)
    ;({ managers } = result)
    const object = draftOf(result.object as Draft)
    updateLastApplied(request, object, applied)
    refuseManyValues(kind, object, live)
    return decodeObject(kind, object, 'Ignore', [])
  })
  return { stored, created: false }
}

async function createApplied(
  parts: ServerParts,
  request: WriteRequest,
  applied: Draft,
): Promise<UpdateResult['stored']> {
  const result = applyTo(parts, request, { live: undefined, applied, force: false })
  const managers = result.kind === 'applied' ? result.managers : []
  refuseManyValues(request.kind, applied)
  const draft = decodeObject(request.kind, draftOf(applied), 'Ignore', [])
  const { uid } = metaOf(draft)
  if (uid)
    throw new ApiError(
      'Conflict',
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    )
  return storeNew(parts, { ...request, managedFields: () => formatManagers(managers) }, draft)
}

function applyTo(
  parts: ServerParts,
  request: WriteRequest,
  { live, applied, force }: { live: Draft | undefined; applied: Draft; force: boolean },
): ApplyResult {
  const writer = writerOf(request)
  const allowed = live && writer.name === KUBECTL ? lastAppliedFields(request, live) : undefined
  const managers = live ? readManagers(live) : []
  return applyFields(rulesOf(parts, request), { live, applied, managers, writer, force, ...(allowed && { allowed }) })
}

/** The owners of a live object. */
export function readManagers(live: Draft): Manager[] {
  try {
    return parseManagers(metaOf(live).managedFields)
  } catch (error) {
    throw badRequest(`failed to decode managed fields: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The applied configuration as sent, without defaults, because only fields in it are owned. */
export function readApplied(
  kind: Pick<KindDefinition, 'type' | 'schema'>,
  request: Omit<WriteRequest, 'kind'>,
  value: object,
): Draft {
  const { fieldManager = '', namespace, name } = request
  if (fieldManager === '') {
    const problem = {
      field: 'fieldManager',
      type: 'FieldValueRequired',
      detail: 'is required for apply patch',
    } as const
    throw invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [problem])
  }
  const given = value as Draft
  const version = given['apiVersion'] ?? ''
  if (version !== apiVersionOf(kind.type)) {
    const shown = typeof version === 'string' ? version : formatExactJson(version)
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${shown}, expected: ${apiVersionOf(kind.type)}`,
    )
  }
  const metadata = (given['metadata'] ?? {}) as Draft
  if (metadata['managedFields'] !== undefined && metadata['managedFields'] !== null)
    throw badRequest('metadata.managedFields must be nil')
  const isCustom = kind.schema.type !== 'object' || kind.schema.name === undefined
  const { draft: decoded, unknownFields } = decodeKnown(kind, draftOf(given))
  reportFields(kind, formatDuplicates(request.duplicateFields ?? []), request.fieldValidation, request.warnings)
  const title = `failed to create typed patch object (${namespace}/${name}; ${apiVersionOf(kind.type)}, Kind=${kind.type.kind})`
  const [unknown] = unknownFields
  if (unknown !== undefined) throw badRequest(`${title}: .${unknown}: field not declared in schema`)
  const applied = { ...(isCustom ? { ...decoded, metadata } : given), metadata: { ...metadata, name } } as Draft
  try {
    checkItems(kind.schema, applied)
  } catch (error) {
    if (error instanceof ItemError) throw badRequest(`${title}: ${error.message}`)
    throw error
  }
  return applied
}

const KUBECTL = 'kubectl'
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'
const MOST_ANNOTATION_BYTES = 256 * 1024

// What the last `kubectl apply` without --server-side applied belongs to kubectl, although under another name.
function lastAppliedFields({ kind }: WriteRequest, live: Draft): FieldSet | undefined {
  const text = metaOf(live).annotations?.[LAST_APPLIED]
  if (!text) return undefined
  try {
    const last = parseExactJson(text) as Draft
    return last['apiVersion'] === apiVersionOf(kind.type) ? unchangedFields(kind.schema, last, live) : undefined
  } catch {
    return undefined
  }
}

// Kept up to date, so that `kubectl apply` without --server-side can take over again.
function updateLastApplied(request: WriteRequest, object: Draft, applied: Draft): void {
  const meta = metaOf(object)
  if (request.fieldManager !== KUBECTL || !meta.annotations?.[LAST_APPLIED]) return
  const { [LAST_APPLIED]: _before, ...annotations } = (metaOf(applied).annotations ?? {}) as Record<string, string>
  const metadata = { ...metaOf(applied), ...(metaOf(applied).annotations && { annotations }) }
  const text = `${formatExactJson({ ...applied, metadata })}\n`
  const { [LAST_APPLIED]: _old, ...others } = meta.annotations
  meta.annotations = Buffer.byteLength(text) > MOST_ANNOTATION_BYTES ? others : { ...others, [LAST_APPLIED]: text }
}
