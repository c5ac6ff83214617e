import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { ignoreRace } from '../../../api/api-error.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../../api/kinds/persistent-volume.ts'
import { SECRETS } from '../../../api/kinds/secret.ts'
import { VOLUME_ATTACHMENTS } from '../../../api/kinds/volume-attachment.ts'
import { sleep } from '../../../base/clock.ts'
import { createSilentLogger } from '../../../base/logger.ts'
import { CsiError } from '../../../csi/index.ts'
import { createEventRecorder } from '../../../kube/controller/event-recorder.ts'
import { createInformers } from '../../../kube/cache/informers.ts'
import { startLeaderElection } from '../../../kube/process/leader-election.ts'
import { fenceApi } from '../../../kube/process/fence-api.ts'
import { untilAborted } from '../../../kube/process/leadership-term.ts'
import { superviseRole } from '../../../kube/process/supervise-role.ts'
import type { SupervisedRole } from '../../../kube/process/supervise-role.ts'
import { crashAtEachCall, runPart, startSimulation } from '../../../testing/index.ts'
import type {
  Crash,
  ProcessBody,
  ProcessWorld,
  SimulatedProcess,
  Simulation,
  SimulationOptions,
} from '../../../testing/index.ts'
import { discoverDriver } from '../../discover-driver.ts'
import type { RunningRole } from '../../role.ts'
import { fenceDriver } from '../../fence-driver.ts'
import {
  bind,
  createClaim,
  createClass,
  createScriptedDriver,
  DEFAULTS,
  deleteClaim,
  DRIVER,
  NAMESPACE,
  PLACE,
  releaseVolume,
  volumeOf,
} from './describe-provisioner.ts'
import type { ScriptedDriver } from './describe-provisioner.ts'
import type { ProvisionerConfig } from '../provisioner-options.ts'
import { startProvisioner } from '../start-provisioner.ts'

/** The provisioner as a process that can be killed, with a driver whose volumes survive. */
export type CrashWorld = {
  simulation: Simulation
  /** One process, or the replicas of which one leads. */
  processes: readonly SimulatedProcess[]
  process: SimulatedProcess
  script: ScriptedDriver
  api: Api
  /** Requests that the driver should not have received. */
  violations: readonly string[]
}

export const SECRET = { namespace: NAMESPACE, name: 'pass' }
export const createSecret = (api: Api): Promise<unknown> =>
  api.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: SECRET, stringData: { key: 'open sesame' } })

export type CrashOptions = SimulationOptions & { replicas?: number }

export async function openCrashWorld(
  { replicas = 0, ...options }: CrashOptions,
  config: Partial<ProvisionerConfig> = {},
): Promise<CrashWorld> {
  const simulation = await startSimulation(options)
  const { api, clock } = simulation
  const script = createScriptedDriver(clock, {
    features: { cloneVolume: true },
    more: {
      controllerPublishVolume: () => Promise.resolve({ publishContext: {} }),
      controllerUnpublishVolume: () => Promise.resolve({}),
    },
  })
  const violations: string[] = []
  const { delete: remove, create } = script
  script.delete = async (request, call) => {
    const attached = (await api.list(VOLUME_ATTACHMENTS)).items.map(
      ({ spec }) => `id-of-${spec.source.persistentVolumeName}`,
    )
    if (attached.includes(request.volumeId)) violations.push(`${request.volumeId} was deleted while attached`)
    return remove(request, call)
  }
  script.create = (request, call) => {
    if (request.secrets['key'] !== 'open sesame') violations.push(`${request.name} was asked for without its secret`)
    const source = request.volumeContentSource?.type
    // A completed copy no longer needs its source.
    if (
      source?.$case === 'volume' &&
      !script.volumes.has(request.name) &&
      ![...script.volumes.values()].includes(source.value.volumeId ?? '')
    ) {
      return Promise.reject(new CsiError('NOT_FOUND', 'there is nothing to copy from', { rpc: 'CreateVolume' }))
    }
    return create(request, call)
  }
  await createSecret(api)
  const parameters = {
    'csi.storage.k8s.io/provisioner-secret-name': SECRET.name,
    'csi.storage.k8s.io/provisioner-secret-namespace': SECRET.namespace,
  }
  await createClass(api, { parameters })
  const complete = { ...DEFAULTS, ...config }
  const process = await simulation.startProcess('provisioner', (world) =>
    replicas > 0
      ? runReplica(world, 'host-1', script, complete)
      : Promise.resolve(runProvisioner(world, script, complete)),
  )
  const processes = [process]
  for (let host = 2; host <= replicas; host++)
    processes.push(
      await simulation.startProcess(`replica-${host}`, (world) => runReplica(world, `host-${host}`, script, complete)),
    )
  await simulation.settled()
  return { simulation, processes, process, script, api, violations }
}

