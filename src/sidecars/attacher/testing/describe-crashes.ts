import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { ignoreNotFound } from '../../../api/api-error.ts'
import type { Api } from '../../../api/api.ts'
import { hasFinalizer } from '../../../api/finalizers.ts'
import { PERSISTENT_VOLUMES } from '../../../api/kinds/persistent-volume.ts'
import { SECRETS } from '../../../api/kinds/secret.ts'
import { VOLUME_ATTACHMENTS } from '../../../api/kinds/volume-attachment.ts'
import type { VolumeAttachment } from '../../../api/kinds/volume-attachment.ts'
import { createSilentLogger } from '../../../base/logger.ts'
import { crashAtEachCall, runPart, startSimulation } from '../../../testing/index.ts'
import type {
  Crash,
  ProcessBody,
  ProcessWorld,
  SimulatedProcess,
  Simulation,
  SimulationOptions,
} from '../../../testing/index.ts'
import { createEventRecorder } from '../../../kube/controller/event-recorder.ts'
import { createInformers } from '../../../kube/cache/informers.ts'
import { discoverDriver } from '../../discover-driver.ts'
import type { AttacherConfig } from '../attacher-options.ts'
import {
  createAttachment,
  createScriptedDriver,
  createVolume,
  DEFAULTS,
  deleteAttachment,
  FINALIZER,
  registerNode,
} from './describe-attacher.ts'
import type { ScriptedDriver } from './describe-attacher.ts'
import { startAttacher } from '../start-attacher.ts'

/** The attacher as a process that can be killed, with a driver whose state survives. */
export type CrashWorld = { simulation: Simulation; process: SimulatedProcess; script: ScriptedDriver; api: Api }

export async function openCrashWorld(
  options: SimulationOptions,
  config: Partial<AttacherConfig> = {},
): Promise<CrashWorld> {
  const simulation = await startSimulation(options)
  const { api, clock } = simulation
  const published = (): object[] =>
    [...script.published].map((pair) => {
      const [volumeId, nodeId = ''] = pair.split(' ')
      return { volume: { volumeId, capacityBytes: 1n }, status: { publishedNodeIds: [nodeId] } }
    })
  const script = createScriptedDriver(clock, {
    features: { publishedNodes: true },
    more: { listVolumes: () => Promise.resolve({ entries: published() }) },
  })
  const { publish } = script
  // Intent before effect: everything that the driver publishes can be found again.
  script.publish = async (request, call) => {
    const claimed = (await api.list(VOLUME_ATTACHMENTS)).items.filter(
      (attachment) => hasFinalizer(attachment, FINALIZER) && nodeIdOf(attachment) === request.nodeId,
    )
    const names = claimed
      .map(({ spec }) => spec.source.persistentVolumeName ?? '')
      .filter((name) => `handle-${name}` === request.volumeId)
    ok(names.length > 0, `published without a claimed attachment: ${request.volumeId} ${request.nodeId}`)
    for (const name of names)
      ok(
        hasFinalizer(await api.get(PERSISTENT_VOLUMES, { name }), FINALIZER),
        `published while volume ${name} is not held`,
      )
    return publish(request, call)
  }
  for (const node of ['1', '2']) await registerNode(api, `node-${node}`, `id-${node}`)
  const process = await simulation.startProcess('attacher', (world) =>
    Promise.resolve(runAttacher(world, script, { ...DEFAULTS, ...config })),
  )
  await simulation.settled()
  return { simulation, process, script, api }
}

const nodeIdOf = ({ metadata }: VolumeAttachment): string | undefined =>
  metadata.annotations?.['csi.alpha.kubernetes.io/node-id']

function runAttacher(world: ProcessWorld, script: ScriptedDriver, config: AttacherConfig): ProcessBody {
  const { clock, random } = world
  const log = createSilentLogger()
  const api = world.api()
  const driver = world.driver({ current: () => script.driver, restart: () => Promise.resolve() })
  const informers = createInformers({ api, clock, random, log })
  const events = createEventRecorder({ api, clock, log, component: 'attacher' })
  return runPart(world, async () => {
    const facts = await discoverDriver(driver, { clock, log, path: '/csi.sock', timeoutMs: 15_000 })
    const parts = { api, driver, clock, random, log, informers, events, facts }
    return startAttacher(config, parts, new AbortController().signal)
  })
}

