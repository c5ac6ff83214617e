import { canonicalJson } from '../../api/canonical-json.ts'
import { createUuid } from '../../base/random.ts'
import type { Random } from '../../base/random.ts'
import { formatTimestamp } from '../../api/timestamps.ts'
import type { OwnerReference } from '../../api/object.ts'
import { metaOf } from './drafts.ts'
import type { Draft, KindDefinition } from './kind-definition.ts'
import { badRequest } from './refusals.ts'

const NAME_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'
const RANDOM_CHARACTERS = 5
const LONGEST_BASE = 63 - RANDOM_CHARACTERS

/** The base with a random suffix of five characters. */
export function randomName(random: Random, base: string): string {
  const suffix = Array.from(
    { length: RANDOM_CHARACTERS },
    () => NAME_ALPHABET[random.below(NAME_ALPHABET.length)],
  ).join('')
  return base.slice(0, LONGEST_BASE) + suffix
}

/** Sets name and namespace from the path: the body may omit them, but must not contradict them. */
export function fillIdentity(kind: KindDefinition, draft: Draft, namespace: string, name: string): void {
  const meta = metaOf(draft)
  if (kind.type.namespaced) {
    if (meta.namespace !== undefined && meta.namespace !== '' && meta.namespace !== namespace) {
      throw badRequest(`the namespace of the provided object does not match the namespace sent on the request`)
    }
    meta.namespace = namespace
  } else {
    if (meta.namespace) throw badRequest(`namespace is not allowed on objects of kind ${kind.type.kind}`)
    delete meta.namespace
  }
  if (name === '') return
  if (meta.name !== undefined && meta.name !== '' && meta.name !== name) {
    throw badRequest(`the name of the object (${meta.name}) does not match the name on the URL (${name})`)
  }
  meta.name = name
}

/** Sets the fields of a new object that only the server sets. */
export function prepareNewMetadata(
  kind: KindDefinition,
  draft: Draft,
  { random, nowMs, warnings }: { random: Random; nowMs: number; warnings: string[] },
): void {
  const meta = metaOf(draft)
  meta.uid = createUuid(random)
  meta.creationTimestamp = formatTimestamp(nowMs)
  for (const field of [
    'resourceVersion',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'selfLink',
    'managedFields',
    'generation',
  ])
    delete meta[field]
  if (kind.generation === 'spec' || kind.generation === 'all-but-status') meta.generation = 1
  dropRepeatedOwners(draft, warnings)
}

/** Restores the fields that only the server sets. */
export function prepareChangedMetadata(draft: Draft, old: Draft, warnings: string[]): void {
  const meta = metaOf(draft)
  const before = metaOf(old)
  for (const field of [
    'uid',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'generation',
    'resourceVersion',
    'managedFields',
  ] as const) {
    if (before[field] === undefined) delete meta[field]
    else meta[field] = before[field] as never
  }
  // The generateName of an object is kept.
  if (meta.generateName === undefined && before.generateName !== undefined) meta.generateName = before.generateName
  delete meta['selfLink']
  dropRepeatedOwners(draft, warnings)
}

function dropRepeatedOwners(draft: Draft, warnings: string[]): void {
  const meta = metaOf(draft)
  const given: readonly OwnerReference[] = meta.ownerReferences ?? []
  if (given.length < 2) return
  const kept = new Map<string, OwnerReference>()
  const repeated = new Set<string>()
  for (const owner of given) {
    const text = canonicalJson(owner)
    if (kept.has(text)) repeated.add(owner.uid)
    else kept.set(text, owner)
  }
  if (repeated.size === 0) return
  warnings.push(
    `.metadata.ownerReferences contains duplicate entries, which are dropped: UID(s) ${[...repeated].join(', ')}`,
  )
  meta.ownerReferences = [...kept.values()]
}