export function runProvisioner(world: ProcessWorld, script: ScriptedDriver, config: ProvisionerConfig): ProcessBody {
  const { clock, random } = world
  const log = createSilentLogger()
  const api = world.api()
  const driver = world.driver({ current: () => script.driver, restart: () => Promise.resolve() })
  const informers = createInformers({ api, clock, random, log })
  const events = createEventRecorder({ api, clock, log, component: 'provisioner' })
  return runPart(world, async () => {
    const facts = await discoverDriver(driver, { clock, log, path: '/csi.sock', timeoutMs: 10_000 })
    const parts = { api, driver, clock, random, log, informers, events, facts, place: PLACE }
    return startProvisioner(config, parts, new AbortController().signal)
  })
}

/**
 * The provisioner as a replica of a deployment: it works while it leads, is fenced off when it does not, and starts again with its existing caches
 * whenever the driver was restarted.
 */
export async function runReplica(
  world: ProcessWorld,
  hostname: string,
  script: ScriptedDriver,
  config: ProvisionerConfig,
): Promise<ProcessBody> {
  const { clock, random, life } = world
  const log = createSilentLogger()
  const api = world.api()
  let session = new AbortController()
  const loseDriver = (): Promise<void> => {
    session.abort(new Error('the connection to the driver is lost'))
    return Promise.resolve()
  }
  const driver = world.driver({ current: () => script.driver, restart: loseDriver })
  const informers = createInformers({ api, clock, random, log })
  const events = createEventRecorder({ api, clock, log, component: 'provisioner' })
  let running: RunningRole | undefined
  let supervised: SupervisedRole | undefined

  const campaign = () =>
    startLeaderElection({ api, clock, random, log, namespace: PLACE.namespace, name: DRIVER, identity: hostname })
  const serve = async (signal: AbortSignal): Promise<void> => {
    const facts = await discoverDriver(driver, { clock, log, path: '/csi.sock', timeoutMs: 10_000, signal })
    supervised = superviseRole({
      name: 'provisioner',
      leadership: { kind: 'own', campaign },
      onState: ({ kind }) => (running = kind === 'working' ? running : undefined),
      start: async (ending, fence) => {
        const parts = {
          api: fenceApi(api, fence),
          driver: fenceDriver(driver, fence),
          clock,
          random,
          log,
          informers,
          events,
          facts,
          place: { ...PLACE, hostname },
        }
        const role = await startProvisioner(config, parts, ending)
        running = role
        return role
      },
      clock,
      random,
      log,
    })
    await untilAborted(signal)
    await supervised.stop()
  }
  const follow = async (): Promise<void> => {
    while (!life.isOver()) {
      session = new AbortController()
      await serve(session.signal).catch(() => {})
      if (!life.isOver()) await sleep(clock, 1000)
    }
  }
  void follow()
  // Starting and stopping proceed by themselves, or with time.
  return { isIdle: () => running?.isIdle() ?? true, stop: async () => await supervised?.stop() }
}

/** One turn of the binder: binds matching claims and volumes, releases volumes, and removes the protection of claims that are being deleted. */
export async function bindAndRelease(api: Api): Promise<void> {
  const claims = new Map((await api.list(PERSISTENT_VOLUME_CLAIMS)).items.map((claim) => [claim.metadata.uid, claim]))
  for (const volume of (await api.list(PERSISTENT_VOLUMES)).items) {
    const claim = claims.get(volume.spec.claimRef?.uid)
    if (claim && volume.status?.phase === 'Pending' && !volume.metadata.deletionTimestamp)
      await bind(api, claim).catch(ignoreRace)
    if (!claim && volume.status?.phase !== 'Released')
      await releaseVolume(api, volume.metadata.name ?? '').catch(ignoreRace)
  }
}

