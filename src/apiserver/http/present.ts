import { formatExactJson } from '../../api/exact-json.ts'
import type { ObjectMeta } from '../../api/object.ts'
import type { Draft, KindDefinition } from '../core/kind-definition.ts'
import type { StoredObject } from '../core/stored-object.ts'
import { isShownAsStored, presentedDraft } from '../core/update-object.ts'

/** An object as the kind's version shows it. If that is the stored form, as in most cases, its text already exists. */
export type Presented = { readonly object: Draft; readonly json: string }

export function present(kind: KindDefinition, stored: StoredObject): Presented {
  // Objects are JSON objects.
  if (isShownAsStored(kind, stored)) return { object: stored.object as unknown as Draft, json: stored.json }
  const object = presentedDraft(kind, stored)
  return { object, json: formatExactJson(object) }
}

/** The text of an object as the kind's own version shows it. */
export const presentedJson = (kind: KindDefinition, stored: StoredObject): string =>
  isShownAsStored(kind, stored) ? stored.json : formatExactJson(presentedDraft(kind, stored))

/** Only type and metadata, for clients that need nothing else. */
export const partialJson = (metadata: ObjectMeta | object, version: string): string =>
  `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}","metadata":${formatExactJson(metadata)}}`
