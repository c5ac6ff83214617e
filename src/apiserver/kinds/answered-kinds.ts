import { ANSWERED_RESOURCE_TYPES } from '../../api/kinds/all-resource-types.ts'
import type { KindTable } from './define-kind.ts'

/** Kinds that are answered and never stored: the reviews, and the binding of a pod to its node. */
export const ANSWERED_KINDS: readonly KindTable[] = ANSWERED_RESOURCE_TYPES.map((type) => ({
  type,
  verbs: ['create'],
  name: 'any',
  columns: [],
}))