/** The driver has exactly the volumes of the API, whichever process was killed. */
export async function assertNothingLeaked({
  api,
  script,
  simulation,
  processes,
  violations,
}: CrashWorld): Promise<void> {
  const story = (): string => `\n${simulation.transcript.text()}`
  const known = (await api.list(PERSISTENT_VOLUMES)).items.map(({ spec }) => spec.csi?.volumeHandle ?? '')
  deepEqual([...script.volumes.values()].sort(), known.sort(), `the driver has other volumes than the API${story()}`)
  deepEqual(violations, [], story())
  // A call of a replica that no longer leads may still be running.
  ok(script.mostAtOnce <= processes.length, `two calls at once${story()}`)
}

export type ProvisionCrash = Crash & {
  phase: 'provision' | 'delete'
  meanwhile: 'nothing' | 'delete claim' | 'slow driver'
}

/** Kills the provisioner at one call since the start of a phase; false if it makes fewer calls. */
export async function runCrash(
  { phase, at, when, meanwhile }: ProvisionCrash,
  config: Partial<ProvisionerConfig> = {},
): Promise<boolean> {
  const world = await openCrashWorld({ seed: 1 }, config)
  const { simulation, process, api, script } = world
  let killed = false
  const goOn = async (byMs: number): Promise<void> => {
    await simulation.advance(byMs)
    if (!process.isRunning()) {
      killed = true
      await process.restart()
      await simulation.advance(byMs)
    }
    await bindAndRelease(api)
    await simulation.settled()
  }
  try {
    if (meanwhile === 'slow driver') slowDown(script, simulation)
    if (phase === 'provision') process.killAtCall(at, when)
    const claim = await createClaim(api)
    await simulation.settled()
    if (meanwhile === 'delete claim' && phase === 'provision') await deleteClaim(api)
    for (let turn = 0; turn < 6; turn++) await goOn(turn * 5000)
    await assertNothingLeaked(world)
    const isWanted = phase === 'delete' || meanwhile !== 'delete claim'
    equal(
      script.volumes.size,
      isWanted ? 1 : 0,
      `${isWanted ? 'no volume was made' : 'a volume is left'}\n${simulation.transcript.text()}`,
    )

    if (phase === 'delete') process.killAtCall(at, when)
    if (isWanted) await deleteClaim(api)
    for (let turn = 0; turn < 6; turn++) await goOn(turn * 5000)
    await assertNothingLeaked(world)
    equal(script.volumes.size, 0, `a volume is left\n${simulation.transcript.text()}`)
    deepEqual(
      (await api.list(PERSISTENT_VOLUMES)).items.map(({ metadata }) => metadata.name),
      [],
      `${volumeOf(claim)} is left`,
    )
    return killed
  } finally {
    await simulation.stop()
  }
}

/** The driver completes each request, but the first time responds only after the caller has timed out. */
function slowDown(script: ScriptedDriver, { clock }: Simulation): void {
  const { create } = script
  let isFirst = true
  script.create = async (request, call) => {
    const answer = await create(request, call)
    if (isFirst) {
      isFirst = false
      await sleep(clock, 30_000, call.signal).catch(() => {})
    }
    return answer
  }
}

/** One test for each call at which the provisioner can be killed. */
export function describeCrashes(): void {
  const rows: [phase: ProvisionCrash['phase'], meanwhile: ProvisionCrash['meanwhile']][] = [
    ['provision', 'nothing'],
    ['provision', 'delete claim'],
    ['provision', 'slow driver'],
    ['delete', 'nothing'],
  ]
  for (const [phase, meanwhile] of rows) {
    test(`S3-40, S3-59, S3-65, S3-160: killed before and after each call of ${phase === 'delete' ? 'deleting' : 'provisioning'} and started again, it leaks nothing (meanwhile: ${meanwhile})`, () =>
      // Secret, journal, call and object, or secret, call, deletion and finalizer: otherwise nothing was tested.
      crashAtEachCall((crash) => runCrash({ phase, meanwhile, ...crash }), 4))
  }
  test('without the journal the same crash leaves a volume behind: these tests can tell', async () => {
    const crash: ProvisionCrash = { phase: 'provision', at: 2, when: 'after', meanwhile: 'delete claim' }
    await rejects(runCrash(crash, { journal: 'off' }), /the driver has other volumes than the API/)
  })
}
