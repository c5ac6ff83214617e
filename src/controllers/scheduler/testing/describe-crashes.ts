import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { ignoreRace } from '../../../api/api-error.ts'
import type { Api } from '../../../api/api.ts'
import { CSI_NODES } from '../../../api/kinds/csi-node.ts'
import { NODES } from '../../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../../api/kinds/persistent-volume.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { STORAGE_CLASSES } from '../../../api/kinds/storage-class.ts'
import { matchesNodeSelector } from '../../../api/node-selector.ts'
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
import { NO_PROVISIONER, selectedNodeOf } from '../../../storage/names.ts'
import { createWithStatus, podOf, volumeOf } from '../../../testing/objects.ts'
import {
  bindClaim,
  clusterOf,
  createNodes,
  DEFAULTS,
  inZone,
  lateClaim,
  lateClass,
  provision,
  refuse,
} from './describe-scheduler.ts'
import { nextPlacementStep } from '../next-placement-step.ts'
import { startScheduler } from '../start-scheduler.ts'

/** The scheduler as a process that can be killed. */
export type CrashWorld = { simulation: Simulation; process: SimulatedProcess; api: Api }

export const LIMIT = 2

/** Three nodes in two zones, one class with dynamic provisioning, and one with existing volumes. */
export async function openCrashWorld(options: SimulationOptions): Promise<CrashWorld> {
  const simulation = await startSimulation(options)
  const { api } = simulation
  await createNodes(api, { n1: 'a', n2: 'a', n3: 'b' }, LIMIT)
  await createWithStatus(api, STORAGE_CLASSES, lateClass())
  await createWithStatus(api, STORAGE_CLASSES, lateClass({ provisioner: NO_PROVISIONER }, 'hand'))
  const process = await simulation.startProcess('scheduler', (world) => Promise.resolve(runScheduler(world)))
  await simulation.settled()
  return { simulation, process, api }
}

function runScheduler(process: ProcessWorld): ProcessBody {
  const { clock, random } = process
  const log = createSilentLogger()
  const api = process.api()
  const informers = createInformers({ api, clock, random, log })
  const events = createEventRecorder({ api, clock, log, component: 'scheduler' })
  const world = { api, informers, clock, random, log, events }
  return runPart(process, () => startScheduler(DEFAULTS, world, new AbortController().signal))
}

const zoneOf = (node: string): string => (node === 'n3' ? 'b' : 'a')

/** Acts as provisioner and binder; the provisioner occasionally rejects a node. */
export async function playOthers(api: Api, refuses: () => boolean = () => false): Promise<void> {
  for (const claim of (await api.list(PERSISTENT_VOLUME_CLAIMS)).items) {
    const name = claim.metadata.name ?? ''
    const node = selectedNodeOf(claim)
    const given = (await api.list(PERSISTENT_VOLUMES)).items.find(
      ({ spec }) => spec.claimRef?.uid === claim.metadata.uid,
    )
    if (claim.spec.volumeName || claim.metadata.deletionTimestamp) continue
    await (
      given
        ? bindClaim(api, name, given.metadata.name ?? '')
        : node === ''
          ? Promise.resolve()
          : refuses()
            ? refuse(api, name)
            : provision(api, name, inZone(zoneOf(node)))
    ).catch(ignoreRace)
  }
}

/** At any time: pods are only where their volumes are accessible, no driver exceeds its limit, no volume has two claims. */
export async function assertRight({ api, simulation }: CrashWorld): Promise<void> {
  const why = (text: string): string => `${text}\n${simulation.transcript.text()}`
  const [pods, claims, volumes, nodes] = [
    (await api.list(PODS)).items,
    (await api.list(PERSISTENT_VOLUME_CLAIMS)).items,
    (await api.list(PERSISTENT_VOLUMES)).items,
    (await api.list(NODES)).items,
  ]
  const used = new Map<string, Set<string>>()
  for (const pod of pods) {
    const node = nodes.find(({ metadata }) => metadata.name === pod.spec.nodeName)
    if (!node) continue
    for (const claimName of claimNames(pod)) {
      const claim = claims.find(({ metadata }) => metadata.name === claimName)
      const volume = volumes.find(({ metadata }) => metadata.name === claim?.spec.volumeName)
      if (!claim) continue
      ok(volume, why(`${pod.metadata.name} has a node and ${claimName} no volume`))
      const affinity = volume.spec.nodeAffinity?.required
      ok(
        !affinity || matchesNodeSelector(affinity, node),
        why(`${pod.metadata.name} is away from the volume of ${claimName}`),
      )
      const name = node.metadata.name ?? ''
      used.set(name, (used.get(name) ?? new Set<string>()).add(volume.metadata.name ?? ''))
    }
  }
  for (const [node, handles] of used) ok(handles.size <= LIMIT, why(`${node} has ${handles.size} volumes`))
  const given = volumes.flatMap(({ spec }) => spec.claimRef?.uid ?? [])
  equal(new Set(given).size, given.length, why('a claim has two volumes'))
}

