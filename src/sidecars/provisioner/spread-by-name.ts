/** Where in a row of places the volume of a claim begins. */
export type Spread = {
  /** Of the set's name for a claim of a StatefulSet, otherwise of the claim's whole name. */
  readonly hash: number
  /** Of the pod in its set; undefined for a name that does not end in `-<number>`. */
  readonly ordinal: number | undefined
}

const LARGEST = 2 ** 32 - 1

/**
 * Reads `<template>-<set>-<ordinal>`: the claims of one pod get the same number whatever their template, and those of the next pod the
 * next one. So the volumes of a set are spread evenly, and those of one pod lie together.
 */
export function spreadOf(claimName: string): Spread {
  const dash = claimName.lastIndexOf('-')
  const last = claimName.slice(dash + 1)
  const ordinal = dash >= 0 && /^\d+$/.test(last) ? Number(last) : LARGEST + 1
  if (ordinal > LARGEST) return { hash: fnv1(claimName), ordinal: undefined }
  const owner = claimName.slice(0, dash)
  return { hash: fnv1(owner.slice(owner.lastIndexOf('-') + 1)), ordinal }
}

/** The index of the first place, of so many. The sum wraps at 32 bits before it is divided. */
export function spreadIndex({ hash, ordinal = 0 }: Spread, places: number): number {
  return ((hash + ordinal) >>> 0) % places
}

/** FNV-1 of 32 bits: multiplies first, unlike FNV-1a. */
export function fnv1(text: string): number {
  let hash = 2166136261
  for (const byte of Buffer.from(text)) hash = (Math.imul(hash, 16777619) ^ byte) >>> 0
  return hash
}
