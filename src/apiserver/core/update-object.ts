import { formatExactJson } from '../../api/exact-json.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import { apiVersionOf } from '../../api/resource-type.ts'
import { storeNew, storedForm } from './create-object.ts'
import { decodeObject, refuseManyValues } from './decode-object.ts'
import { draftOf, metaOf, objectOf } from './drafts.ts'
import type { Draft, FieldProblem, KindDefinition } from './kind-definition.ts'
import { fillIdentity, prepareChangedMetadata } from './prepare-metadata.ts'
import { conflict, invalid, notFound } from './refusals.ts'
import type { ServerParts } from './server-parts.ts'
import type { Decision } from './store.ts'
import { keyOf } from './stored-object.ts'
import type { StoredObject } from './stored-object.ts'
import { managersAfter } from './track-managers.ts'
import { validateMetadata, validateMetadataUpdate } from './validate-metadata.ts'
import {
  admit,
  admitMutatingWebhooks,
  admitValidatingWebhooks,
  needsWebhooks,
  refuseProblems,
} from './write-request.ts'
import type { WriteRequest } from './write-request.ts'

/** An update, or the creation that it became. */
export type UpdateResult = { readonly stored: StoredObject; readonly created: boolean }

/**
 * Creates the new object from the current one: the body of a PUT, or the current one with a patch applied. The two must not share parts: use
 * `draftOf` to copy the current one.
 */
export type NextDraft = (current: Draft) => Draft

