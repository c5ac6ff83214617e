import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { NODES } from '../../../api/kinds/node.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import { VOLUME_ATTACHMENTS } from '../../../api/kinds/volume-attachment.ts'
import type { Random } from '../../../base/random.ts'
import { forEachSeed, ignoreRefusal, makeChange, pick, runRounds, SOME_API_FAULTS } from '../../../testing/index.ts'
import type { ApiFaults, UserChange } from '../../../testing/index.ts'
import { createBound, createNode, createPod, deletePod, nameOf, setReady } from './describe-attach-detach.ts'
import { assertConsistent, claimsOf, NODE_NAMES, openCrashWorld, takeOver } from './describe-crashes.ts'
import type { CrashWorld } from './describe-crashes.ts'

const ROUNDS = 16
const VOLUMES = ['v1', 'v2', 'v3']
// The only volume that may be on several nodes.
const SHARED = ['v3']
const POD_NAMES = ['a', 'b', 'c', 'd']
const TAINT = { key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }

export function describeSeeds(seeds: readonly number[]): void {
  test('S3-111, S3-119, S3-125, H31: whatever fails and whoever dies, no volume is on two nodes, none is taken from under a mount, and all ends as pods want it', () =>
    forEachSeed(seeds, async (seed) => void (await runSeed(seed))))
  test('a volume whose pod comes and goes faster than anybody can follow is never taken from under a mount, nor on two nodes', () =>
    forEachSeed(seeds, runHaste))
}

// Slow enough that much happens between a decision and its effect, and before it is visible.
const SLOW: ApiFaults = {
  ...SOME_API_FAULTS,
  delay: 0.8,
  watchDelay: 0.6,
  lostReply: 0.1,
  serverError: 0.05,
  conflict: 0.01,
  watchCut: 0.005,
  watchExpired: 0.005,
}
const BOUNCES = 40

/** One pod that is replaced repeatedly, usually on the same node: a stress test of the protocol between node and controller. */
async function runHaste(seed: number): Promise<void> {
  const world = await openCrashWorld({ seed, apiFaults: SLOW, swiftNodes: true })
  const { simulation, api, backend } = world
  const { random, transcript, clock } = simulation
  try {
    await createBound(api, 'v1')
    let node = 'node-1'
    for (let bounce = 0; bounce < BOUNCES; bounce++) {
      if (random.fraction() < 0.2) node = node === 'node-1' ? 'node-2' : 'node-1'
      transcript.add('user', `makes the pod on ${node}`)
      await createPod(api, 'web', { node, claims: ['v1'] })
      await clock.advance(random.below(6000))
      transcript.add('user', 'deletes the pod')
      await deletePod(api, 'web')
      await clock.advance(random.below(2500))
      deepEqual(backend.problems, [], `what must not happen\n${transcript.text()}`)
    }
    for (let minute = 0; minute < 5; minute++) await simulation.advance(60_000)
    await assertConsistent(world)
  } finally {
    await simulation.stop()
  }
}

/**
 * Pods are created, deleted and moved, nodes die and return, attachers fail, processes are killed and the API has faults. Everything must be
 * consistent in the end.
 */
export async function runSeed(seed: number): Promise<string> {
  const world = await openCrashWorld({ seed, apiFaults: SOME_API_FAULTS, shared: SHARED })
  const { simulation, api, controller, attacher, nodes, backend } = world
  const { random, transcript } = simulation
  try {
    for (const name of VOLUMES)
      await createBound(api, name, { accessModes: [SHARED.includes(name) ? 'ReadWriteMany' : 'ReadWriteOnce'] })
    const { clock } = simulation
    await runRounds(simulation, [controller, attacher], {
      rounds: ROUNDS,
      change: async () => {
        await makeChange(world, changesFor(random), simulation)
        // While the effects of the previous action are still in progress.
        await clock.advance(random.below(400))
      },
      changes: { least: 1, most: 6 },
      mostCalls: 10,
      pauseMs: { usual: 5000, long: 400_000 },
      afterPause: () => {
        backend.failing = random.fraction() < 0.4 ? 0.5 : 0
        deepEqual(backend.problems, [], `what must not happen\n${transcript.text()}`)
        return Promise.resolve()
      },
      restart: (process) => takeOver(world, process),
    })
    backend.failing = 0
    for (const name of NODE_NAMES) await revive(world, name).catch(ignoreRefusal)
    await keepOneNode(api)
    for (let minute = 0; minute < 15; minute++) await simulation.advance(60_000)
    await assertConsistent(world)
    for (const { metadata } of (await api.list(PODS)).items) await deletePod(api, metadata.name ?? '')
    for (let minute = 0; minute < 10; minute++) await simulation.advance(60_000)
    await assertConsistent(world)
    for (const process of nodes.values()) process.kill()
    return transcript.text()
  } finally {
    await simulation.stop()
  }
}

