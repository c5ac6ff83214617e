/** Every part must hold. Empty selects everything; a selector that is left out selects nothing. */
export type LabelSelector = {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly LabelSelectorRequirement[]
}

export type LabelSelectorRequirement = {
  readonly key: string
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'
  readonly values?: readonly string[]
}

/** One of the terms must hold; no terms, and a term with nothing in it, select no node. */
export type NodeSelector = { readonly nodeSelectorTerms: readonly NodeSelectorTerm[] }

/** Every expression must hold: on labels, and on fields (only `metadata.name` is known). */
export type NodeSelectorTerm = {
  readonly matchExpressions?: readonly NodeSelectorRequirement[]
  readonly matchFields?: readonly NodeSelectorRequirement[]
}

export type NodeSelectorRequirement = {
  readonly key: string
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt'
  readonly values?: readonly string[]
}

/** Where a class may put volumes: every expression must hold. */
export type TopologySelectorTerm = {
  readonly matchLabelExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[]
}
