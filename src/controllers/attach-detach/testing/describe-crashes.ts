import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { ignoreNotFound } from '../../../api/api-error.ts'
import type { Api } from '../../../api/api.ts'
import { hasFinalizer } from '../../../api/finalizers.ts'
import { NODES } from '../../../api/kinds/node.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { VOLUME_ATTACHMENTS } from '../../../api/kinds/volume-attachment.ts'
import type { VolumeAttachment } from '../../../api/kinds/volume-attachment.ts'
import type { Patch } from '../../../api/api.ts'
import { keyOf } from '../../../api/object-key.ts'
import { createSilentLogger } from '../../../base/logger.ts'
import type { Logger } from '../../../base/logger.ts'
import { crashAtEachCall, startSimulation } from '../../../testing/index.ts'
import type {
  Crash,
  ProcessBody,
  ProcessWorld,
  SimulatedProcess,
  Simulation,
  SimulationOptions,
} from '../../../testing/index.ts'
import { after, DONE } from '../../../kube/controller/work-queue.ts'
import { playPart } from '../../../testing/play-part.ts'
import { createEventRecorder } from '../../../kube/controller/event-recorder.ts'
import { createInformers } from '../../../kube/cache/informers.ts'
import { createWorkQueue } from '../../../kube/controller/work-queue.ts'
import type { RunningRole } from '../../../kube/process/running-role.ts'
import {
  createBound,
  createNode,
  createPod,
  DEFAULTS,
  deletePod,
  FINALIZER,
  nameOf,
  uniqueNameOf,
} from './describe-attach-detach.ts'
import { startAttachDetach } from '../start-attach-detach.ts'

export const NODE_NAMES = ['node-1', 'node-2', 'node-3']
// No call is in progress for longer than this when its process is killed; a successor waits as long, as with a lease.
const TAKEOVER_MS = 1000

/** The controller as a process that can be killed, with an attacher and nodes that are also processes, and a record of the real state. */
export type CrashWorld = {
  readonly simulation: Simulation
  readonly api: Api
  readonly controller: SimulatedProcess
  readonly attacher: SimulatedProcess
  readonly nodes: ReadonlyMap<string, SimulatedProcess>
  readonly backend: Backend
}

export type Backend = {
  /** `v1 node-1`: the real state of storage and machines. */
  readonly published: Set<string>
  readonly mounted: Set<string>
  /** Detached from a node that may be using it. */
  readonly forced: Set<string>
  /** The rate at which an attacher's attempts fail, from 0 to 1. */
  failing: number
  /** Violations of invariants. */
  readonly problems: string[]
}

export type CrashWorldOptions = SimulationOptions & {
  /** Volumes that may be on several nodes. */
  readonly shared?: readonly string[]
  /** Nodes without delays or faults on their path to the API, which therefore win every race. */
  readonly swiftNodes?: boolean
}

export async function openCrashWorld({
  shared = [],
  swiftNodes = false,
  ...options
}: CrashWorldOptions): Promise<CrashWorld> {
  const simulation = await startSimulation(options)
  const { api } = simulation
  const backend: Backend = { published: new Set(), mounted: new Set(), forced: new Set(), failing: 0, problems: [] }
  for (const name of NODE_NAMES) await createNode(api, name)
  const controller = await simulation.startProcess('controller', (world) => runController(world, backend))
  const attacher = await simulation.startProcess('attacher', (world) => runAttacher(world, backend, shared))
  const nodes = new Map<string, SimulatedProcess>()
  for (const name of NODE_NAMES)
    nodes.set(
      name,
      await simulation.startProcess(name, (world) => runNode(world, name, backend, swiftNodes ? api : world.api())),
    )
  await simulation.settled()
  return { simulation, api, controller, attacher, nodes, backend }
}

export async function takeOver({ simulation }: CrashWorld, process: SimulatedProcess): Promise<void> {
  process.kill()
  await simulation.advance(TAKEOVER_MS)
  await process.restart()
}

// Time has to advance while it starts, so starting is part of its run.
async function runController(world: ProcessWorld, backend: Backend): Promise<ProcessBody> {
  const { clock, random, life } = world
  const api = world.api()
  const log = listenForForced(backend)
  const informers = createInformers({ api, clock, random, log })
  const events = createEventRecorder({ api, clock, log, component: 'attachdetach-controller' })
  let controller: RunningRole | undefined
  void startAttachDetach(DEFAULTS, { api, informers, events, clock, random, log }, new AbortController().signal).then(
    (started) => (controller = started),
    (error: unknown) =>
      life.isOver() ? undefined : backend.problems.push(`the controller did not start: ${String(error)}`),
  )
  return { isIdle: () => controller?.isIdle() ?? false, stop: async () => await controller?.stop() }
}

