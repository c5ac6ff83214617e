import { formatTimestamp } from '../../api/timestamps.ts'
import type { NamespaceCondition } from '../../api/kinds/generated/core-v1.ts'
import type { KubeObject } from '../../api/object.ts'

/** The objects of one kind that are left in a terminating namespace. */
export type Remaining = { readonly group: string; readonly plural: string; readonly objects: readonly KubeObject[] }

// As long as nothing is wrong: reason and message of each condition.
const FINE = {
  NamespaceDeletionDiscoveryFailure: ['ResourcesDiscovered', 'All resources successfully discovered'],
  NamespaceDeletionGroupVersionParsingFailure: ['ParsedGroupVersions', 'All legacy kube types successfully parsed'],
  NamespaceDeletionContentFailure: [
    'ContentDeleted',
    'All content successfully deleted, may be waiting on finalization',
  ],
  NamespaceContentRemaining: ['ContentRemoved', 'All content successfully removed'],
  NamespaceFinalizersRemaining: ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
} as const

/** The conditions of a terminating namespace: what is left in it, and what holds that. Times of unchanged conditions are kept. */
export function namespaceConditions(
  remaining: readonly Remaining[],
  before: readonly NamespaceCondition[],
  nowMs: number,
): NamespaceCondition[] {
  const found = { ...contentRemaining(remaining), ...finalizersRemaining(remaining) }
  return Object.entries(FINE).map(([type, [fineReason, fineMessage]]) => {
    const bad = found[type]
    const old = before.find((condition) => condition.type === type)
    const status = bad ? 'True' : 'False'
    const [reason, message] = bad ?? [fineReason, fineMessage]
    const lastTransitionTime =
      old?.status === status && old.lastTransitionTime ? old.lastTransitionTime : formatTimestamp(nowMs)
    return { type, status, lastTransitionTime, reason, message }
  })
}

type Found = Readonly<Record<string, readonly [reason: string, message: string]>>

function contentRemaining(remaining: readonly Remaining[]): Found {
  const texts = remaining
    .filter(({ objects }) => objects.length > 0)
    .map(({ plural, group, objects }) => `${plural}.${group} has ${objects.length} resource instances`)
  if (texts.length === 0) return {}
  const message = `Some resources are remaining: ${texts.sort().join(', ')}`
  return { NamespaceContentRemaining: ['SomeResourcesRemain', message] }
}

function finalizersRemaining(remaining: readonly Remaining[]): Found {
  const counts = new Map<string, number>()
  for (const { objects } of remaining)
    for (const { metadata } of objects)
      for (const finalizer of metadata.finalizers ?? []) counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1)
  if (counts.size === 0) return {}
  const texts = [...counts].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`)
  const message = `Some content in the namespace has finalizers remaining: ${texts.sort().join(', ')}`
  return { NamespaceFinalizersRemaining: ['SomeFinalizersRemain', message] }
}
