import { canonicalJson } from '../../../api/canonical-json.ts'
import type { Deployment } from '../../../api/kinds/deployment.ts'
import type { ReplicaSet } from '../../../api/kinds/replica-set.ts'
import type { PodTemplateSpec } from '../../../api/kinds/stateful-set.ts'
import { ownerReferenceTo } from '../../../api/owner-references.ts'
import { nameOf } from '../revisions.ts'
import { scaledValue } from '../scaled-value.ts'
import { shortHash } from '../short-hash.ts'

export const HASH_LABEL = 'pod-template-hash'
export const REVISION = 'deployment.kubernetes.io/revision'
export const DESIRED = 'deployment.kubernetes.io/desired-replicas'
export const MAXIMUM = 'deployment.kubernetes.io/max-replicas'
const HISTORY = 'deployment.kubernetes.io/revision-history'
// ReplicaSets do not get these from their Deployment.
const OWN_ANNOTATIONS: readonly string[] = [
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
  REVISION,
  DESIRED,
  MAXIMUM,
  HISTORY,
]
const LONGEST_HISTORY = 2000
const LONGEST_NAME = 253

/** A Deployment and its ReplicaSets. */
export type Rollout = {
  readonly deployment: Deployment
  /** The set with the template of the Deployment. */
  readonly newSet: ReplicaSet | undefined
  readonly oldSets: readonly ReplicaSet[]
}

export const sizeOf = ({ spec }: ReplicaSet): number => spec.replicas ?? 1
export const wantedSize = ({ spec }: Deployment): number => spec.replicas ?? 1
export const sumOf = (sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number): number =>
  sets.reduce((sum, set) => sum + count(set), 0)
export const allSets = ({ newSet, oldSets }: Rollout): readonly ReplicaSet[] =>
  newSet ? [...oldSets, newSet] : oldSets

/** Sorts the sets of a Deployment. If several have its template, the oldest is the new one. */
export function rolloutOf(deployment: Deployment, sets: readonly ReplicaSet[]): Rollout {
  const sorted = sortByAge(sets)
  const wanted = templateText(deployment.spec.template)
  const newSet = sorted.find(({ spec }) => templateText(spec.template) === wanted)
  return { deployment, newSet, oldSets: sorted.filter((set) => set !== newSet) }
}

/** The oldest first. */
export const sortByAge = (sets: readonly ReplicaSet[]): readonly ReplicaSet[] =>
  sets.toSorted((one, other) => compareText(ageKey(one), ageKey(other)))

const ageKey = (set: ReplicaSet): string => `${set.metadata.creationTimestamp ?? ''} ${nameOf(set)}`
const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** Without the label that tells the pods of different sets apart. */
function templateText({ metadata = {}, spec }: PodTemplateSpec): string {
  const { [HASH_LABEL]: _hash, ...labels } = metadata.labels ?? {}
  return canonicalJson({ metadata: { ...metadata, labels }, spec })
}

export const isRolling = ({ spec }: Deployment): boolean => (spec.strategy?.type ?? 'RollingUpdate') === 'RollingUpdate'

/** How many pods a rolling update may have beyond, and below, the wanted number. Never both 0. */
export function limitsOf(deployment: Deployment): { readonly maxSurge: number; readonly maxUnavailable: number } {
  const replicas = wantedSize(deployment)
  if (!isRolling(deployment)) return { maxSurge: 0, maxUnavailable: 0 }
  const { maxSurge: surge = '25%', maxUnavailable: unavailable = '25%' } = deployment.spec.strategy?.rollingUpdate ?? {}
  const maxSurge = scaledValue(surge, replicas, 'up')
  const maxUnavailable = scaledValue(unavailable, replicas, 'down')
  const isStuck = maxSurge === 0 && maxUnavailable === 0
  return { maxSurge, maxUnavailable: Math.min(replicas, isStuck ? 1 : maxUnavailable) }
}

export const revisionOf = (set: ReplicaSet): number => Number(set.metadata.annotations?.[REVISION] ?? 0) || 0

/** The annotations with which sets remember the size for which they were scaled. */
export const sizeAnnotations = (deployment: Deployment): Readonly<Record<string, string>> => ({
  [DESIRED]: String(wantedSize(deployment)),
  [MAXIMUM]: String(wantedSize(deployment) + limitsOf(deployment).maxSurge),
})

/** The annotations that the new set lacks: those of the Deployment, and the number of its revision. */
export function missingAnnotations({ deployment, newSet, oldSets }: Rollout): Readonly<Record<string, string>> {
  const present = newSet?.metadata.annotations ?? {}
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(
    ([name, value]) => !OWN_ANNOTATIONS.includes(name) && present[name] !== value,
  )
  const revision = Math.max(0, ...oldSets.map(revisionOf)) + 1
  const before = present[REVISION]
  if (newSet && revisionOf(newSet) >= revision) return Object.fromEntries(copied)
  const history = before === undefined ? {} : { [HISTORY]: historyWith(present[HISTORY], before) }
  return { ...Object.fromEntries(copied), [REVISION]: String(revision), ...history }
}

/** The earlier numbers of a set that was rolled back to; the oldest are dropped if there are too many. */
function historyWith(history: string | undefined, revision: string): string {
  const numbers = [...(history ? history.split(',') : []), revision]
  while (numbers.length > 1 && numbers.join(',').length > LONGEST_HISTORY) numbers.shift()
  return numbers.join(',')
}

/** The set for the template of the Deployment, without its size. */
export function newReplicaSet(rollout: Rollout): ReplicaSet {
  const { deployment } = rollout
  const { template, selector, minReadySeconds } = deployment.spec
  const hash = shortHash(`${templateText(template)}${deployment.status?.collisionCount ?? 0}`)
  const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash }
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      namespace: deployment.metadata.namespace ?? '',
      name: `${nameOf(deployment).slice(0, LONGEST_NAME - 1 - hash.length)}-${hash}`,
      labels,
      annotations: { ...missingAnnotations(rollout), ...sizeAnnotations(deployment) },
      ownerReferences: [ownerReferenceTo(deployment, { controller: true, blockOwnerDeletion: true })],
    },
    spec: {
      replicas: 0,
      ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  }
}

/** The size to which the new set may grow now. */
export function newSizeOf(rollout: Rollout, present: number): number {
  const { deployment } = rollout
  const wanted = wantedSize(deployment)
  if (!isRolling(deployment)) return wanted
  const others = sumOf(rollout.oldSets, sizeOf)
  const room = wanted + limitsOf(deployment).maxSurge - others - present
  return room <= 0 ? present : present + Math.min(room, wanted - present)
}

/** Whether the set was made for this template. For a name that is already in use. */
export const hasSameTemplate = (one: ReplicaSet, other: ReplicaSet): boolean =>
  templateText(one.spec.template) === templateText(other.spec.template)