function listenForForced(backend: Backend): Logger {
  const silent = createSilentLogger()
  const listening: Logger = {
    ...silent,
    with: () => listening,
    warn: (message, { volume, node } = {}) => {
      if (message === 'volume is taken from a node that may still use it')
        backend.forced.add(`${String(volume).replace(/^.*handle-/, '')} ${String(node)}`)
    },
  }
  return listening
}

export const claimsOf = ({ spec }: Pick<Pod, 'spec'>): string[] =>
  (spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [])

const pairOf = ({ spec }: VolumeAttachment): string => `${spec.source.persistentVolumeName} ${spec.nodeName}`

/** Publishes and unpublishes, with failures; checks that no volume is published twice, and none is removed while mounted. */
async function runAttacher(
  { clock, random, api: open }: ProcessWorld,
  backend: Backend,
  shared: readonly string[],
): Promise<ProcessBody> {
  const api = open()
  const log = createSilentLogger()
  const informers = createInformers({ api, clock, random, log })
  const attachments = informers.get(VOLUME_ATTACHMENTS)
  const queue = createWorkQueue({ clock, random, backoff: { initialMs: 500, maximumMs: 10_000 } })
  attachments.onChange(({ key }) => queue.add(key))
  const patch = (attachment: VolumeAttachment, value: object, subresource?: string): Promise<unknown> => {
    const { uid, name = '' } = attachment.metadata
    const merge: Patch = { type: 'merge', value: { metadata: { uid }, ...value } }
    return api.patch(VOLUME_ATTACHMENTS, { name }, merge, subresource ? { subresource } : {})
  }
  const publish = (pair: string): void => {
    const [volume = ''] = pair.split(' ')
    const others = [...backend.published].filter((other) => other !== pair && other.startsWith(`${volume} `))
    if (others.length > 0 && !shared.includes(volume))
      backend.problems.push(`${pair} is published although ${others.join()} is`)
    backend.published.add(pair)
    backend.forced.delete(pair)
  }
  const unpublish = (pair: string): void => {
    if (backend.mounted.has(pair) && !backend.forced.has(pair))
      backend.problems.push(`${pair} is unpublished under a mount`)
    backend.published.delete(pair)
  }
  const reconcile = async (key: string) => {
    // Uses the current state: how an attacher handles a stale view is not tested here.
    const attachment = await api.get(VOLUME_ATTACHMENTS, { name: key }).catch(ignoreNotFound)
    if (!attachment) return DONE
    const pair = pairOf(attachment)
    const isLeaving = attachment.metadata.deletionTimestamp !== undefined
    const fails = random.fraction() < backend.failing
    if (isLeaving && hasFinalizer(attachment, FINALIZER)) {
      if (!fails) unpublish(pair)
      if (fails)
        await patch(
          attachment,
          { status: { attached: attachment.status?.attached ?? false, detachError: { message: 'simulated' } } },
          'status',
        )
      else await patch(attachment, { metadata: { uid: attachment.metadata.uid, finalizers: null } })
    } else if (!isLeaving && !attachment.status?.attached) {
      if (!hasFinalizer(attachment, FINALIZER))
        await patch(attachment, { metadata: { uid: attachment.metadata.uid, finalizers: [FINALIZER] } })
      if (!fails) publish(pair)
      await patch(
        attachment,
        {
          status: fails
            ? { attached: false, attachError: { message: 'simulated' } }
            : { attached: true, attachError: null },
        },
        'status',
      )
    }
    return fails ? after(2000) : DONE
  }
  const controller = playPart(queue, reconcile)
  return { isIdle: () => queue.depth() === 0, stop: () => controller.stop() }
}

