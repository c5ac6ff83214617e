import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../../api/kinds/persistent-volume.ts'
import { compareQuantities } from '../../../api/quantity.ts'
import { createSilentLogger } from '../../../base/logger.ts'
import { createEventRecorder } from '../../../kube/controller/event-recorder.ts'
import { createInformers } from '../../../kube/cache/informers.ts'
import { crashAtEachCall, runPart, startSimulation } from '../../../testing/index.ts'
import type {
  Crash,
  ProcessBody,
  ProcessWorld,
  SimulatedProcess,
  Simulation,
  SimulationOptions,
} from '../../../testing/index.ts'
import { findBestVolume } from '../../../storage/find-best-volume.ts'
import { BIND_COMPLETED, BOUND_BY_CONTROLLER, hasAnnotation, isDelayedBinding } from '../../../storage/names.ts'
import { capacityOf, requestedSizeOf } from '../../../storage/requested-size.ts'
import { createVolumeStock } from '../../../storage/volume-stock.ts'
import { STORAGE_CLASSES } from '../../../api/kinds/storage-class.ts'
import { defaultsOf } from '../../../base/options/index.ts'
import { protectionOptions, startProtection } from '../../protection/index.ts'
import { createClaim, createClass, createVolume, DEFAULTS, provision } from './describe-binder.ts'
import { startBinder } from '../start-binder.ts'

/** The binder, with the protection of claims and volumes, as a process that can be killed. */
export type CrashWorld = { simulation: Simulation; processes: readonly SimulatedProcess[]; api: Api }

/** With more than one process, several binders run at the same time, which should never happen. */
export async function openCrashWorld(options: SimulationOptions, binders = 1): Promise<CrashWorld> {
  const simulation = await startSimulation(options)
  const { api } = simulation
  await createClass(api)
  await createClass(api, { volumeBindingMode: 'WaitForFirstConsumer' }, 'late')
  const processes: SimulatedProcess[] = []
  for (let number = 1; number <= binders; number++)
    processes.push(await simulation.startProcess(`binder-${number}`, (world) => Promise.resolve(runBinder(world))))
  await simulation.settled()
  return { simulation, processes, api }
}

function runBinder(process: ProcessWorld): ProcessBody {
  const { clock, random } = process
  const log = createSilentLogger()
  const api = process.api()
  const informers = createInformers({ api, clock, random, log })
  const events = createEventRecorder({ api, clock, log, component: 'binder' })
  const world = { api, informers, clock, random, log, events }
  return runPart(process, async () => {
    const { signal } = new AbortController()
    const controllers = await Promise.all([
      startBinder(DEFAULTS, world, signal),
      startProtection(defaultsOf(protectionOptions), world, signal),
    ])
    return {
      isIdle: () => controllers.every((controller) => controller.isIdle()),
      stop: async () => void (await Promise.all(controllers.map((controller) => controller.stop()))),
    }
  })
}

const isCompleted = (claim: PersistentVolumeClaim): boolean => hasAnnotation(claim, BIND_COMPLETED)
const nameOf = ({ metadata }: PersistentVolume | PersistentVolumeClaim): string => metadata.name ?? ''
const readAll = async (
  api: Api,
): Promise<{ claims: readonly PersistentVolumeClaim[]; volumes: readonly PersistentVolume[] }> => ({
  claims: (await api.list(PERSISTENT_VOLUME_CLAIMS)).items,
  volumes: (await api.list(PERSISTENT_VOLUMES)).items,
})

/** At any time: no volume has two claims, no claim has two volumes, and no chosen volume is too small. */
export async function assertNeverTwice({ api, simulation }: CrashWorld): Promise<void> {
  const { claims, volumes } = await readAll(api)
  const why = (text: string): string => `${text}\n${simulation.transcript.text()}`
  const bound = claims.filter((claim) => isCompleted(claim) && claim.status?.phase !== 'Lost')
  const taken = bound.map(({ spec }) => spec.volumeName)
  deepEqual(taken.length, new Set(taken).size, why('a volume is bound to two claims'))
  for (const claim of bound) {
    const volume = volumes.find(
      ({ metadata, spec }) => metadata.name === claim.spec.volumeName && spec.claimRef?.uid === claim.metadata.uid,
    )
    // If users named both in each other, they are bound as requested.
    if (!volume || ![claim, volume].some((object) => hasAnnotation(object, BOUND_BY_CONTROLLER))) continue
    ok(
      compareQuantities(capacityOf(volume), requestedSizeOf(claim)) >= 0,
      why(`${nameOf(claim)} has a volume that is too small`),
    )
  }
}

