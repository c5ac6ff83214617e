import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { ignoreNotFound } from '../../../api/api-error.ts'
import type { Api } from '../../../api/api.ts'
import { hasFinalizer } from '../../../api/finalizers.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import {
  VOLUME_SNAPSHOT_CLASSES,
  VOLUME_SNAPSHOT_CONTENTS,
  VOLUME_SNAPSHOTS,
} from '../../../api/kinds/volume-snapshot.ts'
import type { DeletionPolicy } from '../../../api/kinds/volume-snapshot.ts'
import type { Clock } from '../../../base/clock.ts'
import { createSilentLogger } from '../../../base/logger.ts'
import { defaultsOf } from '../../../base/options/index.ts'
import { snapshotOptions, startSnapshot } from '../../../controllers/snapshot/index.ts'
import { CsiError } from '../../../csi/csi-error.ts'
import { joinDriver } from '../../../csi/index.ts'
import type { Driver } from '../../../csi/index.ts'
import { defineDriver } from '../../../csi/kit/index.ts'
import { createInformers } from '../../../kube/cache/informers.ts'
import { createEventRecorder } from '../../../kube/controller/event-recorder.ts'
import { SNAPSHOT_SOURCE_CLAIM_FINALIZER } from '../../../storage/snapshot-names.ts'
import {
  crashAtEachCall,
  forEachSeed,
  makeChange,
  pick,
  runPart,
  runRounds,
  SOME_API_FAULTS,
  SOME_DRIVER_FAULTS,
  startSimulation,
} from '../../../testing/index.ts'
import type { Crash, ProcessWorld, SimulatedProcess, Simulation, SimulationOptions } from '../../../testing/index.ts'
import { discoverDriver } from '../../discover-driver.ts'
import { createBoundClaim } from '../../resizer/testing/resizer-under-test.ts'
import { snapshotterOptions } from '../snapshotter-options.ts'
import type { SnapshotterConfig } from '../snapshotter-options.ts'
import { startSnapshotter } from '../start-snapshotter.ts'

export const DRIVER = 'test.holdfast.dev'
const CLAIM = { namespace: 'default', name: 'c1' }

/** The storage behind the driver: names and IDs of its snapshots. It survives every process. */
type Backend = { readonly snapshots: Map<string, string>; refuses: boolean; looksNeeded: number }
type CrashWorld = {
  readonly simulation: Simulation
  readonly snapshotter: SimulatedProcess
  readonly controller: SimulatedProcess
  readonly api: Api
  readonly backend: Backend
}

/** Its snapshots are ready at the second check, unless configured otherwise. */
function createBackendDriver(clock: Clock, backend: Backend): Driver {
  const looks = new Map<string, number>()
  const server = defineDriver(
    { name: DRIVER, version: '1' },
    {
      handlers: {
        createSnapshot: ({ name, sourceVolumeId }) => {
          // An existing snapshot needs no space: the call is idempotent.
          if (backend.refuses && !backend.snapshots.has(name))
            return Promise.reject(new CsiError('OUT_OF_RANGE', 'full'))
          const snapshotId = `id-${name}`
          backend.snapshots.set(name, snapshotId)
          looks.set(name, (looks.get(name) ?? 0) + 1)
          const readyToUse = (looks.get(name) ?? 0) >= backend.looksNeeded
          const creationTime = { seconds: 1_893_456_000n, nanos: 1 }
          return Promise.resolve({
            snapshot: { snapshotId, sourceVolumeId, sizeBytes: 5n, readyToUse, creationTime, groupSnapshotId: '' },
          })
        },
        deleteSnapshot: ({ snapshotId }) => {
          for (const [name, id] of backend.snapshots) if (id === snapshotId) backend.snapshots.delete(name)
          return Promise.resolve({})
        },
      },
      log: createSilentLogger(),
    },
  )
  return joinDriver(server, { clock })
}

async function openCrashWorld(options: SimulationOptions): Promise<CrashWorld> {
  const simulation = await startSimulation(options)
  const { api, clock } = simulation
  await createBoundClaim(api)
  for (const deletionPolicy of ['Delete', 'Retain'] as const) await createClass(api, deletionPolicy)
  const backend: Backend = { snapshots: new Map(), refuses: false, looksNeeded: 2 }
  const driver = createBackendDriver(clock, backend)
  const controller = await simulation.startProcess('controller', (world) => Promise.resolve(runController(world)))
  const snapshotter = await simulation.startProcess('snapshotter', (world) =>
    Promise.resolve(runSnapshotter(world, driver)),
  )
  await simulation.settled()
  return { simulation, snapshotter, controller, api, backend }
}

