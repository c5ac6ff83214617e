import type { KubeObject, OwnerReference } from './object.ts'

type WithMetadata = Pick<KubeObject, 'metadata'>

export type OwnerOptions = {
  /** Whether the owner is the managing controller; an object can have only one. Default false. */
  controller?: boolean
  /** Whether a foreground deletion of the owner waits for the object. Default false. */
  blockOwnerDeletion?: boolean
}

/** A reference to a stored object. Throws if it has no name or uid yet. */
export function ownerReferenceTo(
  { apiVersion, kind, metadata }: KubeObject,
  options: OwnerOptions = {},
): OwnerReference {
  const { name, uid } = metadata
  if (name === undefined || uid === undefined) throw new Error(`a ${kind} without name and uid cannot own anything`)
  const { controller = false, blockOwnerDeletion = false } = options
  return {
    apiVersion,
    kind,
    name,
    uid,
    ...(controller && { controller }),
    ...(blockOwnerDeletion && { blockOwnerDeletion }),
  }
}

/** The reference to the managing controller. */
export function findControllerReference({ metadata }: WithMetadata): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller)
}

/** Compares uids: another object with the same name is a different owner. */
export function isOwnedBy({ metadata }: WithMetadata, owner: WithMetadata): boolean {
  const { uid } = owner.metadata
  return uid !== undefined && (metadata.ownerReferences?.some((reference) => reference.uid === uid) ?? false)
}

export function isControlledBy(object: WithMetadata, owner: WithMetadata): boolean {
  const { uid } = owner.metadata
  return uid !== undefined && findControllerReference(object)?.uid === uid
}