/** The node's part of the protocol: it records the volumes that it needs before it checks whether it may mount. */
async function runNode(
  { clock, random }: ProcessWorld,
  nodeName: string,
  backend: Backend,
  api: Api,
): Promise<ProcessBody> {
  const log = createSilentLogger()
  const informers = createInformers({ api, clock, random, log })
  const pods = informers.get(PODS, { fieldSelector: `spec.nodeName=${nodeName}` })
  const nodes = informers.get(NODES, { fieldSelector: `metadata.name=${nodeName}` })
  const queue = createWorkQueue({ clock, random, backoff: { initialMs: 100, maximumMs: 2000 } })
  pods.onChange(() => queue.add(nodeName))
  nodes.onChange(() => queue.add(nodeName))
  let reported: string | undefined
  const report = async (volumes: readonly string[]): Promise<void> => {
    const volumesInUse = volumes.toSorted().map(uniqueNameOf)
    if (reported === volumesInUse.join()) return
    reported = undefined
    await api.patch(
      NODES,
      { name: nodeName },
      { type: 'merge', value: { status: { volumesInUse } } },
      { subresource: 'status' },
    )
    reported = volumesInUse.join()
  }
  const mountedHere = (): string[] =>
    [...backend.mounted].filter((pair) => pair.endsWith(` ${nodeName}`)).map((pair) => pair.split(' ')[0] ?? '')
  const reconcile = async () => {
    if (!pods.isSynced() || !nodes.isSynced()) return after(100)
    const wanted = [...new Set([...pods.all()].flatMap(claimsOf))]
    for (const volume of mountedHere()) if (!wanted.includes(volume)) backend.mounted.delete(`${volume} ${nodeName}`)
    await report(wanted)
    const missing = wanted.filter((volume) => !backend.mounted.has(`${volume} ${nodeName}`))
    for (const volume of missing) await mount(volume)
    return missing.length > 0 ? after(1000) : DONE
  }
  const mount = async (volume: string): Promise<void> => {
    const { status } = await api.get(NODES, { name: nodeName })
    if (!status?.volumesAttached?.some(({ name }) => name === uniqueNameOf(volume))) return
    const attachment = await api.get(VOLUME_ATTACHMENTS, { name: nameOf(volume, nodeName) }).catch(ignoreNotFound)
    if (!attachment?.status?.attached || attachment.metadata.deletionTimestamp) return
    const pair = `${volume} ${nodeName}`
    if (!backend.published.has(pair)) backend.problems.push(`${pair} is mounted although it is not published`)
    backend.mounted.add(pair)
  }
  const controller = playPart(queue, reconcile)
  return { isIdle: () => queue.depth() === 0, stop: () => controller.stop() }
}

/** API, storage and nodes agree: exactly the volumes that pods need. */
export async function assertConsistent({ api, backend, simulation }: CrashWorld): Promise<void> {
  const story = (what: string): string => `${what}\n${simulation.transcript.text()}`
  deepEqual(backend.problems, [], story('what must not happen'))
  const pods = (await api.list(PODS)).items
  const wanted = [
    ...new Set(pods.flatMap(({ spec }) => claimsOf({ spec }).map((claim) => `${claim} ${spec.nodeName}`))),
  ].sort()
  const attachments = (await api.list(VOLUME_ATTACHMENTS)).items
  deepEqual(attachments.map(pairOf).sort(), wanted, story(`attachments; pods are ${pods.map(keyOf).join()}`))
  deepEqual(
    attachments.filter(({ status, metadata }) => !status?.attached || metadata.deletionTimestamp).map(pairOf),
    [],
    story('attachments that are not attached'),
  )
  const reported = (await api.list(NODES)).items.flatMap(({ metadata, status }) =>
    (status?.volumesAttached ?? []).map(({ name }) => `${name.replace(/^.*handle-/, '')} ${metadata.name}`),
  )
  deepEqual(reported.sort(), wanted, story('what nodes are told'))
  deepEqual([...backend.published].sort(), wanted, story('published'))
  deepEqual([...backend.mounted].sort(), wanted, story('mounted'))
}

const PHASES = ['attach', 'detach', 'move'] as const

/** Kills the controller at one call since the start of a phase; false if it makes fewer calls. */
async function runCrash({ phase, at, when }: Crash & { phase: (typeof PHASES)[number] }): Promise<boolean> {
  const world = await openCrashWorld({ seed: 1 })
  const { simulation, controller, api } = world
  try {
    await createBound(api, 'v1')
    await createBound(api, 'v2')
    if (phase !== 'attach') {
      await createPod(api, 'web', { node: 'node-1', claims: ['v1', 'v2'] })
      await simulation.advance(5000)
      await assertConsistent(world)
    }
    controller.killAtCall(at, when)
    if (phase !== 'attach') await deletePod(api, 'web')
    if (phase !== 'detach') await createPod(api, 'web', { node: 'node-2', claims: ['v1', 'v2'] })
    await simulation.advance(5000)
    const killed = !controller.isRunning()
    if (killed) await takeOver(world, controller)
    await simulation.advance(60_000)
    await assertConsistent(world)
    return killed
  } finally {
    await simulation.stop()
  }
}

/** One test for each call at which the controller can be killed. */
export function describeCrashes(): void {
  for (const phase of PHASES) {
    test(`S3-111: killed before and after each call of a ${phase} and started again, it leaks nothing`, () =>
      // At least two attachments and one status: otherwise nothing was tested.
      crashAtEachCall((crash) => runCrash({ phase, ...crash }), 3))
  }
}