const createClass = (api: Api, deletionPolicy: DeletionPolicy) =>
  api.create(VOLUME_SNAPSHOT_CLASSES, {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotClass',
    metadata: { name: deletionPolicy.toLowerCase() },
    driver: DRIVER,
    deletionPolicy,
  })

function worldOf({ clock, random, ...world }: ProcessWorld, component: string) {
  const log = createSilentLogger()
  const api = world.api()
  const informers = createInformers({ api, clock, random, log })
  return { api, clock, random, log, informers, events: createEventRecorder({ api, clock, log, component }) }
}

export const runController = (world: ProcessWorld, config = defaultsOf(snapshotOptions)) => {
  const parts = worldOf(world, 'snapshot-controller')
  return runPart(world, () => startSnapshot(config, parts, new AbortController().signal))
}

export const runSnapshotter = (
  world: ProcessWorld,
  current: Driver,
  config: SnapshotterConfig = defaultsOf(snapshotterOptions),
) => {
  const parts = worldOf(world, 'csi-snapshotter')
  const { clock, log } = parts
  const driver = world.driver({ current: () => current, restart: () => Promise.resolve() })
  return runPart(world, async () => {
    const facts = await discoverDriver(driver, { clock, log, path: '/csi.sock', timeoutMs: 60_000 })
    return startSnapshotter(config, { ...parts, driver, facts }, new AbortController().signal)
  })
}

const createSnapshot = (api: Api, name: string, className: string) =>
  api.create(VOLUME_SNAPSHOTS, {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshot',
    metadata: { namespace: 'default', name },
    spec: { source: { persistentVolumeClaimName: CLAIM.name }, volumeSnapshotClassName: className },
  })
const deleteSnapshot = (api: Api, name: string) => api.delete(VOLUME_SNAPSHOTS, { namespace: 'default', name })

/** Every snapshot is ready; the driver has exactly those of the contents; nothing is left of deleted ones. */
async function assertDone({ api, backend, simulation }: CrashWorld): Promise<void> {
  const why = (text: string): string => `${text}\n${simulation.transcript.text()}`
  const snapshots = (await api.list(VOLUME_SNAPSHOTS)).items
  const contents = (await api.list(VOLUME_SNAPSHOT_CONTENTS)).items
  const isDone = ({ status, metadata }: (typeof snapshots)[number]): boolean =>
    status?.readyToUse === true && metadata.deletionTimestamp === undefined
  deepEqual(
    snapshots.filter((snapshot) => !isDone(snapshot)).map(({ metadata }) => metadata.name),
    [],
    why('snapshots that are not ready, or not gone'),
  )
  deepEqual(
    contents.map(({ status }) => status?.snapshotHandle ?? 'none').toSorted(),
    [...backend.snapshots.values()].toSorted(),
    why('the driver has other snapshots than the contents'),
  )
  for (const { spec, metadata } of contents) {
    const isUsed = snapshots.some(({ metadata: { uid } }) => uid === spec.volumeSnapshotRef.uid)
    ok(isUsed || spec.deletionPolicy === 'Retain', why(`${metadata.name} has lost its snapshot`))
    const note = metadata.annotations?.['snapshot.storage.kubernetes.io/volumesnapshot-being-created']
    equal(note, undefined, why('a note is left'))
  }
  const claim = await api.get(PERSISTENT_VOLUME_CLAIMS, CLAIM)
  equal(hasFinalizer(claim, SNAPSHOT_SOURCE_CLAIM_FINALIZER), false, why('the claim is held for nothing'))
}

type Phase = {
  readonly name: string
  readonly victim: 'snapshotter' | 'controller'
  readonly leastCalls: number
  prepare?(world: CrashWorld): Promise<unknown>
  act(api: Api): Promise<unknown>
  /** Snapshots that the driver has in the end. */
  readonly left: number
}

const taken = (className: string) => async (world: CrashWorld) => {
  await createSnapshot(world.api, 's1', className)
  for (let turn = 0; turn < 4; turn++) await world.simulation.advance(30_000)
}

