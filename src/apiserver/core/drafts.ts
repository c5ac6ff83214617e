import type { KubeObject, ObjectMeta } from '../../api/object.ts'
import { copyJson } from '../schema/json.ts'
import type { Draft } from './kind-definition.ts'

/** Mutable metadata of a draft. */
export type DraftMeta = { -readonly [K in keyof ObjectMeta]: ObjectMeta[K] } & { [key: string]: unknown }

/** The metadata of a draft; every decoded draft has some. */
export const metaOf = (draft: Draft): DraftMeta => draft['metadata'] as DraftMeta

/** A mutable copy. API objects are plain JSON; structuredClone takes several times as long. */
export const draftOf = (object: KubeObject | Draft): Draft => copyJson(object) as Draft

/** A draft that has its type and metadata is an object. */
export const objectOf = (draft: Draft): KubeObject => draft as unknown as KubeObject
