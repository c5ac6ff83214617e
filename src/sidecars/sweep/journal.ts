import { createHash } from 'node:crypto'
import { ignoreNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import type { ConfigMap } from '../../api/kinds/config-map.ts'
import { leaseName } from '../../api/lease-name.ts'
import { PROVISIONED_BY, findAnnotation } from '../../storage/names.ts'
import { handleOf, ownVolumes } from './find-volume-leaks.ts'
import { isLeaving, nameOf } from './known-objects.ts'
import type { DriverSide } from './read-driver-side.ts'
import type { Leak } from './leak.ts'
import type { ClusterSide } from './read-cluster-side.ts'

/**
 * What this cluster has proved to be its own, kept where the next process finds it. A volume is proved by a PersistentVolume that was provisioned by the
 * driver and that was not to be retained: a driver may serve several clusters, and a retained volume may have been moved to another one.
 */
export type SweepJournal = {
  /** Fingerprints of volume handles, with that of the name of the PersistentVolume. */
  readonly own: ReadonlyMap<string, string>
  /** Own volumes that have lost their PersistentVolume, by handle. */
  readonly orphans: ReadonlyMap<string, Orphan>
}

export type Orphan = {
  /** When it was first noticed, in milliseconds since 1970. */
  readonly sinceMs: number
  /** When it was decided to delete it. Written before the call. */
  readonly deletingMs?: number
}

export const EMPTY_JOURNAL: SweepJournal = { own: new Map(), orphans: new Map() }

export const journalRef = (driverName: string, namespace: string) => ({
  namespace,
  name: `holdfast-sweep-${leaseName(driverName).toLowerCase()}`,
})

/** Of a handle or a name: handles may be long, and a ConfigMap holds one mebibyte. */
export const fingerprint = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, FINGERPRINT)
const FINGERPRINT = 16
// 33 bytes for each volume. What does not fit is not proved, and therefore never deleted.
const MOST_OWN = 25_000

/** What the journal has to say after these two sides were seen. */
export function updateJournal(
  { own: before, orphans }: SweepJournal,
  {
    driver,
    cluster,
    leaks,
    nowMs,
  }: { driver: DriverSide; cluster: ClusterSide; leaks: readonly Leak[]; nowMs: number },
): SweepJournal {
  const own = new Map(before)
  const listed = driver.volumes && new Set(Array.from(driver.volumes.keys(), fingerprint))
  const present = ownVolumes(cluster)
  const named = new Set(present.map((volume) => fingerprint(handleOf(volume))))
  for (const key of own.keys()) if (listed && !listed.has(key) && !named.has(key)) own.delete(key)
  for (const volume of present) {
    const key = fingerprint(handleOf(volume))
    const isProved =
      findAnnotation(volume, PROVISIONED_BY) === cluster.driverName &&
      volume.spec.persistentVolumeReclaimPolicy === 'Delete'
    if (!isProved) own.delete(key)
    else if (own.has(key) || own.size < MOST_OWN) own.set(key, fingerprint(nameOf(volume)))
  }
  const lost = leaks.flatMap(({ kind, handle }) => (kind === 'own-volume-without-object' && handle ? [handle] : []))
  return { own, orphans: new Map(lost.map((handle) => [handle, orphans.get(handle) ?? { sinceMs: nowMs }])) }
}

export function parseJournal({ data = {} }: Pick<ConfigMap, 'data'>): SweepJournal {
  const lines = (data['volumes'] ?? '').split('\n').filter((line) => line !== '')
  // We wrote it ourselves. A person who edits it can only make it forget: what cannot be read is not proved.
  const orphans = JSON.parse(data['orphans'] ?? '{}') as Record<string, Orphan>
  return {
    own: new Map(lines.map((line) => [line.slice(0, FINGERPRINT), line.slice(FINGERPRINT)])),
    orphans: new Map(Object.entries(orphans)),
  }
}

/** The same journal gives the same text. */
export const formatJournal = ({ own, orphans }: SweepJournal): { volumes: string; orphans: string } => ({
  volumes: Array.from(own, ([key, name]) => `${key}${name}\n`)
    .sort()
    .join(''),
  orphans: JSON.stringify(Object.fromEntries([...orphans].sort(([one], [other]) => (one < other ? -1 : 1)))),
})

/** The stored journal, and how to replace it. A replica that finds that another one has written it fails with Conflict. */
export async function openJournal(api: Api, driverName: string, namespace: string) {
  const ref = journalRef(driverName, namespace)
  let stored = await findStored(api, ref)
  const read = (): SweepJournal => (stored ? parseJournal(stored) : EMPTY_JOURNAL)
  const write = async (journal: SweepJournal): Promise<void> => {
    const data = formatJournal(journal)
    if (stored?.data?.['volumes'] === data.volumes && stored.data['orphans'] === data.orphans) return
    stored = stored
      ? await api.update(CONFIG_MAPS, { ...stored, data })
      : await api.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: ref, data })
  }
  return { read, write, object: () => stored }
}

export type OpenJournal = Awaited<ReturnType<typeof openJournal>>

async function findStored(api: Api, ref: { namespace: string; name: string }): Promise<ConfigMap | undefined> {
  const found = await api.get(CONFIG_MAPS, ref).catch(ignoreNotFound)
  return found && !isLeaving(found) ? found : undefined
}
