import { sleep } from '../../base/clock.ts'
import type { Clock } from '../../base/clock.ts'
import type { Api } from '../../api/api.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_SNAPSHOT_CONTENTS } from '../../api/kinds/volume-snapshot.ts'
import type { CaseContext } from '../case-context.ts'
import { allSnapshots, allVolumes } from '../list-all.ts'

/** What the driver lists, before and after a case. */
export type Listed = { readonly volumes: ReadonlySet<string>; readonly snapshots: ReadonlySet<string> }

/** IDs that the driver lists now; empty if it cannot list. */
export async function listNow({ driver, features }: CaseContext): Promise<Listed> {
  const volumes = features.controller.has('LIST_VOLUMES') ? await allVolumes(driver) : []
  const snapshots = features.controller.has('LIST_SNAPSHOTS') ? await allSnapshots(driver) : []
  return {
    volumes: new Set(volumes.map(({ volume }) => volume?.volumeId ?? '')),
    snapshots: new Set(snapshots.map(({ snapshot }) => snapshot?.snapshotId ?? '')),
  }
}

/** What is left of a case whose objects are all deleted: volumes and snapshots that the driver lists and the cluster does not know, and mounts. */
export async function findLeft(check: CaseContext, api: Api, before: Listed): Promise<string[]> {
  const now = await listNow(check)
  const volumes = await api.list(PERSISTENT_VOLUMES)
  const contents = await api.list(VOLUME_SNAPSHOT_CONTENTS)
  const known = new Set([
    ...volumes.items.map(({ spec }) => spec.csi?.volumeHandle),
    ...contents.items.map(({ status }) => status?.snapshotHandle),
  ])
  const { mounts, files } = check.host
  const directory = await files.resolve(check.directory)
  const mounted = (await mounts.list()).filter(({ target }) => target.startsWith(`${directory}/`))
  return [
    ...[...now.volumes.difference(before.volumes)].filter((id) => !known.has(id)).map((id) => `volume ${id}`),
    ...[...now.snapshots.difference(before.snapshots)].filter((id) => !known.has(id)).map((id) => `snapshot ${id}`),
    ...mounted.map(({ target }) => `a mount at ${target}`),
  ]
}

const LOOK_AGAIN_MS = 100
const LASTING_MS = 10_000

/** What is still there after ten seconds: a sidecar that was killed may be deleting what its predecessor had created. */
export async function findLasting(clock: Clock, signal: AbortSignal, find: () => Promise<string[]>): Promise<string[]> {
  const startMs = clock.monotonicMs()
  for (;;) {
    const left = await find()
    if (left.length === 0 || clock.monotonicMs() - startMs >= LASTING_MS) return left
    await sleep(clock, LOOK_AGAIN_MS, signal)
  }
}