const claimNames = ({ spec }: Pod): string[] =>
  (spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [])

/** Once everything is idle: no feasible node exists for a pod without one. */
export async function assertNobodyForgotten(world: CrashWorld): Promise<void> {
  const { api, simulation } = world
  await assertRight(world)
  const kinds = [NODES, CSI_NODES, STORAGE_CLASSES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS] as const
  const lists = await Promise.all(kinds.map(async (type) => (await api.list(type as typeof PODS)).items))
  const view = clusterOf(...lists.flat())
  for (const pod of lists.at(-1) ?? []) {
    const step = nextPlacementStep({ seen: { pod, world: view } })
    ok(
      step.kind === 'unschedulable' || step.kind === 'wait',
      `${pod.metadata.name} waits and could: ${step.kind}\n${simulation.transcript.text()}`,
    )
  }
}

type Story = { name: string; begin(api: Api): Promise<unknown>; pods: readonly string[] }

const STORIES: readonly Story[] = [
  {
    name: 'volumes that are made',
    begin: async (api) => {
      for (const name of ['c1', 'c2']) await createWithStatus(api, PERSISTENT_VOLUME_CLAIMS, lateClaim(name))
      await createWithStatus(api, PODS, podOf('p1', { claims: ['c1', 'c2'] }))
    },
    pods: ['p1'],
  },
  {
    name: 'volumes that are there',
    begin: async (api) => {
      for (const [name, zone] of [
        ['v1', 'b'],
        ['v2', 'a'],
      ] as const)
        await createWithStatus(
          api,
          PERSISTENT_VOLUMES,
          volumeOf({ name, spec: { storageClassName: 'hand', nodeAffinity: inZone(zone) } }),
        )
      for (const name of ['c1', 'c2'])
        await createWithStatus(api, PERSISTENT_VOLUME_CLAIMS, lateClaim(name, { spec: { storageClassName: 'hand' } }))
      await createWithStatus(api, PODS, podOf('p1', { claims: ['c1'] }))
      await createWithStatus(api, PODS, podOf('p2', { claims: ['c2'] }))
    },
    pods: ['p1', 'p2'],
  },
]

/** Kills the scheduler at one call; false if it makes fewer calls. */
async function runCrash({ begin, pods }: Story, { at, when }: Crash): Promise<boolean> {
  const world = await openCrashWorld({ seed: 1 })
  const { simulation, process, api } = world
  try {
    process.killAtCall(at, when)
    await begin(api)
    let killed = false
    for (let turns = 0; turns < 4; turns++) {
      await simulation.advance(1000)
      if (!process.isRunning()) {
        killed = true
        await process.restart()
        await simulation.advance(0)
      }
      await playOthers(api)
    }
    await simulation.advance(1000)
    await assertNobodyForgotten(world)
    const placed = (await api.list(PODS)).items
      .filter(({ spec }) => spec.nodeName)
      .map(({ metadata }) => metadata.name ?? '')
    deepEqual(placed.toSorted(), pods, simulation.transcript.text())
    return killed
  } finally {
    await simulation.stop()
  }
}

export function describeCrashes(): void {
  for (const story of STORIES) {
    test(`S3-61, S3-64: killed before and after each call and started again, every pod comes to its volumes: ${story.name}`, () =>
      crashAtEachCall((crash) => runCrash(story, crash), 3))
  }
}