/** Once everything is idle: bound objects refer to each other, and no claim waits for a volume that exists. */
export async function assertConsistent(world: CrashWorld): Promise<void> {
  await assertNeverTwice(world)
  const { api, simulation } = world
  const { claims, volumes } = await readAll(api)
  const classes = (await api.list(STORAGE_CLASSES)).items
  const why = (text: string): string => `${text}\n${simulation.transcript.text()}`
  for (const claim of claims) {
    const volume = volumes.find((candidate) => nameOf(candidate) === claim.spec.volumeName)
    if (claim.status?.phase === 'Bound') {
      ok(isCompleted(claim), why(`${nameOf(claim)} is Bound and not completed`))
      equal(
        volume?.spec.claimRef?.uid,
        claim.metadata.uid,
        why(`${nameOf(claim)} is Bound to a volume that does not name it`),
      )
      equal(volume?.status?.phase, 'Bound', why(`the volume of ${nameOf(claim)} is not Bound`))
    } else if (claim.status?.phase === 'Lost') {
      ok(volume?.spec.claimRef?.uid !== claim.metadata.uid, why(`${nameOf(claim)} is Lost and has its volume`))
    } else {
      ok(!isCompleted(claim), why(`${nameOf(claim)} is completed and ${claim.status?.phase}`))
      if (claim.metadata.deletionTimestamp || claim.spec.volumeName) continue
      const storageClass = classes.find(({ metadata }) => metadata.name === claim.spec.storageClassName)
      equal(
        findBestVolume(claim, createVolumeStock(volumes), { reservedOnly: isDelayedBinding(storageClass) })?.metadata
          .name,
        undefined,
        why(`${nameOf(claim)} waits while there is a volume for it`),
      )
    }
  }
  for (const { metadata, spec, status } of volumes) {
    const claim = claims.find(({ metadata: { uid } }) => uid === spec.claimRef?.uid)
    if (!spec.claimRef?.uid) equal(status?.phase, 'Available', why(`${metadata.name} has no claim`))
    else if (!claim)
      ok(
        status?.phase === 'Released' || status?.phase === 'Failed',
        why(`${metadata.name} has lost its claim and is ${status?.phase}`),
      )
    else if (claim.spec.volumeName === metadata.name)
      ok(status?.phase === 'Bound', why(`${metadata.name} has its claim and is ${status?.phase}`))
  }
}

type Phase = {
  name: string
  prepare(api: Api): Promise<unknown>
  act(api: Api): Promise<unknown>
  end: { claim: string | undefined; volume: string | undefined }
}

const claimRef = { namespace: 'default', name: 'c1' }
const find = <T>(reading: Promise<T>): Promise<T | undefined> => reading.catch(() => undefined)

const PHASES: readonly Phase[] = [
  {
    name: 'a volume that is there',
    prepare: (api) => createVolume(api),
    act: (api) => createClaim(api),
    end: { claim: 'Bound', volume: 'Bound' },
  },
  {
    name: 'a volume that comes later',
    prepare: (api) => createClaim(api),
    act: (api) => createVolume(api),
    end: { claim: 'Bound', volume: 'Bound' },
  },
  {
    name: 'a volume that is provisioned',
    prepare: (api) => createClaim(api, { spec: { storageClassName: 'fast' } }),
    act: async (api) => provision(api, await api.get(PERSISTENT_VOLUME_CLAIMS, claimRef), 'v1'),
    end: { claim: 'Bound', volume: 'Bound' },
  },
  {
    name: 'a claim that goes',
    prepare: (api) => Promise.all([createVolume(api), createClaim(api)]),
    act: (api) => api.delete(PERSISTENT_VOLUME_CLAIMS, claimRef),
    end: { claim: undefined, volume: 'Released' },
  },
  {
    name: 'a volume that is taken away',
    prepare: (api) => Promise.all([createVolume(api), createClaim(api)]),
    act: async (api) => {
      // In this order, the finalizer cannot be added again in between.
      await api.delete(PERSISTENT_VOLUMES, { name: 'v1' })
      await api.patch(PERSISTENT_VOLUMES, { name: 'v1' }, { type: 'merge', value: { metadata: { finalizers: null } } })
    },
    end: { claim: 'Lost', volume: undefined },
  },
]

/** Kills the binder at one call; false if it makes fewer calls. */
async function runCrash({ prepare, act, end }: Phase, { at, when }: Crash): Promise<boolean> {
  const world = await openCrashWorld({ seed: 1 })
  const { simulation, processes, api } = world
  const [process] = processes
  try {
    await prepare(api)
    await simulation.settled()
    process?.killAtCall(at, when)
    await act(api)
    await simulation.advance(0)
    const killed = !(process?.isRunning() ?? false)
    await assertNeverTwice(world)
    if (killed) await process?.restart()
    await simulation.advance(0)
    await simulation.advance(5000)
    await assertConsistent(world)
    const [claim, volume] = [
      await find(api.get(PERSISTENT_VOLUME_CLAIMS, claimRef)),
      await find(api.get(PERSISTENT_VOLUMES, { name: 'v1' })),
    ]
    deepEqual({ claim: claim?.status?.phase, volume: volume?.status?.phase }, end, simulation.transcript.text())
    return killed
  } finally {
    await simulation.stop()
  }
}

export function describeCrashes(): void {
  for (const phase of PHASES) {
    test(`S3-61: killed before and after each call and started again, it ends what it began: ${phase.name}`, () =>
      crashAtEachCall((crash) => runCrash(phase, crash)))
  }
}
