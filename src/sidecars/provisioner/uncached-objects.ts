import { ignoreNotFound, isForbidden } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { SECRETS } from '../../api/kinds/secret.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../../api/kinds/volume-attributes-class.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import { keyOfRef } from '../../api/object-key.ts'
import type { KubeObject, ObjectRef } from '../../api/object.ts'
import type { ObjectAwaited } from '../../api/reason.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { backoffDelayMs } from '../../base/backoff.ts'
import { sleep } from '../../base/clock.ts'
import { getOrAdd } from '../../base/get-or-add.ts'
import { createRecentMap } from '../../kube/cache/recent-map.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import { readSecret } from '../../storage/read-secret.ts'
import type { ReadObjects, Wanted } from './provision-view.ts'

const UNCACHED = {
  secret: SECRETS,
  snapshot: VOLUME_SNAPSHOTS,
  snapshotContent: VOLUME_SNAPSHOT_CONTENTS,
  attributesClass: VOLUME_ATTRIBUTES_CLASSES,
}
const TYPES: Readonly<Record<Wanted['kind'], ResourceType>> = {
  claim: PERSISTENT_VOLUME_CLAIMS,
  volume: PERSISTENT_VOLUMES,
  ...UNCACHED,
}

/** Reads the object that a decision needs, as the member of `ReadObjects` for it; null if it does not exist. */
export const readWanted = async (api: Api, { kind, ref }: Wanted): Promise<ReadObjects> =>
  kind === 'secret'
    ? { secret: await readSecret(api, { namespace: '', ...ref }) }
    : // The table pairs each member with its type.
      ({ [kind]: await readIfPresent(api, TYPES[kind], ref) } as ReadObjects)

/** Null when it does not exist. */
export const readIfPresent = async <T extends KubeObject>(
  api: Api,
  type: ResourceType<T>,
  ref: ObjectRef,
): Promise<T | null> => (await api.get(type, ref).catch(ignoreNotFound)) ?? null

/** Null also if we may not read it. */
export const readIfAllowed = <T extends KubeObject>(
  api: Api,
  type: ResourceType<T>,
  ref: ObjectRef,
): Promise<T | null> =>
  readIfPresent(api, type, ref).catch((error: unknown) => {
    if (isForbidden(error)) return null
    throw error
  })

// Each is a separate stream at the server.
const MOST_WATCHED = 50
const MOST_SEEN = 1000
const BACKOFF = { initialMs: 1000, maximumMs: 60_000 }

type Watched = { readonly keys: Set<string>; readonly ending: AbortController }

/** Objects of kinds that are not cached: each is watched individually while a key waits for it. */
export function createAwaitedObjects({ api, clock, random, log, onStop }: ControllerRole, wake: (key: string) => void) {
  const watched = new Map<string, Watched>()
  // The version of each object that last woke its keys.
  const seen = createRecentMap<string>(MOST_SEEN)
  // Kinds that we may not watch. Permissions rarely change.
  const forbidden = new Set<string>()

  const follow = async (type: ResourceType, awaited: ObjectAwaited, id: string, signal: AbortSignal): Promise<void> => {
    const { namespace, name } = awaited
    const scope = { ...(namespace ? { namespace } : {}), fieldSelector: `metadata.name=${name}` }
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        // The watch begins with the current state, so no change since the decision is lost.
        for await (const event of api.watch(type, { ...scope, signal })) {
          if (event.type === 'BOOKMARK') continue
          const { resourceVersion = '' } = event.object.metadata
          // The key that was woken by this version has read it, and is waiting for the next.
          if (seen.get(id) === resourceVersion) continue
          seen.set(id, resourceVersion)
          return end(id)
        }
      } catch (error) {
        if (signal.aborted) return
        if (isForbidden(error)) forbidden.add(type.plural)
        if (isForbidden(error)) return end(id)
        log.debug('watching an awaited object failed', { kind: type.kind, name, error })
      }
      await sleep(clock, backoffDelayMs(BACKOFF, failures, random), signal).catch(() => {})
    }
  }
  const end = (id: string): void => {
    const entry = watched.get(id)
    watched.delete(id)
    entry?.ending.abort(new Error('the object was seen'))
    if (entry) for (const key of entry.keys) wake(key)
  }
  /** Calls `wake` once, when the object exists or changes; never for cached kinds, or if it cannot be watched. */
  const wait = (awaited: ObjectAwaited, key: string): void => {
    const type = Object.values<ResourceType>(UNCACHED).find(({ kind }) => kind === awaited.kindName)
    if (!type || forbidden.has(type.plural)) return
    const id = `${type.plural} ${keyOfRef(awaited)}`
    const present = watched.get(id)
    if (!present && watched.size >= MOST_WATCHED) return
    const { keys, ending } = getOrAdd(watched, id, () => ({ keys: new Set(), ending: new AbortController() }))
    keys.add(key)
    if (!present) void follow(type, awaited, id, ending.signal)
  }
  /** The key no longer waits. */
  const cancel = (key: string): void => {
    for (const [id, { keys, ending }] of watched) {
      if (!keys.delete(key) || keys.size > 0) continue
      watched.delete(id)
      ending.abort(new Error('no claim is waiting for the object'))
    }
  }
  onStop(() => {
    for (const { ending } of watched.values()) ending.abort(new Error('the provisioner is stopping'))
    watched.clear()
  })
  return { wait, cancel }
}
