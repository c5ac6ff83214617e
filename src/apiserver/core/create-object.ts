import { formatExactJson } from '../../api/exact-json.ts'
import { apiVersionOf } from '../../api/resource-type.ts'
import { decodeObject, refuseManyValues } from './decode-object.ts'
import { metaOf, objectOf } from './drafts.ts'
import type { Draft } from './kind-definition.ts'
import { fillIdentity, prepareNewMetadata, randomName } from './prepare-metadata.ts'
import { alreadyExists, noFreeName } from './refusals.ts'
import type { ServerParts } from './server-parts.ts'
import { keyOf } from './stored-object.ts'
import type { StoredObject } from './stored-object.ts'
import { validateMetadata } from './validate-metadata.ts'
import {
  admit,
  admitMutatingWebhooks,
  admitValidatingWebhooks,
  needsWebhooks,
  refuseProblems,
} from './write-request.ts'
import type { WriteRequest } from './write-request.ts'

const NAME_ATTEMPTS = 8

/** Decodes, defaults, admits, checks and stores a new object. */
export async function createObject(parts: ServerParts, request: WriteRequest, body: unknown): Promise<StoredObject> {
  refuseManyValues(request.kind, body)
  const draft = decodeObject(request.kind, body, request.fieldValidation, request.warnings, request.duplicateFields)
  return storeNew(parts, request, draft)
}

/** The same for a decoded body: a PUT or an apply of a missing object. */
export async function storeNew(parts: ServerParts, request: WriteRequest, draft: Draft): Promise<StoredObject> {
  const { kind, namespace, name } = request
  fillIdentity(kind, draft, namespace, name)
  const meta = metaOf(draft)
  if (!meta.name && meta.generateName) meta.name = freeName(parts, request, meta.generateName)
  prepareNewMetadata(kind, draft, { random: parts.random, nowMs: parts.clock.nowMs(), warnings: request.warnings })
  prepareNew(parts, request, draft)
  // Without webhooks, a creation is decided in the turn in which it arrives.
  const admitted = needsWebhooks(parts, request) ? await askWebhooks(parts, request, draft) : checkNew(request, draft)
  return storeAdmitted(parts, request, admitted)
}

function prepareNew(parts: ServerParts, request: WriteRequest, draft: Draft): void {
  request.kind.applyDefaults?.(draft)
  request.kind.prepareForCreate?.(draft, parts.clock.nowMs())
  admit('mutate', parts, request, { operation: 'CREATE', object: draft, old: undefined })
}

function checkNew({ kind }: WriteRequest, draft: Draft): Draft {
  refuseProblems(kind, draft, [...validateMetadata(kind, draft), ...(kind.validate?.(draft) ?? [])])
  return draft
}

async function askWebhooks(parts: ServerParts, request: WriteRequest, draft: Draft): Promise<Draft> {
  const mutated = await admitMutatingWebhooks(parts, request, { operation: 'CREATE', object: draft, old: undefined })
  if (mutated) prepareNew(parts, request, mutated)
  const object = checkNew(request, mutated ?? draft)
  await admitValidatingWebhooks(parts, request, { operation: 'CREATE', object, old: undefined })
  return object
}

async function storeAdmitted(parts: ServerParts, request: WriteRequest, draft: Draft): Promise<StoredObject> {
  const { kind, namespace, dryRun } = request
  admit('validate', parts, request, { operation: 'CREATE', object: draft, old: undefined })
  request.warnings.push(...(kind.warnings?.(draft) ?? []))

  if (request.managedFields) metaOf(draft).managedFields = request.managedFields() as never
  const object = storedForm(request, draft)
  const key = keyOf(kind.type.namespaced ? namespace : '', metaOf(object).name ?? '')
  if (parts.store.decided.find(kind.storage, key)) throw alreadyExists(kind.type, metaOf(object).name ?? '')
  if (dryRun) return { key, revision: 0, object: objectOf(object), json: formatExactJson(object) }
  const stored = await parts.store.write(kind.storage, key, (current) => {
    if (current) throw alreadyExists(kind.type, metaOf(object).name ?? '')
    return { kind: 'put', object: objectOf(object) }
  })
  if (!stored) throw new Error(`a created ${kind.type.kind} was not stored`)
  return stored
}

// Collisions are rare; after a few, the request fails with AlreadyExists and a hint to retry.
function freeName({ store, random }: ServerParts, { kind, namespace }: WriteRequest, base: string): string {
  let name = ''
  for (let attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
    name = randomName(random, base)
    if (!store.decided.find(kind.storage, keyOf(kind.type.namespaced ? namespace : '', name))) return name
  }
  throw noFreeName(kind.type, name)
}

/** The draft as stored: versions of one kind share their objects. */
export function storedForm({ kind }: Pick<WriteRequest, 'kind'>, draft: Draft): Draft {
  const stored = kind.toStored ? kind.toStored(draft) : draft
  return { ...stored, apiVersion: kind.storedApiVersion ?? apiVersionOf(kind.type) }
}