/** Driver and API agree, and no finalizer is left that is not needed. */
export async function assertConsistent({ api, script, simulation }: CrashWorld): Promise<void> {
  const { items } = await api.list(VOLUME_ATTACHMENTS)
  const transcript = (): string => `\n${simulation.transcript.text()}`
  const wanted = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  deepEqual(
    items.filter(({ metadata }) => metadata.deletionTimestamp).map(({ metadata }) => metadata.name),
    [],
    `attachments that should be gone${transcript()}`,
  )
  const pairs = wanted
    .filter(({ status }) => status?.attached)
    .map((attachment) => `handle-${attachment.spec.source.persistentVolumeName} ${nodeIdOf(attachment)}`)
  deepEqual(
    [...script.published].sort(),
    [...new Set(pairs)].sort(),
    `published is what is said to be attached${transcript()}`,
  )
  for (const attachment of wanted) {
    if (attachment.status?.attached)
      ok(hasFinalizer(attachment, FINALIZER), `attached without a finalizer${transcript()}`)
  }
}

export type AttachCrash = Crash & {
  phase: 'attach' | 'detach'
  meanwhile: 'nothing' | 'delete' | 'delete volume too'
}

/** Kills the attacher at one call since the start of a phase; false if it makes fewer calls. */
export async function runCrash({ phase, at, when, meanwhile }: AttachCrash): Promise<boolean> {
  const world = await openCrashWorld({ seed: 1 })
  const { simulation, process, api, script } = world
  try {
    await createVolume(api, 'v1', { controllerPublishSecretRef: { namespace: 'default', name: 'pass' } })
    await api.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'default', name: 'pass' },
      stringData: { key: 'open sesame' },
    })
    await simulation.settled()
    if (phase === 'attach') process.killAtCall(at, when)
    await createAttachment(api)
    await simulation.settled()
    if (phase === 'detach') {
      process.killAtCall(at, when)
      await deleteAttachment(api)
      await simulation.settled()
    }
    let killed = false
    const goOn = async (byMs: number): Promise<void> => {
      await simulation.advance(byMs)
      if (process.isRunning()) return
      killed = true
      await process.restart()
      await simulation.advance(byMs)
    }
    if (meanwhile !== 'nothing') await deleteAttachment(api).catch(ignoreNotFound)
    if (meanwhile === 'delete volume too') await api.delete(PERSISTENT_VOLUMES, { name: 'v1' })
    await goOn(0)
    // Long enough for a retry and a comparison with the driver's list.
    await goOn(90_000)
    await assertConsistent(world)
    const expectsAttached = phase === 'attach' && meanwhile === 'nothing'
    equal(script.published.size, expectsAttached ? 1 : 0, simulation.transcript.text())
    equal((await api.list(VOLUME_ATTACHMENTS)).items.length, expectsAttached ? 1 : 0)

    if (expectsAttached) await deleteAttachment(api)
    await goOn(0)
    await goOn(90_000)
    await assertConsistent(world)
    equal(script.published.size, 0)
    const volume = await api.get(PERSISTENT_VOLUMES, { name: 'v1' }).catch(ignoreNotFound)
    equal(
      volume ? hasFinalizer(volume, FINALIZER) : false,
      false,
      `the volume keeps our finalizer\n${simulation.transcript.text()}`,
    )
    // The other controller that protects volumes from deletion is not part of this test.
    if (meanwhile === 'delete volume too')
      deepEqual(volume?.metadata.finalizers ?? ['kubernetes.io/pv-protection'], ['kubernetes.io/pv-protection'])
    return killed
  } finally {
    await simulation.stop()
  }
}

/** One test for each call at which the attacher can be killed. */
export function describeCrashes(): void {
  for (const phase of ['attach', 'detach'] as const) {
    for (const meanwhile of ['nothing', 'delete', 'delete volume too'] as const) {
      test(`S3-73, S3-74: killed before and after each call of ${phase}ing and started again, it leaks nothing (meanwhile: ${meanwhile})`, () =>
        crashAtEachCall((crash) => runCrash({ phase, meanwhile, ...crash }), 3))
    }
  }
}
