/** How volumes are called. */
export type VolumeNaming = {
  readonly prefix: string
  /** So many characters of the claim's uid without its dashes; -1 for all of it, dashes too. */
  readonly uuidLength: number
}

export const DEFAULT_NAMING: VolumeNaming = { prefix: 'pvc', uuidLength: -1 }

/**
 * The name of a claim's volume, in the driver and as PersistentVolume. It depends on nothing but the uid, so that a call whose answer was
 * lost is repeated under the same name.
 */
export function volumeNameOf(uid: string, { prefix, uuidLength }: VolumeNaming = DEFAULT_NAMING): string {
  if (prefix === '') throw new Error('the prefix of volume names is empty')
  if (uid === '') throw new Error('a claim without uid can have no volume')
  return `${prefix}-${uuidLength < 0 ? uid : uid.replaceAll('-', '').slice(0, uuidLength)}`
}
