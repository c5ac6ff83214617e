import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../../api/kinds/persistent-volume.ts'
import { quantityToBytes } from '../../../api/quantity.ts'
import { createSilentLogger } from '../../../base/logger.ts'
import { CsiError } from '../../../csi/csi-error.ts'
import { createEventRecorder } from '../../../kube/controller/event-recorder.ts'
import { createInformers } from '../../../kube/cache/informers.ts'
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
import { startResizer } from '../start-resizer.ts'
import { CLAIM, createAttributesClass, createBoundClaim, createScriptedDriver, DEFAULTS } from './resizer-under-test.ts'
import type { ScriptedDriver } from './resizer-under-test.ts'

/** The storage behind the driver: it survives every process. */
type Backend = { sizeBytes: bigint; attributes: string; mostBytes: bigint; needsNode: boolean }
type CrashWorld = {
  readonly simulation: Simulation
  readonly process: SimulatedProcess
  readonly api: Api
  readonly backend: Backend
  readonly script: ScriptedDriver
}

const GIB = 1024n ** 3n
const CLASSES = ['gold', 'silver']

async function openCrashWorld(options: SimulationOptions, needsNode = false): Promise<CrashWorld> {
  const simulation = await startSimulation(options)
  const { api, clock } = simulation
  await createBoundClaim(api)
  for (const name of CLASSES) await createAttributesClass(api, name)
  const backend: Backend = { sizeBytes: GIB, attributes: '', mostBytes: 8n * GIB, needsNode }
  const script = createScriptedDriver(clock)
  script.expand = async ({ capacityRange }) => {
    const bytes = capacityRange?.requiredBytes ?? 0n
    const { status } = await api.get(PERSISTENT_VOLUME_CLAIMS, CLAIM)
    // Intent before effect: everything requested from the driver is saved in the claim.
    equal(
      quantityToBytes(status?.allocatedResources?.['storage'] ?? '0'),
      bytes,
      'expanded to a size that is not saved',
    )
    if (bytes > backend.mostBytes) throw new CsiError('OUT_OF_RANGE', 'too large')
    if (bytes > backend.sizeBytes) backend.sizeBytes = bytes
    return { capacityBytes: backend.sizeBytes, nodeExpansionRequired: backend.needsNode }
  }
  script.modify = async ({ mutableParameters }) => {
    const { status } = await api.get(PERSISTENT_VOLUME_CLAIMS, CLAIM)
    const name = mutableParameters['class'] ?? ''
    equal(status?.modifyVolumeStatus?.targetVolumeAttributesClassName, name, 'modified to a class that is not saved')
    backend.attributes = name
    return {}
  }
  const process = await simulation.startProcess('resizer', (world) => Promise.resolve(runResizer(world, script)))
  await simulation.settled()
  return { simulation, process, api, backend, script }
}

function runResizer(world: ProcessWorld, script: ScriptedDriver) {
  const { clock, random } = world
  const log = createSilentLogger()
  const api = world.api()
  const driver = world.driver({ current: () => script.driver, restart: () => Promise.resolve() })
  const informers = createInformers({ api, clock, random, log })
  const events = createEventRecorder({ api, clock, log, component: 'resizer' })
  return runPart(world, async () => {
    const facts = await discoverDriver(driver, { clock, log, path: '/csi.sock', timeoutMs: 15_000 })
    const parts = { api, driver, clock, random, log, informers, events, facts }
    return startResizer(DEFAULTS, parts, new AbortController().signal)
  })
}

/** The objects match the storage, and nothing is in progress. */
async function assertDone({ api, backend, simulation }: CrashWorld): Promise<void> {
  const why = (text: string): string => `${text}\n${simulation.transcript.text()}`
  const { spec, status } = await api.get(PERSISTENT_VOLUME_CLAIMS, CLAIM)
  const volume = await api.get(PERSISTENT_VOLUMES, { name: 'v1' })
  const bytesOf = (size: string | undefined): bigint => quantityToBytes(size ?? '0')
  equal(bytesOf(volume.spec.capacity?.['storage']), backend.sizeBytes, why('the volume has another size than it says'))
  const isPossible = bytesOf(spec.resources?.requests?.['storage']) <= backend.mostBytes
  if (isPossible && !backend.needsNode) {
    equal(bytesOf(status?.capacity?.['storage']), backend.sizeBytes, why('the claim has another size than it says'))
    ok(bytesOf(status?.capacity?.['storage']) >= bytesOf(spec.resources?.requests?.['storage']), why('not expanded'))
    equal(status?.allocatedResourceStatuses?.['storage'], undefined, why('still expanding'))
    deepEqual(status?.conditions ?? [], [], why('conditions are left'))
  }
  if (isPossible && backend.needsNode)
    equal(status?.allocatedResourceStatuses?.['storage'], 'NodeResizePending', why('not handed over'))
  if (!isPossible)
    equal(
      status?.allocatedResourceStatuses?.['storage'],
      'ControllerResizeInfeasible',
      why('an impossible size is not marked'),
    )
  equal(status?.currentVolumeAttributesClassName ?? '', spec.volumeAttributesClassName ?? '', why('not modified'))
  equal(
    volume.spec.volumeAttributesClassName ?? '',
    backend.attributes,
    why('the volume has other attributes than it says'),
  )
  equal(status?.modifyVolumeStatus, undefined, why('still modifying'))
}

