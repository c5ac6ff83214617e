import type { Labels } from '../../api/label-requirement.ts'

/** A label that a place must have. */
export type Anchor = { readonly key: string; readonly value: string }

/** The places that something can concern: those with one of these labels, or all. */
export type Anchors = readonly Anchor[] | 'everywhere'

/** Groups of things by the places that they can concern, so that not each of thousands is tried on each of thousands of nodes. */
export interface AnchoredGroups<G> {
  /** The groups that something with these anchors belongs to, for as long as it has not left. */
  enter(anchors: Anchors): readonly G[]
  leave(anchors: Anchors): readonly G[]
  /** Whose members can concern a place with these labels, and perhaps do not. */
  around(labels: Labels): readonly G[]
}

type Counted<G> = { readonly group: G; members: number }

export function createAnchoredGroups<G>(make: () => G): AnchoredGroups<G> {
  const everywhere = make()
  const byKey = new Map<string, Map<string, Counted<G>>>()

  const enterAt = ({ key, value }: Anchor): G => {
    const values = byKey.get(key) ?? new Map<string, Counted<G>>()
    byKey.set(key, values)
    const counted = values.get(value) ?? { group: make(), members: 0 }
    values.set(value, counted)
    counted.members++
    return counted.group
  }
  const leaveAt = ({ key, value }: Anchor): readonly G[] => {
    const values = byKey.get(key)
    const counted = values?.get(value)
    if (!values || !counted) return []
    if (--counted.members === 0) values.delete(value)
    if (values.size === 0) byKey.delete(key)
    return [counted.group]
  }
  const around = (labels: Labels): G[] => {
    const found = [everywhere]
    for (const [key, values] of byKey) {
      const value = Object.hasOwn(labels, key) ? labels[key] : undefined
      const counted = value === undefined ? undefined : values.get(value)
      if (counted) found.push(counted.group)
    }
    return found
  }
  return {
    enter: (anchors) => (anchors === 'everywhere' ? [everywhere] : anchors.map(enterAt)),
    leave: (anchors) => (anchors === 'everywhere' ? [everywhere] : anchors.flatMap(leaveAt)),
    around,
  }
}