const PHASES: readonly Phase[] = (['snapshotter', 'controller'] as const).flatMap((victim): Phase[] => [
  { name: 'taking', victim, leastCalls: 4, act: (api) => createSnapshot(api, 's1', 'delete'), left: 1 },
  {
    name: 'taking and deleting at once',
    victim,
    leastCalls: victim === 'controller' ? 1 : 0,
    act: async (api) => {
      await createSnapshot(api, 's1', 'delete')
      await deleteSnapshot(api, 's1')
    },
    left: 0,
  },
  {
    name: 'deleting',
    victim,
    leastCalls: 2,
    prepare: taken('delete'),
    act: (api) => deleteSnapshot(api, 's1'),
    left: 0,
  },
  {
    name: 'deleting what is retained',
    victim,
    leastCalls: victim === 'controller' ? 2 : 0,
    prepare: taken('retain'),
    act: (api) => deleteSnapshot(api, 's1'),
    left: 1,
  },
])

/** Kills one of the two at one call; false if it makes fewer calls. */
async function runCrash({ victim, prepare, act, left }: Phase, { at, when }: Crash): Promise<boolean> {
  const world = await openCrashWorld({ seed: 1 })
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
    equal(backend.snapshots.size, left, simulation.transcript.text())
    return isKilled
  } finally {
    await simulation.stop()
  }
}

export function describeCrashes(): void {
  for (const phase of PHASES)
    test(`the ${phase.victim}, killed before and after each call of ${phase.name}, leaks nothing and loses nothing`, () =>
      crashAtEachCall((crash) => runCrash(phase, crash), phase.leastCalls))
}

/** Users take and delete snapshots while both are killed and API and driver fail occasionally. Everything must be consistent in the end. */
export async function runSeed(seed: number): Promise<string> {
  const world = await openCrashWorld({ seed, apiFaults: SOME_API_FAULTS, driverFaults: SOME_DRIVER_FAULTS })
  const { simulation, snapshotter, controller, api, backend } = world
  const { random, transcript } = simulation
  const refuse = (refuses: boolean) => (): Promise<void> => {
    backend.refuses = refuses
    return Promise.resolve()
  }
  const change = (): Promise<void> => {
    const [name, className] = [pick(random, ['s1', 's2', 's3']), pick(random, ['delete', 'delete', 'retain'])]
    return makeChange(
      api,
      [
        [4, { what: `takes ${name} ${className}`, make: () => createSnapshot(api, name, className) }],
        [3, { what: `deletes ${name}`, make: () => deleteSnapshot(api, name) }],
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

export const describeSeeds = (seeds: readonly number[]): void => {
  test('whatever fails and whoever is killed, every snapshot is ready in the end, none leaks, and none that is retained is deleted', () =>
    forEachSeed(seeds, async (seed) => void (await runSeed(seed))))
}

/** Writes of both processes for one snapshot that is ready immediately, without events; and the verbs of those to its claim. */
export async function countWrites(): Promise<{ taking: number; deleting: number; onClaim: readonly string[] }> {
  const world = await openCrashWorld({ seed: 1 })
  const { simulation, api, backend } = world
  backend.looksNeeded = 1
  const count = (): number =>
    simulation.transcript
      .text()
      .split('\n')
      .filter((line) => /: (create|patch|update|delete) (?!events)/.test(line)).length
  try {
    const before = count()
    await createSnapshot(api, 's1', 'delete')
    await simulation.advance(0)
    const taken = count()
    await deleteSnapshot(api, 's1')
    await simulation.advance(0)
    await assertDone(world)
    const onClaim = [...simulation.transcript.text().matchAll(/: (create|patch|update|delete) persistentvolumeclaims/g)]
    return { taking: taken - before, deleting: count() - taken, onClaim: onClaim.map(([, verb = '']) => verb) }
  } finally {
    await simulation.stop()
  }
}

/** The number of driver calls in the first minute, and of writes to the content, if the snapshot does not become ready. */
export async function countLooks(): Promise<{ looks: number; statusWrites: number }> {
  const { simulation, api, backend } = await openCrashWorld({ seed: 1 })
  backend.looksNeeded = Infinity
  try {
    await createSnapshot(api, 's1', 'delete')
    await simulation.advance(60_000)
    const lines = simulation.transcript.text().split('\n')
    const count = (pattern: RegExp): number => lines.filter((line) => pattern.test(line)).length
    return { looks: count(/CreateSnapshot ok/), statusWrites: count(/patch volumesnapshotcontents .*\/status/) }
  } finally {
    await simulation.stop()
  }
}
