import { formatExactJson } from '../../api/exact-json.ts'
import type { DeleteOptions } from '../../api/api.ts'
import type { Status } from '../../api/object.ts'
import { formatTimestamp, parseTimestamp } from '../../api/timestamps.ts'
import { draftOf, metaOf, objectOf } from './drafts.ts'
import type { Draft, KindDefinition } from './kind-definition.ts'
import { failedPrecondition, notFound } from './refusals.ts'
import type { ServerParts } from './server-parts.ts'
import type { Decision } from './store.ts'
import { keyOf } from './stored-object.ts'
import type { StoredObject } from './stored-object.ts'
import { isRemovable, presentedDraft } from './update-object.ts'
import { admit, admitMutatingWebhooks, admitValidatingWebhooks, needsWebhooks } from './write-request.ts'
import type { WriteRequest } from './write-request.ts'

export const FOREGROUND_FINALIZER = 'foregroundDeletion'
export const ORPHAN_FINALIZER = 'orphan'

/** The result of a deletion: the last state, and whether the object is gone or still held by its grace period or finalizers. */
export type Deletion = { readonly stored: StoredObject; readonly gone: boolean }

/** Removes an object, or only marks it if something holds it. */
export async function deleteObject(
  parts: ServerParts,
  request: WriteRequest,
  options: DeleteOptions,
): Promise<Deletion> {
  const { kind, namespace, name, dryRun } = request
  const key = keyOf(kind.type.namespaced ? namespace : '', name)
  if (needsWebhooks(parts, request)) await askWebhooks(parts, request, key, options)
  let gone = false
  let preview: StoredObject | undefined
  const stored = await parts.store.write(kind.storage, key, (current) => {
    if (!current) throw notFound(kind.type, name)
    checkPreconditions(kind, current, options)
    const old = presentedDraft(kind, current)
    admit('validate', parts, request, { operation: 'DELETE', object: undefined, old })
    const decision = decideDeletion(kind, current, options, parts.clock.nowMs())
    gone = decision.kind === 'delete'
    if (!dryRun) return decision
    preview =
      decision.kind === 'keep'
        ? current
        : { ...current, object: decision.object, json: formatExactJson(decision.object) }
    return { kind: 'keep' }
  })
  const last = preview ?? stored
  if (!last) throw notFound(kind.type, name)
  return { stored: last, gone }
}

// The object may change before it is deleted, as it may between two requests of a client.
async function askWebhooks(
  parts: ServerParts,
  request: WriteRequest,
  key: string,
  options: DeleteOptions,
): Promise<void> {
  const { kind, name } = request
  const current = parts.store.decided.find(kind.storage, key)
  if (!current) throw notFound(kind.type, name)
  checkPreconditions(kind, current, options)
  const write = { operation: 'DELETE' as const, object: undefined, old: presentedDraft(kind, current) }
  await admitMutatingWebhooks(parts, request, write)
  await admitValidatingWebhooks(parts, request, write)
}

function checkPreconditions(kind: KindDefinition, current: StoredObject, { preconditions }: DeleteOptions): void {
  const { uid, resourceVersion, name = '' } = current.object.metadata
  if (preconditions?.uid !== undefined && preconditions.uid !== uid)
    throw failedPrecondition(
      kind.type,
      name,
      `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    )
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion)
    throw failedPrecondition(
      kind.type,
      name,
      `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    )
}

function decideDeletion(kind: KindDefinition, current: StoredObject, options: DeleteOptions, nowMs: number): Decision {
  const draft = draftOf(current.object)
  const meta = metaOf(draft)
  const graceSeconds = kind.gracePeriodSeconds?.(draft, options.gracePeriodSeconds) ?? 0
  const isMarked = meta.deletionTimestamp !== undefined
  addPropagationFinalizer(draft, options)
  const formerGraceSeconds = meta.deletionGracePeriodSeconds ?? 0
  if (!isMarked || graceSeconds < formerGraceSeconds) {
    // A second request with less grace deletes the object sooner, never later: both count from the first request.
    const askedMs = isMarked ? parseTimestamp(meta.deletionTimestamp ?? '') - formerGraceSeconds * 1000 : nowMs
    meta.deletionTimestamp = formatTimestamp(askedMs + graceSeconds * 1000)
    meta.deletionGracePeriodSeconds = graceSeconds
  }
  if (!isMarked) {
    if ((meta.generation ?? 0) > 0) meta.generation = (meta.generation ?? 0) + 1
    kind.prepareForDelete?.(draft)
  }
  const object = objectOf(draft)
  if (isRemovable(kind, draft)) return { kind: 'delete', object: isMarked ? object : withoutMark(current) }
  return formatExactJson(draft) === current.json ? { kind: 'keep' } : { kind: 'put', object }
}

// An object that is removed immediately is reported in its last state, without the mark.
const withoutMark = (current: StoredObject) => current.object

function addPropagationFinalizer(draft: Draft, { propagationPolicy }: DeleteOptions): void {
  const meta = metaOf(draft)
  const others = (meta.finalizers ?? []).filter(
    (finalizer) => finalizer !== FOREGROUND_FINALIZER && finalizer !== ORPHAN_FINALIZER,
  )
  if (propagationPolicy === undefined) return
  const wanted = { Orphan: [ORPHAN_FINALIZER], Foreground: [FOREGROUND_FINALIZER], Background: [] }[propagationPolicy]
  const finalizers = [...others, ...wanted]
  if (finalizers.length > 0) meta.finalizers = finalizers
  else delete meta.finalizers
}

/** The response for kinds that do not return the object. */
export function deletionStatus({ type }: KindDefinition, { object }: StoredObject): Status {
  const { name = '', uid = '' } = object.metadata
  const details = { name, ...(type.group === '' ? {} : { group: type.group }), kind: type.plural, uid }
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }
}
