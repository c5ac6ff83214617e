import type { KubeObject, OwnerReference } from './object.ts'

type WithMetadata = Pick<KubeObject, 'metadata'>

export type OwnerOptions = {
  /** The owner is what manages the object; there can be one such. Default false. */
  controller?: boolean
  /** A foreground deletion of the owner waits for the object. Default false. */
  blockOwnerDeletion?: boolean
}

/** A reference to a stored object. Throws when it has no name or uid yet. */
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

/** The reference to what manages the object. */
export function findControllerReference({ metadata }: WithMetadata): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller)
}

/** By uid: another object of the same name is another owner. */
export function isOwnedBy({ metadata }: WithMetadata, owner: WithMetadata): boolean {
  const { uid } = owner.metadata
  return uid !== undefined && (metadata.ownerReferences?.some((reference) => reference.uid === uid) ?? false)
}

export function isControlledBy(object: WithMetadata, owner: WithMetadata): boolean {
  const { uid } = owner.metadata
  return uid !== undefined && findControllerReference(object)?.uid === uid
}
