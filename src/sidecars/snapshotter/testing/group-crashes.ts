import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { ignoreNotFound } from '../../../api/api-error.ts'
import type { Api } from '../../../api/api.ts'
import { hasFinalizer } from '../../../api/finalizers.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import {
  VOLUME_GROUP_SNAPSHOT_CLASSES,
  VOLUME_GROUP_SNAPSHOT_CONTENTS,
  VOLUME_GROUP_SNAPSHOTS,
} from '../../../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../../api/kinds/volume-snapshot.ts'
import type { DeletionPolicy } from '../../../api/kinds/volume-snapshot.ts'
import type { Clock } from '../../../base/clock.ts'
import { createSilentLogger } from '../../../base/logger.ts'
import { CsiError } from '../../../csi/csi-error.ts'
import { joinDriver } from '../../../csi/index.ts'
import type { Driver } from '../../../csi/index.ts'
import { defineDriver } from '../../../csi/kit/index.ts'
import { SNAPSHOT_SOURCE_CLAIM_FINALIZER } from '../../../storage/snapshot-names.ts'
import {
  crashAtEachCall,
  forEachSeed,
  makeChange,
  pick,
  runRounds,
  SOME_API_FAULTS,
  SOME_DRIVER_FAULTS,
  startSimulation,
} from '../../../testing/index.ts'
import type { Crash, SimulatedProcess, Simulation, SimulationOptions } from '../../../testing/index.ts'
import { claimOf, createBoundPair, volumeOf } from '../../../testing/objects.ts'
import { DRIVER, runController, runSnapshotter } from './snapshot-crashes.ts'

const CLAIMS = ['c1', 'c2']
const TIME = { seconds: 1_893_456_000n, nanos: 123_456_789 }

/** The storage behind the driver: names and IDs of its group snapshots. It survives every process. */
type Backend = {
  readonly groups: Map<string, string>
  /** IDs of single snapshots that the driver was asked to delete: members must not be among them. */
  readonly deletedAlone: string[]
  refuses: boolean
  looksNeeded: number
}
type GroupWorld = {
  readonly simulation: Simulation
  readonly snapshotter: SimulatedProcess
  readonly controller: SimulatedProcess
  readonly api: Api
  readonly backend: Backend
}

function createBackendDriver(clock: Clock, backend: Backend): Driver {
  const looks = new Map<string, number>()
  const server = defineDriver(
    { name: DRIVER, version: '1' },
    {
      handlers: {
        createSnapshot: () => Promise.reject(new CsiError('INTERNAL', 'nobody asks for a single snapshot here')),
        deleteSnapshot: ({ snapshotId }) => {
          backend.deletedAlone.push(snapshotId)
          return Promise.resolve({})
        },
        createVolumeGroupSnapshot: ({ name, sourceVolumeIds }) => {
          // An existing group snapshot needs no space: the call is idempotent.
          if (backend.refuses && !backend.groups.has(name)) return Promise.reject(new CsiError('OUT_OF_RANGE', 'full'))
          backend.groups.set(name, `id-${name}`)
          looks.set(name, (looks.get(name) ?? 0) + 1)
          const groupSnapshotId = `id-${name}`
          return Promise.resolve({
            groupSnapshot: {
              groupSnapshotId,
              readyToUse: (looks.get(name) ?? 0) >= backend.looksNeeded,
              creationTime: TIME,
              snapshots: sourceVolumeIds.map((sourceVolumeId) => ({
                snapshotId: `${sourceVolumeId}-of-${name}`,
                sourceVolumeId,
                sizeBytes: 5n,
                readyToUse: true,
                creationTime: TIME,
                groupSnapshotId,
              })),
            },
          })
        },
        deleteVolumeGroupSnapshot: ({ groupSnapshotId }) => {
          for (const [name, id] of backend.groups) if (id === groupSnapshotId) backend.groups.delete(name)
          return Promise.resolve({})
        },
        getVolumeGroupSnapshot: ({ groupSnapshotId }) =>
          Promise.resolve({
            groupSnapshot: { groupSnapshotId, readyToUse: true, creationTime: TIME, snapshots: [] },
          }),
      },
      log: createSilentLogger(),
    },
  )
  return joinDriver(server, { clock })
}

async function openGroupWorld(options: SimulationOptions): Promise<GroupWorld> {
  const simulation = await startSimulation(options)
  const { api, clock } = simulation
  for (const [index, name] of CLAIMS.entries())
    await createBoundPair(api, {
      claim: claimOf({ name, metadata: { namespace: 'default', name, labels: { app: 'db' } } }),
      volume: volumeOf({ name: `v${index + 1}`, spec: { csi: { driver: DRIVER, volumeHandle: `h${index + 1}` } } }),
    })
  for (const deletionPolicy of ['Delete', 'Retain'] as const) await createClass(api, deletionPolicy)
  const backend: Backend = { groups: new Map(), deletedAlone: [], refuses: false, looksNeeded: 2 }
  const driver = createBackendDriver(clock, backend)
  const controller = await simulation.startProcess('controller', (world) => Promise.resolve(runController(world)))
  const snapshotter = await simulation.startProcess('snapshotter', (world) =>
    Promise.resolve(runSnapshotter(world, driver)),
  )
  await simulation.settled()
  return { simulation, snapshotter, controller, api, backend }
}

