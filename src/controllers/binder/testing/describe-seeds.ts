import { test } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../../api/kinds/persistent-volume.ts'
import type { AccessMode } from '../../../api/kinds/persistent-volume.ts'
import type { Random } from '../../../base/random.ts'
import { forEachSeed, ignoreRefusal, makeChange, pick, runRounds, SOME_API_FAULTS } from '../../../testing/index.ts'
import type { UserChange } from '../../../testing/index.ts'
import { claimReferenceTo } from '../../../storage/claim-reference.ts'
import { BOUND_BY_CONTROLLER, SELECTED_NODE, STORAGE_PROVISIONER } from '../../../storage/names.ts'
import { reservedFor } from '../../../testing/objects.ts'
import { createClaim, createVolume, provision } from './describe-binder.ts'
import { assertConsistent, assertNeverTwice, openCrashWorld } from './describe-crashes.ts'

const ROUNDS = 14
const CLAIMS = ['c1', 'c2', 'c3', 'c4']
const VOLUMES = ['v1', 'v2', 'v3', 'v4']
const SIZES = ['1Gi', '2Gi', '3Gi']
const MODES: readonly (readonly AccessMode[])[] = [
  ['ReadWriteOnce'],
  ['ReadWriteOnce'],
  ['ReadWriteOnce', 'ReadOnlyMany'],
  ['ReadWriteOncePod'],
]

export function describeSeeds(seeds: readonly number[]): void {
  test('S3-61, S3-64: whatever fails and whenever it is killed, no volume has two claims, and in the end those that are bound point at each other', () =>
    forEachSeed(seeds, async (seed) => void (await runSeed(seed))))
  test('S3-61: two binders at the same time bind nothing twice either', () =>
    forEachSeed(seeds, async (seed) => void (await runSeed(seed, 2))))
}

/** Users create and delete claims and volumes while the binder is killed and the API fails occasionally. Everything must be consistent in the end. */
export async function runSeed(seed: number, binders = 1): Promise<string> {
  const world = await openCrashWorld({ seed, apiFaults: SOME_API_FAULTS }, binders)
  const { simulation, processes, api } = world
  const { random, transcript } = simulation
  const change = (): Promise<void> => makeChange(api, changesFor(random), simulation)
  try {
    await runRounds(simulation, processes, {
      rounds: ROUNDS,
      change,
      changes: { most: 5 },
      mostCalls: 8,
      pauseMs: { usual: 3000, long: 120_000 },
      afterPause: () => assertNeverTwice(world),
    })
    for (let minute = 0; minute < 10; minute++) await simulation.advance(60_000)
    await assertConsistent(world)
    return transcript.text()
  } finally {
    await simulation.stop()
  }
}

function changesFor(random: Random): UserChange<Api>[] {
  const [claim, volume, size, modes] = [
    pick(random, CLAIMS),
    pick(random, VOLUMES),
    pick(random, SIZES),
    pick(random, MODES),
  ]
  const storageClassName = pick(random, ['', '', 'fast', 'late'])
  const ref = { namespace: 'default', name: claim }
  return [
    [
      8,
      {
        what: `claims ${claim} ${size} ${storageClassName}`,
        make: (api) => createClaim(api, { name: claim, size, modes, spec: { storageClassName } }),
      },
    ],
    [
      2,
      {
        what: `claims ${claim} as ${volume}`,
        make: (api) => createClaim(api, { name: claim, size, spec: { storageClassName, volumeName: volume } }),
      },
    ],
    [
      8,
      {
        what: `makes ${volume} ${size} ${storageClassName}`,
        make: (api) => createVolume(api, { name: volume, size, modes, spec: { storageClassName } }),
      },
    ],
    [
      2,
      {
        what: `makes ${volume} for ${claim}`,
        make: (api) => createVolume(api, { name: volume, size, spec: { claimRef: reservedFor(claim) } }),
      },
    ],
    [5, { what: `deletes claim ${claim}`, make: (api) => api.delete(PERSISTENT_VOLUME_CLAIMS, ref) }],
    [3, { what: `deletes ${volume}`, make: (api) => api.delete(PERSISTENT_VOLUMES, { name: volume }) }],
    [1, { what: `takes ${volume} away`, make: (api) => takeAway(api, volume) }],
    [3, { what: `frees ${volume}`, make: (api) => free(api, volume) }],
    [3, { what: `provisions for ${claim}`, make: (api) => provisionFor(api, claim) }],
    [3, { what: `schedules ${claim} to ${volume}`, make: (api) => schedule(api, claim, volume) }],
  ]
}

async function takeAway(api: Api, name: string): Promise<void> {
  await api.patch(PERSISTENT_VOLUMES, { name }, { type: 'merge', value: { metadata: { finalizers: null } } })
  await api.delete(PERSISTENT_VOLUMES, { name })
}

/** Makes a retained volume available again, as an administrator would. */
async function free(api: Api, name: string): Promise<void> {
  const { status, metadata } = await api.get(PERSISTENT_VOLUMES, { name })
  if (status?.phase !== 'Released') return
  await api.patch(
    PERSISTENT_VOLUMES,
    { name },
    { type: 'merge', value: { metadata: { resourceVersion: metadata.resourceVersion }, spec: { claimRef: null } } },
  )
}

async function provisionFor(api: Api, name: string): Promise<void> {
  const claim = await api.get(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default', name })
  if (!claim.metadata.annotations?.[STORAGE_PROVISIONER] || claim.spec.volumeName) return
  const { resources, accessModes = [] } = claim.spec
  await provision(api, claim, `pvc-${claim.metadata.uid}`, {
    size: resources?.requests?.['storage'] ?? '1Gi',
    modes: accessModes,
  })
}

/** Acts as the scheduler: a volume for a waiting claim, or a node for which one is to be created. */
async function schedule(api: Api, name: string, volumeName: string): Promise<void> {
  const claim = await api.get(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default', name })
  if (claim.spec.storageClassName !== 'late' || claim.spec.volumeName) return
  const volume = await api.get(PERSISTENT_VOLUMES, { name: volumeName }).catch(ignoreRefusal)
  const isFree =
    volume && !volume.spec.claimRef && volume.status?.phase === 'Available' && volume.spec.storageClassName === 'late'
  if (isFree) {
    const { uid, resourceVersion } = volume.metadata
    const value = {
      metadata: { uid, resourceVersion, annotations: { [BOUND_BY_CONTROLLER]: 'yes' } },
      spec: { claimRef: claimReferenceTo(claim) },
    }
    await api.patch(PERSISTENT_VOLUMES, { name: volumeName }, { type: 'merge', value })
  } else {
    await api.patch(
      PERSISTENT_VOLUME_CLAIMS,
      { namespace: 'default', name },
      { type: 'merge', value: { metadata: { annotations: { [SELECTED_NODE]: 'n1' } } } },
    )
  }
}
