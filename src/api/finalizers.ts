import type { JsonPatchOperation, Patch } from './api.ts'
import type { KubeObject, ObjectMeta } from './object.ts'

type WithMetadata = Pick<KubeObject, 'metadata'>

export type FinalizerPatchOptions = {
  /**
   * `merge` (default) writes the whole list, and fails with Conflict if anything in the object has changed since it was read. `json` writes one
   * entry, and fails with Invalid only if the list has changed or the object was replaced.
   */
  form?: 'merge' | 'json'
}

export function hasFinalizer({ metadata }: WithMetadata, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false
}

/** The object with these finalizers, for an update. */
export const withFinalizers = <T extends WithMetadata>(object: T, finalizers: readonly string[]): T => ({
  ...object,
  metadata: { ...object.metadata, finalizers },
})

/** Undefined if the object already has the finalizer. */
export function addFinalizerPatch(
  { metadata }: WithMetadata,
  finalizer: string,
  options: FinalizerPatchOptions = {},
): Patch | undefined {
  const { form = 'merge' } = options
  const { finalizers = [], resourceVersion } = metadata
  if (finalizers.includes(finalizer)) return undefined
  if (form === 'merge') return mergeFinalizers(metadata, [...finalizers, finalizer])
  // Creating the list would overwrite one that was created meanwhile, so the object must be unchanged.
  const change: JsonPatchOperation[] =
    finalizers.length === 0
      ? [...testOf('resourceVersion', resourceVersion), { op: 'add', path: '/metadata/finalizers', value: [finalizer] }]
      : [{ op: 'add', path: '/metadata/finalizers/-', value: finalizer }]
  return { type: 'json', operations: [...testOf('uid', metadata.uid), ...change] }
}

/** Undefined if the object does not have the finalizer. */
export function removeFinalizerPatch(
  { metadata }: WithMetadata,
  finalizer: string,
  options: FinalizerPatchOptions = {},
): Patch | undefined {
  const { form = 'merge' } = options
  const { finalizers = [] } = metadata
  const index = finalizers.indexOf(finalizer)
  if (index < 0) return undefined
  if (form === 'merge') return mergeFinalizers(metadata, finalizers.toSpliced(index, 1))
  const entry = `finalizers/${index}`
  const tests = [...testOf('uid', metadata.uid), ...testOf(entry, finalizer)]
  return { type: 'json', operations: [...tests, { op: 'remove', path: `/metadata/${entry}` }] }
}

/**
 * Removes the finalizers by name, even if other clients remove theirs at the same time; fails only if the object was replaced. For built-in kinds
 * only: custom resources do not support strategic merge patches.
 */
export function dropFinalizerPatch({ metadata }: WithMetadata, ...finalizers: readonly string[]): Patch | undefined {
  const present = finalizers.filter((finalizer) => metadata.finalizers?.includes(finalizer))
  if (present.length === 0) return undefined
  return {
    type: 'strategic',
    value: { metadata: { uid: metadata.uid, '$deleteFromPrimitiveList/finalizers': present } },
  }
}

function mergeFinalizers({ uid, resourceVersion }: ObjectMeta, finalizers: readonly string[]): Patch {
  const identity = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  }
  return {
    type: 'merge',
    value: { metadata: { ...identity, finalizers: finalizers.length === 0 ? null : finalizers } },
  }
}

const testOf = (member: string, value: string | undefined): JsonPatchOperation[] =>
  value === undefined ? [] : [{ op: 'test', path: `/metadata/${member}`, value }]
