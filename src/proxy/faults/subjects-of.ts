import { fieldsOf, itemsOf } from '../../csi/message-fields.ts'

/** Fields that say what a request is about. */
const SUBJECTS: ReadonlySet<string> = new Set([
  'name',
  'volume_id',
  'source_volume_id',
  'source_volume_ids',
  'snapshot_id',
  'snapshot_ids',
  'base_snapshot_id',
  'target_snapshot_id',
  'group_snapshot_id',
])
/** Maps in which a sidecar passes the names of the claim, the volume and the pod. */
const NAMING_MAPS: ReadonlySet<string> = new Set(['parameters', 'volume_context'])
const NAMING_KEYS: ReadonlySet<string> = new Set([
  'csi.storage.k8s.io/pvc/name',
  'csi.storage.k8s.io/pv/name',
  'csi.storage.k8s.io/pod.name',
])

/** The names and IDs of the volumes, snapshots, claims and pods that a message is about. */
export function subjectsOf(messageName: string, message: unknown): string[] {
  const subjects: string[] = []
  for (const [field, value] of fieldsOf(messageName, message)) {
    if (field.type === 'map') {
      if (NAMING_MAPS.has(field.name)) subjects.push(...namesIn(value as Record<string, string>))
    } else if (field.type === 'message' && !field.typeName?.startsWith('google.')) {
      for (const item of itemsOf(field, value)) subjects.push(...subjectsOf(field.typeName ?? '', item))
    } else if (SUBJECTS.has(field.name)) {
      subjects.push(...(itemsOf(field, value) as string[]).filter((text) => text !== ''))
    }
  }
  return subjects
}

const NAMED_IN_MAPS = [
  ['pod', 'csi.storage.k8s.io/pod.namespace', 'csi.storage.k8s.io/pod.name'],
  ['claim', 'csi.storage.k8s.io/pvc/namespace', 'csi.storage.k8s.io/pvc/name'],
] as const

/** What a call is for, in words: `claim shop/data` or `pod shop/web` if the request names it, otherwise the name or ID of its volume or snapshot. */
export function findCallSubject(messageName: string, message: unknown): string | undefined {
  for (const [field, value] of fieldsOf(messageName, message)) {
    if (field.type !== 'map' || !NAMING_MAPS.has(field.name)) continue
    const map = value as Record<string, string>
    for (const [kind, namespace, name] of NAMED_IN_MAPS)
      if (map[name] !== undefined) return `${kind} ${map[namespace] ?? ''}/${map[name]}`
  }
  return subjectsOf(messageName, message)[0]
}

const namesIn = (map: Record<string, string>): string[] =>
  Object.entries(map)
    .filter(([key]) => NAMING_KEYS.has(key))
    .map(([, value]) => value)