/** A PUT: the body replaces the object. `authorizeCreation` throws if the user may update, but not create the object. */
export async function updateObject(
  parts: ServerParts,
  request: WriteRequest,
  body: unknown,
  authorizeCreation: () => void,
): Promise<UpdateResult> {
  const { kind, namespace, name } = request
  const current = parts.store.decided.find(kind.storage, keyOf(kind.type.namespaced ? namespace : '', name))
  refuseManyValues(kind, body, current?.object)
  const draft = decodeObject(kind, body, request.fieldValidation, request.warnings, request.duplicateFields)
  const { uid, resourceVersion } = metaOf(draft)
  if (!current) {
    if (!kind.createOnUpdate || request.subresource !== '') throw notFound(kind.type, name)
    // A uid refers to an object that existed before, not to a new one.
    if (uid) throw conflict(kind.type, name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: `)
    authorizeCreation()
    return { stored: await storeNew(parts, request, draft), created: true }
  }
  if (!isGiven(resourceVersion) && !kind.unconditionalUpdate) {
    throw invalid(kind.type, name, [
      {
        field: 'metadata.resourceVersion',
        type: 'FieldValueInvalid',
        value: 0,
        detail: 'must be specified for an update',
      },
    ])
  }
  return { stored: await changeObject(parts, request, () => draft), created: false }
}

/** The only way to change an object: decided in one turn on the newest state, so a patch never causes a conflict that its sender did not request. */
export async function changeObject(parts: ServerParts, request: WriteRequest, next: NextDraft): Promise<StoredObject> {
  if (needsWebhooks(parts, request)) return changeWithWebhooks(parts, request, next)
  return storeChange(parts, request, (current) => decideChange(parts, request, current, next))
}

/**
 * Webhooks are asked about a change that was prepared on the current state. If the object changes meanwhile, the change is prepared and they are asked
 * again.
 */
async function changeWithWebhooks(parts: ServerParts, request: WriteRequest, next: NextDraft): Promise<StoredObject> {
  const { kind, namespace, name } = request
  const key = keyOf(kind.type.namespaced ? namespace : '', name)
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const current = parts.store.decided.find(kind.storage, key)
    if (!current) throw notFound(kind.type, name)
    const prepared = prepareChange(parts, request, current, next)
    const { old, rules } = prepared
    const write = { operation: 'UPDATE' as const, object: prepared.changed, old }
    const mutated = await admitMutatingWebhooks(parts, request, write)
    const changed = mutated ? settleChange(parts, request, rules, mutated, old) : prepared.changed
    checkChange(kind, rules, changed, old)
    await admitValidatingWebhooks(parts, request, { ...write, object: changed })
    let isOutdated = false
    const stored = await storeChange(parts, request, (newest) => {
      isOutdated = newest.revision !== current.revision
      return isOutdated ? { kind: 'keep' } : finishChange(parts, request, { ...prepared, changed })
    })
    if (!isOutdated) return stored
  }
  throw conflict(kind.type, name)
}

const MOST_ATTEMPTS = 5

/** Stores what is decided on the newest state of the object, or returns what would be stored. */
async function storeChange(
  parts: ServerParts,
  request: WriteRequest,
  decide: (current: StoredObject) => Decision,
): Promise<StoredObject> {
  const { kind, namespace, name, dryRun } = request
  const key = keyOf(kind.type.namespaced ? namespace : '', name)
  let preview: StoredObject | undefined
  const stored = await parts.store.write(kind.storage, key, (current) => {
    if (!current) throw notFound(kind.type, name)
    const decision = decide(current)
    if (!dryRun) return decision
    const object = decision.kind === 'keep' ? current.object : decision.object
    preview = { ...current, object, json: formatExactJson(object) }
    return { kind: 'keep' }
  })
  const result = preview ?? stored
  if (!result) throw notFound(kind.type, name)
  return result
}

type PreparedChange = {
  readonly changed: Draft
  readonly old: Draft
  readonly rules: ChangeRules
  readonly givenManagers: unknown
}

function decideChange(parts: ServerParts, request: WriteRequest, current: StoredObject, next: NextDraft): Decision {
  const prepared = prepareChange(parts, request, current, next)
  checkChange(request.kind, prepared.rules, prepared.changed, prepared.old)
  return finishChange(parts, request, prepared)
}

function prepareChange(
  parts: ServerParts,
  request: WriteRequest,
  current: StoredObject,
  next: NextDraft,
): PreparedChange {
  const { kind, namespace, name } = request
  const old = presentedDraft(kind, current)
  const draft = next(old)
  fillIdentity(kind, draft, namespace, name)
  const givenManagers = metaOf(draft).managedFields
  checkPreconditions(kind, draft, old)
  const rules = rulesFor(request)
  return { changed: settleChange(parts, request, rules, draft, old), old, rules, givenManagers }
}

/** What a write makes of an object: only the parts that it may change, with defaults, and as the server's own plugins want it. */
function settleChange(parts: ServerParts, request: WriteRequest, rules: ChangeRules, draft: Draft, old: Draft): Draft {
  const { kind } = request
  prepareChangedMetadata(draft, old, request.warnings)
  const changed = rules.merge(draft, old)
  kind.applyDefaults?.(changed)
  rules.prepare?.(changed, old, parts.clock.nowMs())
  admit('mutate', parts, request, { operation: 'UPDATE', object: changed, old })
  // After admission, which may put back what a client left out. Binding a pod to a node does not change the desired state.
  if (!request.isServerStep) growGeneration(kind, changed, old)
  return changed
}

function checkChange(kind: KindDefinition, rules: ChangeRules, changed: Draft, old: Draft): void {
  refuseProblems(kind, changed, [
    ...validateMetadata(kind, changed),
    ...validateMetadataUpdate(changed, old),
    ...rules.validate(changed, old),
  ])
}

function finishChange(
  parts: ServerParts,
  request: WriteRequest,
  { changed, old, givenManagers }: Pick<PreparedChange, 'changed' | 'old' | 'givenManagers'>,
): Decision {
  const { kind } = request
  admit('validate', parts, request, { operation: 'UPDATE', object: changed, old })
  request.warnings.push(...(kind.warnings?.(changed, old) ?? []))

  setManagers(parts, request, { changed, old, givenManagers })
  if (isEqualJson(changed, old)) return { kind: 'keep' }
  const object = objectOf(storedForm(request, changed))
  return isRemovable(kind, changed) ? { kind: 'delete', object } : { kind: 'put', object }
}

function setManagers(
  parts: ServerParts,
  request: WriteRequest,
  { changed, old, givenManagers }: { changed: Draft; old: Draft; givenManagers: unknown },
): void {
  const entries = request.managedFields?.() ?? managersAfter(parts, request, { changed, old, givenManagers })
  const meta = metaOf(changed)
  if (entries === undefined || entries.length === 0) delete meta.managedFields
  else meta.managedFields = entries as never
}

type ChangeRules = {
  /** The parts of the new object that this write may change. */
  merge(draft: Draft, old: Draft): Draft
  prepare?: ((draft: Draft, old: Draft, nowMs: number) => void) | undefined
  validate(draft: Draft, old: Draft): FieldProblem[]
}

function rulesFor({ kind, subresource, isServerStep }: WriteRequest): ChangeRules {
  // The result must be as valid as a created object.
  if (isServerStep) return { merge: (draft) => draft, validate: (draft, old) => kind.validate?.(draft, old) ?? [] }
  if (subresource === 'status') {
    return {
      merge: (draft, old) => withNewStatus(kind, draft, old),
      prepare: kind.prepareForStatusUpdate,
      validate: (draft, old) => kind.validateStatusUpdate?.(draft, old) ?? [],
    }
  }
  return {
    merge: (draft, old) => withOldStatus(kind, draft, old),
    prepare: kind.prepareForUpdate,
    validate: (draft, old) => [...(kind.validate?.(draft, old) ?? []), ...(kind.validateUpdate?.(draft, old) ?? [])],
  }
}

/** Whether this version shows an object exactly as it is stored, which is mostly true. */
export const isShownAsStored = (kind: KindDefinition, { object }: StoredObject): boolean =>
  kind.fromStored === undefined && object.apiVersion === apiVersionOf(kind.type)

/** A stored object as this version shows it. */
export function presentedDraft(kind: KindDefinition, { object }: StoredObject): Draft {
  const draft = draftOf(object)
  const shown = kind.fromStored ? kind.fromStored(draft) : draft
  return { ...shown, apiVersion: apiVersionOf(kind.type), kind: kind.type.kind }
}

function checkPreconditions(kind: KindDefinition, draft: Draft, old: Draft): void {
  const { uid, resourceVersion, name = '' } = metaOf(draft)
  const before = metaOf(old)
  if (uid && uid !== before.uid) {
    throw conflict(
      kind.type,
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${before.uid}`,
    )
  }
  if (isGiven(resourceVersion) && resourceVersion !== before.resourceVersion) throw conflict(kind.type, name)
}

