import type { NodeSelector, NodeSelectorTerm } from '../../api/kinds/selectors.ts'
import { compileNodeSelectorTerm } from '../../api/node-selector.ts'
import type { NodeMatcher } from '../../api/node-selector.ts'
import { unlessInvalid } from '../../api/selector-error.ts'

/** A node has to match one of the terms. An invalid term matches no node. */
export function compileNodeSelector({ nodeSelectorTerms }: NodeSelector): NodeMatcher {
  const terms = nodeSelectorTerms.flatMap((term) => compileTerm(term) ?? [])
  const [only] = terms
  if (only && terms.length === 1) return only
  return (place) => terms.some((matches) => matches(place))
}

/** Undefined for an invalid term. */
export const compileTerm = (term: NodeSelectorTerm): NodeMatcher | undefined =>
  unlessInvalid(() => compileNodeSelectorTerm(term))