const patchSpec = (api: Api, spec: object) =>
  api.patch(PERSISTENT_VOLUME_CLAIMS, CLAIM, { type: 'merge', value: { spec } })
const requestSize = (api: Api, storage: string) => patchSpec(api, { resources: { requests: { storage } } })
const requestClass = (api: Api, volumeAttributesClassName: string) => patchSpec(api, { volumeAttributesClassName })

type Phase = {
  readonly name: string
  readonly needsNode?: boolean
  act(api: Api): Promise<unknown>
  meanwhile?(api: Api): Promise<unknown>
}

const PHASES: readonly Phase[] = [
  { name: 'expanding', act: (api) => requestSize(api, '2Gi') },
  { name: 'expanding with the node', needsNode: true, act: (api) => requestSize(api, '2Gi') },
  { name: 'an impossible size', act: (api) => requestSize(api, '9Gi') },
  {
    name: 'an impossible size, then a smaller one',
    act: (api) => requestSize(api, '9Gi'),
    meanwhile: (api) => requestSize(api, '3Gi'),
  },
  { name: 'modifying', act: (api) => requestClass(api, 'gold') },
  {
    name: 'modifying, then to another class',
    act: (api) => requestClass(api, 'gold'),
    meanwhile: (api) => requestClass(api, 'silver'),
  },
]

/** Kills the resizer at one call; false if it makes fewer calls. */
async function runCrash({ act, meanwhile, needsNode = false }: Phase, { at, when }: Crash): Promise<boolean> {
  const world = await openCrashWorld({ seed: 1 }, needsNode)
  const { simulation, process, api } = world
  try {
    process.killAtCall(at, when)
    await act(api)
    await simulation.advance(0)
    let isKilled = false
    const goOn = async (byMs: number): Promise<void> => {
      if (!process.isRunning()) {
        isKilled = true
        await process.restart()
      }
      await simulation.advance(byMs)
    }
    await meanwhile?.(api)
    for (let turn = 0; turn < 7; turn++) await goOn(turn * 60_000)
    await assertDone(world)
    return isKilled
  } finally {
    await simulation.stop()
  }
}

export function describeCrashes(): void {
  for (const phase of PHASES)
    test(`killed before and after each call and started again, it ends what it began: ${phase.name}`, () =>
      crashAtEachCall((crash) => runCrash(phase, crash), 3))
}

/** Users change size and class while the resizer is killed and API and driver fail occasionally. Everything must be consistent in the end. */
export async function runSeed(seed: number): Promise<string> {
  const world = await openCrashWorld({ seed, apiFaults: SOME_API_FAULTS, driverFaults: SOME_DRIVER_FAULTS })
  const { simulation, process, api } = world
  const { random, transcript } = simulation
  const change = (): Promise<void> => {
    const [size, name] = [pick(random, ['2Gi', '3Gi', '5Gi', '9Gi']), pick(random, CLASSES)]
    return makeChange(
      api,
      [
        [3, { what: `requests ${size}`, make: () => requestSize(api, size) }],
        [2, { what: `requests ${name}`, make: () => requestClass(api, name) }],
      ],
      simulation,
    )
  }
  try {
    await runRounds(simulation, [process], {
      rounds: 12,
      change,
      changes: { most: 3 },
      mostCalls: 12,
      pauseMs: { usual: 4000, long: 400_000 },
    })
    for (let minute = 0; minute < 30; minute++) await simulation.advance(60_000)
    await assertDone(world)
    return transcript.text()
  } finally {
    await simulation.stop()
  }
}

export const describeSeeds = (seeds: readonly number[]): void => {
  test('whatever fails and whenever it is killed, sizes and classes end as requested, and objects say what the storage has', () =>
    forEachSeed(seeds, async (seed) => void (await runSeed(seed))))
}