const createClass = (api: Api, deletionPolicy: DeletionPolicy) =>
  api.create(VOLUME_GROUP_SNAPSHOT_CLASSES, {
    apiVersion: 'groupsnapshot.storage.k8s.io/v1',
    kind: 'VolumeGroupSnapshotClass',
    metadata: { name: deletionPolicy.toLowerCase() },
    driver: DRIVER,
    deletionPolicy,
  })

const createGroup = (api: Api, name: string, className: string) =>
  api.create(VOLUME_GROUP_SNAPSHOTS, {
    apiVersion: 'groupsnapshot.storage.k8s.io/v1',
    kind: 'VolumeGroupSnapshot',
    metadata: { namespace: 'default', name },
    spec: { source: { selector: { matchLabels: { app: 'db' } } }, volumeGroupSnapshotClassName: className },
  })
const deleteGroup = (api: Api, name: string) => api.delete(VOLUME_GROUP_SNAPSHOTS, { namespace: 'default', name })

/** Every group is ready with all its members; the driver has exactly those of the contents; nothing is left of deleted ones. */
async function assertDone({ api, backend, simulation }: GroupWorld): Promise<void> {
  const why = (text: string): string => `${text}\n${simulation.transcript.text()}`
  const groups = (await api.list(VOLUME_GROUP_SNAPSHOTS)).items
  const groupContents = (await api.list(VOLUME_GROUP_SNAPSHOT_CONTENTS)).items
  const snapshots = (await api.list(VOLUME_SNAPSHOTS)).items
  const contents = (await api.list(VOLUME_SNAPSHOT_CONTENTS)).items
  for (const each of [...groups, ...snapshots]) {
    equal(each.metadata.deletionTimestamp, undefined, why(`${each.metadata.name} is not gone`))
    equal(each.status?.readyToUse, true, why(`${each.metadata.name} is not ready`))
  }
  equal(snapshots.length, groups.length * CLAIMS.length, why('members are missing, or left'))
  for (const { metadata, status, spec } of snapshots) {
    const owner = groups.find(({ metadata: { uid } }) => metadata.ownerReferences?.[0]?.uid === uid)
    equal(status?.volumeGroupSnapshotName, owner?.metadata.name, why('a member does not name its group'))
    ok(CLAIMS.includes(spec.source.persistentVolumeClaimName ?? ''), why('a member does not name its claim'))
    equal(status?.creationTime, '2030-01-01T00:00:00Z')
  }
  deepEqual(
    groupContents.map(({ status }) => status?.volumeGroupSnapshotHandle ?? 'none').toSorted(),
    [...backend.groups.values()].toSorted(),
    why('the driver has other group snapshots than the contents'),
  )
  for (const { spec, metadata } of groupContents) {
    const isUsed = groups.some(({ metadata: { uid } }) => uid === spec.volumeGroupSnapshotRef.uid)
    ok(isUsed || spec.deletionPolicy === 'Retain', why(`${metadata.name} has lost its group`))
    const note = metadata.annotations?.['groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-being-created']
    equal(note, undefined, why('a note is left'))
  }
  for (const { spec, metadata, status } of contents) {
    equal(status?.creationTime, 1_893_456_000_123_456_789n, why('the time is not exact'))
    const isUsed = snapshots.some(({ metadata: { uid } }) => uid === spec.volumeSnapshotRef.uid)
    ok(isUsed || spec.deletionPolicy === 'Retain', why(`${metadata.name} has lost its snapshot`))
  }
  deepEqual(backend.deletedAlone, [], why('a member was deleted without its group'))
  for (const name of CLAIMS) {
    const claim = await api.get(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default', name })
    equal(hasFinalizer(claim, SNAPSHOT_SOURCE_CLAIM_FINALIZER), false, why('a claim is held for nothing'))
  }
}

type Phase = {
  readonly name: string
  readonly victim: 'snapshotter' | 'controller'
  readonly leastCalls: number
  prepare?(world: GroupWorld): Promise<unknown>
  act(api: Api): Promise<unknown>
  /** Group snapshots that the driver has in the end. */
  readonly left: number
}

const taken = (className: string) => async (world: GroupWorld) => {
  await createGroup(world.api, 'g1', className)
  for (let turn = 0; turn < 4; turn++) await world.simulation.advance(30_000)
}

const PHASES: readonly Phase[] = (['snapshotter', 'controller'] as const).flatMap((victim): Phase[] => [
  { name: 'taking a group', victim, leastCalls: 4, act: (api) => createGroup(api, 'g1', 'delete'), left: 1 },
  {
    name: 'taking and deleting a group at once',
    victim,
    leastCalls: victim === 'controller' ? 1 : 0,
    act: async (api) => {
      await createGroup(api, 'g1', 'delete')
      await deleteGroup(api, 'g1')
    },
    left: 0,
  },
  {
    name: 'deleting a group',
    victim,
    leastCalls: 2,
    prepare: taken('delete'),
    act: (api) => deleteGroup(api, 'g1'),
    left: 0,
  },
  {
    name: 'deleting a group that is retained',
    victim,
    leastCalls: victim === 'controller' ? 2 : 0,
    prepare: taken('retain'),
    act: (api) => deleteGroup(api, 'g1'),
    left: 1,
  },
])

/** Kills one of the two at one call; false if it makes fewer calls. */
async function runCrash({ victim, prepare, act, left }: Phase, { at, when }: Crash): Promise<boolean> {
  const world = await openGroupWorld({ seed: 1 })
  const { simulation, api, backend } = world
  const process = world[victim]
  try {
    await prepare?.(world)
    process.killAtCall(at, when)
    await act(api).catch(ignoreNotFound)
    let isKilled = false
    for (let turn = 0; turn < 8; turn++) {
      await simulation.advance(turn * 20_000)
      if (process.isRunning()) continue
      isKilled = true
      await process.restart()
    }
    await assertDone(world)
    equal(backend.groups.size, left, simulation.transcript.text())
    return isKilled
  } finally {
    await simulation.stop()
  }
}

export function describeGroupCrashes(): void {
  for (const phase of PHASES)
    test(`the ${phase.victim}, killed before and after each call of ${phase.name}, leaks nothing and loses nothing`, () =>
      crashAtEachCall((crash) => runCrash(phase, crash), phase.leastCalls))
}

/** Users take and delete group snapshots while both are killed and API and driver fail occasionally. Everything must be consistent in the end. */
export async function runGroupSeed(seed: number): Promise<string> {
  const world = await openGroupWorld({ seed, apiFaults: SOME_API_FAULTS, driverFaults: SOME_DRIVER_FAULTS })
  const { simulation, snapshotter, controller, api, backend } = world
  const { random, transcript } = simulation
  const refuse = (refuses: boolean) => (): Promise<void> => {
    backend.refuses = refuses
    return Promise.resolve()
  }
  const change = (): Promise<void> => {
    const [name, className] = [pick(random, ['g1', 'g2']), pick(random, ['delete', 'delete', 'retain'])]
    return makeChange(
      api,
      [
        [4, { what: `takes ${name} ${className}`, make: () => createGroup(api, name, className) }],
        [3, { what: `deletes ${name}`, make: () => deleteGroup(api, name) }],
        [1, { what: 'fills the storage', make: refuse(true) }],
        [2, { what: 'makes room', make: refuse(false) }],
      ],
      simulation,
    )
  }
  try {
    await runRounds(simulation, [snapshotter, controller], {
      rounds: 12,
      change,
      changes: { most: 4 },
      mostCalls: 12,
      pauseMs: { usual: 4000, long: 120_000 },
    })
    backend.refuses = false
    for (let minute = 0; minute < 30; minute++) await simulation.advance(60_000)
    await assertDone(world)
    return transcript.text()
  } finally {
    await simulation.stop()
  }
}

export const describeGroupSeeds = (seeds: readonly number[]): void => {
  test('whatever fails and whoever is killed, every group is ready in the end with its members, none leaks, and none that is retained is deleted', () =>
    forEachSeed(seeds, async (seed) => void (await runGroupSeed(seed))))
}

/** Writes of both processes for a group of two that is ready immediately, and for its deletion, without events. */
export async function countGroupWrites(): Promise<{ taking: number; deleting: number; onClaims: readonly string[] }> {
  const world = await openGroupWorld({ seed: 1 })
  const { simulation, api, backend } = world
  backend.looksNeeded = 1
  const count = (): number =>
    simulation.transcript
      .text()
      .split('\n')
      .filter((line) => /: (create|patch|update|delete) (?!events)/.test(line)).length
  try {
    const before = count()
    await createGroup(api, 'g1', 'delete')
    await simulation.advance(0)
    await assertDone(world)
    const taken = count()
    await deleteGroup(api, 'g1')
    await simulation.advance(0)
    await assertDone(world)
    const onClaims = [
      ...simulation.transcript.text().matchAll(/: (create|patch|update|delete) persistentvolumeclaims/g),
    ]
    return { taking: taken - before, deleting: count() - taken, onClaims: onClaims.map(([, verb = '']) => verb) }
  } finally {
    await simulation.stop()
  }
}