// Some clients send zero for an unset number.
const isGiven = (resourceVersion: string | undefined): boolean =>
  resourceVersion !== undefined && resourceVersion !== '' && resourceVersion !== '0'

function withOldStatus(kind: KindDefinition, draft: Draft, old: Draft): Draft {
  if (!kind.hasStatus) return draft
  const { status: _ignored, ...rest } = draft
  return old['status'] === undefined ? rest : { ...rest, status: old['status'] }
}

function withNewStatus(kind: KindDefinition, draft: Draft, old: Draft): Draft {
  const { status: _replaced, ...rest } = old
  const metadata = kind.statusKeepsMetadata ? old['metadata'] : draft['metadata']
  return { ...rest, metadata, ...(draft['status'] === undefined ? {} : { status: draft['status'] }) }
}

function growGeneration(kind: KindDefinition, draft: Draft, old: Draft): void {
  if (kind.generation === 'none') return
  const content = ({ metadata: _metadata, status, ...rest }: Draft): unknown =>
    kind.generation !== 'all-but-status' ? rest['spec'] : kind.hasStatus ? rest : { ...rest, status }
  if (!isEqualJson(content(draft), content(old))) metaOf(draft).generation = (metaOf(old).generation ?? 0) + 1
}

/** Whether deletion was requested and nothing blocks it any more. */
export function isRemovable(kind: KindDefinition, draft: Draft): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = metaOf(draft)
  return (
    deletionTimestamp !== undefined &&
    deletionGracePeriodSeconds === 0 &&
    finalizers.length === 0 &&
    !kind.isHeld?.(draft)
  )
}
