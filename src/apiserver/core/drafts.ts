import type { KubeObject, ObjectMeta } from '../../api/object.ts'
import { copyJson } from '../schema/json.ts'
import type { Draft } from './kind-definition.ts'

/** Metadata that is being worked on. */
export type DraftMeta = { -readonly [K in keyof ObjectMeta]: ObjectMeta[K] } & { [key: string]: unknown }

/** The metadata of a draft; every draft has some once it was decoded. */
export const metaOf = (draft: Draft): DraftMeta => draft['metadata'] as DraftMeta

/** A copy that may be changed. Objects of the API are plain JSON; structuredClone takes several times as long. */
export const draftOf = (object: KubeObject | Draft): Draft => copyJson(object) as Draft

/** A draft that has its type and metadata is an object. */
export const objectOf = (draft: Draft): KubeObject => draft as unknown as KubeObject