function changesFor(random: Random): UserChange<CrashWorld>[] {
  const volume = pick(random, VOLUMES)
  const node = pick(random, NODE_NAMES)
  const pod = pick(random, POD_NAMES)
  const claims = random.fraction() < 0.3 ? VOLUMES.slice(0, 2) : [volume]
  return [
    [
      6,
      {
        what: `makes ${pod} on ${node} with ${claims.join()}`,
        make: ({ api }) => createPod(api, pod, { node, claims }),
      },
    ],
    [4, { what: `deletes ${pod}`, make: ({ api }) => deletePod(api, pod) }],
    [5, { what: `moves ${pod} to ${node}`, make: ({ api }) => move(api, pod, node) }],
    [6, { what: `replaces ${pod} where it is`, make: (world) => replace(world, pod) }],
    [1, { what: `ends ${node}`, make: (world) => die(world, node) }],
    [
      1,
      {
        what: `takes ${node} out of service`,
        make: async (world) => (await die(world, node), setTaints(world.api, node, [TAINT])),
      },
    ],
    [2, { what: `revives ${node}`, make: (world) => revive(world, node) }],
    [1, { what: `restarts the agent of ${node}`, make: (world) => restartAgent(world, node) }],
    [
      1,
      {
        what: `deletes node ${node}`,
        make: async (world) => (await die(world, node), world.api.delete(NODES, { name: node })),
      },
    ],
    [
      1,
      {
        what: `deletes the attachment of ${volume} to ${node}`,
        make: (world) => deleteAttachment(world, volume, node),
      },
    ],
  ]
}

async function move(api: Api, name: string, node: string): Promise<void> {
  const { spec } = await api.get(PODS, { namespace: 'default', name })
  await deletePod(api, name)
  await createPod(api, name, { node, claims: claimsOf({ spec }) })
}

/** With a pause in between, in which its volumes begin to be detached. */
async function replace({ api, simulation }: CrashWorld, name: string): Promise<void> {
  const { spec } = await api.get(PODS, { namespace: 'default', name })
  await deletePod(api, name)
  await simulation.clock.advance(simulation.random.below(1500))
  await createPod(api, name, { node: spec.nodeName ?? '', claims: claimsOf({ spec }) })
}

/** The machine is gone with all its mounts; the rest of the cluster notices later. */
async function die({ nodes, backend, api }: CrashWorld, node: string): Promise<void> {
  nodes.get(node)?.kill()
  for (const pair of backend.mounted) if (pair.endsWith(` ${node}`)) backend.mounted.delete(pair)
  await setReady(api, node, false)
}

async function revive(world: CrashWorld, node: string): Promise<void> {
  const { nodes, api, simulation } = world
  const process = nodes.get(node)
  await createNode(api, node).catch(ignoreRefusal)
  await setTaints(api, node, [])
  await setReady(api, node, true)
  if (process?.isRunning()) return
  await simulation.advance(1000)
  await process?.restart()
}

/** Mounts stay. */
async function restartAgent(world: CrashWorld, node: string): Promise<void> {
  const process = world.nodes.get(node)
  if (process?.isRunning()) await takeOver(world, process)
}

const setTaints = (api: Api, name: string, taints: readonly (typeof TAINT)[]): Promise<unknown> =>
  api.patch(NODES, { name }, { type: 'merge', value: { spec: { taints } } })

// A user may do that, and is responsible for the effect on a running pod.
async function deleteAttachment({ api, backend }: CrashWorld, volume: string, node: string): Promise<void> {
  backend.forced.add(`${volume} ${node}`)
  await api.delete(VOLUME_ATTACHMENTS, { name: nameOf(volume, node) })
}

/** If pods on several nodes need the same exclusive volume, only those of one node are kept. */
async function keepOneNode(api: Api): Promise<void> {
  const takenBy = new Map<string, string>()
  for (const { metadata, spec } of (await api.list(PODS)).items) {
    const exclusive = claimsOf({ spec }).filter((claim) => !SHARED.includes(claim))
    if (exclusive.some((claim) => (takenBy.get(claim) ?? spec.nodeName) !== spec.nodeName))
      await deletePod(api, metadata.name ?? '')
    else for (const claim of exclusive) takenBy.set(claim, spec.nodeName ?? '')
  }
}
