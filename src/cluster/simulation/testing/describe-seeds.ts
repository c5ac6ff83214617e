import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { CSI_DRIVERS } from '../../../api/kinds/csi-driver.ts'
import { LEASES } from '../../../api/kinds/lease.ts'
import { NODES } from '../../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../../api/kinds/persistent-volume.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import type { Pod, Volume } from '../../../api/kinds/pod.ts'
import { SERVICE_ACCOUNTS } from '../../../api/kinds/service-account.ts'
import { VOLUME_ATTACHMENTS } from '../../../api/kinds/volume-attachment.ts'
import type { Random } from '../../../base/random.ts'
import { DEFAULT_DRIVER_NAME } from '../../../drivers/hostpath/index.ts'
import {
  forEachSeed,
  ignoreRefusal,
  makeChange,
  pick,
  SOME_API_FAULTS,
  SOME_DRIVER_FAULTS,
} from '../../../testing/index.ts'
import type { UserChange } from '../../../testing/index.ts'
import { claimOf, createOn, podOf, volumeOfClaim } from '../../../testing/objects.ts'
import { DATA, openClusterWorld } from './describe-world.ts'
import type { ClusterWorld } from './describe-world.ts'

const ROUNDS = 16
const MOST_PODS = 6
const NAMESPACE = 'default'
const CLAIMS = ['a', 'b', 'c', 'shared']
// Of `a`, while that is there.
const COPY = 'copy'

export function describeSeeds(seeds: readonly number[]): void {
  test(`S3-65, S3-109, S3-120: whatever fails and whoever is killed, pods get their volumes in the end and nothing of those that went is left (${seeds.length} seeds)`, () =>
    forEachSeed(seeds, async (seed) => void (await runSeed(seed))))
}

/** People make and delete claims and pods; processes are killed one by one or all at once, the power goes, the API and the driver fail now and then. */
export async function runSeed(seed: number): Promise<string> {
  const world = await openClusterWorld({
    seed,
    apiFaults: SOME_API_FAULTS,
    driverFaults: { ...SOME_DRIVER_FAULTS, restart: 0 },
  })
  const { simulation, api, judge, revive } = world
  const { random, transcript } = simulation
  const story = (): string => `${transcript.text()}\n${judge.calls.join('\n')}`
  try {
    await api.create(CSI_DRIVERS, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: DEFAULT_DRIVER_NAME },
      spec: {
        podInfoOnMount: true,
        requiresRepublish: seed % 3 === 0,
        volumeLifecycleModes: ['Persistent', 'Ephemeral'],
      },
    })
    await api
      .create(SERVICE_ACCOUNTS, {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { namespace: NAMESPACE, name: 'default' },
      })
      .catch(ignoreRefusal)
    await simulation.advance(5000)
    for (let round = 0; round < ROUNDS; round++) {
      for (let changes = random.below(4); changes > 0; changes--) await change(world, round * 10 + changes)
      await breakSomething(world)
      await simulation.advance(random.below(random.fraction() < 0.2 ? 60_000 : 5000))
      if (random.fraction() < 0.8) await revive()
    }
    await settle(world)
    deepEqual(judge.violations, [], story())
    deepEqual(await waiting(api), [], `still not running\n${story()}`)
    deepEqual(await podsOfMounts(world), await runningPods(api), `mounted, and running\n${story()}`)
    for (const { metadata } of (await api.list(PODS)).items)
      await api.delete(PODS, { namespace: NAMESPACE, name: metadata.name ?? '' })
    for (const name of [...CLAIMS, COPY])
      await api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name }).catch(ignoreRefusal)
    await settle(world)
    deepEqual(judge.violations, [], story())
    deepEqual(await leftOf(world), [], `left behind\n${story()}`)
    return transcript.text()
  } finally {
    await simulation.stop()
  }
}

/** Long enough for every backoff; whoever can't start is started again. */
async function settle({ simulation, revive }: ClusterWorld): Promise<void> {
  for (let minute = 0; minute < 20; minute++) {
    await revive()
    await simulation.advance(60_000)
  }
}

async function change({ api, simulation }: ClusterWorld, number: number): Promise<void> {
  const { random } = simulation
  const claim = pick(random, CLAIMS)
  const pods = (await api.list(PODS)).items
  const pod = pods.length === 0 ? '' : (pick(random, pods).metadata.name ?? '')
  const name = `p${number}`
  const changes: readonly UserChange<Api>[] = [
    [4, { what: `makes the claim ${claim}`, make: () => createClaim(api, claim) }],
    [
      2,
      {
        what: `deletes the claim ${claim}`,
        make: () => api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: claim }),
      },
    ],
    [
      1,
      {
        what: 'copies the claim a',
        make: () => createClaim(api, COPY, { dataSource: { kind: 'PersistentVolumeClaim', name: 'a' } }),
      },
    ],
    [
      1,
      {
        what: 'deletes the copy',
        make: () => api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: COPY }),
      },
    ],
    [1, { what: `makes the pod ${name} with the copy`, make: () => createPod(api, pods, name, COPY, random) }],
    [4, { what: `makes the pod ${name} with ${claim}`, make: () => createPod(api, pods, name, claim, random) }],
    [3, { what: `deletes the pod ${pod}`, make: () => api.delete(PODS, { namespace: NAMESPACE, name: pod }) }],
    [3, { what: `replaces the pod ${pod} by ${name}`, make: () => replacePod(api, pods, pod, name, random) }],
    [
      1,
      {
        what: `deletes the pod ${pod} by force`,
        make: () => api.delete(PODS, { namespace: NAMESPACE, name: pod }, { gracePeriodSeconds: 0 }),
      },
    ],
  ]
  await makeChange(api, changes, simulation)
}

/** `shared` may be used by pods on all nodes, the others by one pod at a time. */
const createClaim = (api: Api, name: string, more: Partial<PersistentVolumeClaimSpec> = {}): Promise<unknown> =>
  createOn(
    api,
    PERSISTENT_VOLUME_CLAIMS,
    claimOf({
      name,
      namespace: NAMESPACE,
      size: '1Mi',
      modes: [name === 'shared' ? 'ReadWriteMany' : 'ReadWriteOnce'],
      className: undefined,
      spec: more,
    }),
  )

async function createPod(api: Api, pods: readonly Pod[], name: string, claim: string, random: Random): Promise<void> {
  const usesClaim = pods.some(({ spec }) =>
    spec.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === claim),
  )
  if (pods.length >= MOST_PODS || (claim !== 'shared' && usesClaim)) return
  const volumes: Volume[] = [volumeOfClaim(claim, 'data')]
  const template = { spec: { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Mi' } } } }
  if (random.fraction() < 0.3) volumes.push({ name: 'own', ephemeral: { volumeClaimTemplate: template } })
  if (random.fraction() < 0.3)
    volumes.push({ name: 'in-line', csi: { driver: DEFAULT_DRIVER_NAME, volumeAttributes: { size: '1Mi' } } })
  await createOn(api, PODS, podOf(name, { namespace: NAMESPACE, volumes }))
}

/** As a rollout does: the new one wants the volume while the old one still has it. */
async function replacePod(api: Api, pods: readonly Pod[], name: string, next: string, random: Random): Promise<void> {
  const pod = pods.find(({ metadata }) => metadata.name === name)
  const claim = pod?.spec.volumes?.[0]?.persistentVolumeClaim?.claimName
  // One that goes already may have been replaced.
  if (claim === undefined || pod?.metadata.deletionTimestamp) return
  await api.delete(PODS, { namespace: NAMESPACE, name })
  await createPod(api, [], next, claim, random)
}

async function breakSomething({ simulation, processes, machine, judge }: ClusterWorld): Promise<void> {
  const { random, transcript } = simulation
  const chance = random.fraction()
  if (chance < 0.1) {
    transcript.add('world', 'kills everything')
    for (const process of processes) process.kill()
    await simulation.restartServer()
  } else if (chance < 0.15) {
    transcript.add('world', 'takes the power away')
    for (const process of processes) process.kill()
    machine.losePower()
    judge.powerLost()
    await simulation.restartServer()
  } else if (chance < 0.2) {
    await simulation.restartServer()
  } else {
    for (const process of processes)
      if (random.fraction() < 0.3)
        process.killAtCall(1 + random.below(60), random.fraction() < 0.5 ? 'before' : 'after')
  }
}

/** Pods that could run and don't: their claims are there and nobody deletes them, or copies what has no volume. */
async function waiting(api: Api): Promise<string[]> {
  const { items } = await api.list(PERSISTENT_VOLUME_CLAIMS)
  const present = items.filter(({ metadata }) => !metadata.deletionTimestamp)
  const isHopeless = ({ spec, status }: PersistentVolumeClaim): boolean =>
    status?.phase !== 'Bound' &&
    spec.dataSource !== undefined &&
    !present.some((source) => source.metadata.name === spec.dataSource?.name && source.status?.phase === 'Bound')
  const claims = new Set(present.filter((claim) => !isHopeless(claim)).map(({ metadata }) => metadata.name))
  const canRun = ({ spec }: Pod): boolean =>
    (spec.volumes ?? []).every(
      ({ persistentVolumeClaim }) => !persistentVolumeClaim || claims.has(persistentVolumeClaim.claimName),
    )
  return (await api.list(PODS)).items
    .filter((pod) => pod.status?.phase !== 'Running' && canRun(pod))
    .map(({ metadata, status, spec }) => `${metadata.name} on ${spec.nodeName}: ${JSON.stringify(status)}`)
}

/** A line for each volume of a pod that runs: node and uid. */
const runningPods = async (api: Api): Promise<string[]> =>
  (await api.list(PODS)).items
    .filter(({ status }) => status?.phase === 'Running')
    .flatMap(({ metadata, spec }) =>
      (spec.volumes ?? []).filter(({ projected }) => !projected).map(() => `${spec.nodeName} ${metadata.uid}`),
    )
    .sort()

/** A line for each mount of a pod: node and uid. */
const podsOfMounts = async ({ machine }: ClusterWorld): Promise<string[]> =>
  (await machine.mounts.list())
    .flatMap(({ target }) => {
      const [, node, uid] = /^\/cluster\/(node-\d)\/pods\/([^/]+)\//.exec(target) ?? []
      return node === undefined ? [] : [`${node} ${uid}`]
    })
    .sort()

/** Whatever a cluster without claims and pods must not have. */
async function leftOf({ api, machine }: ClusterWorld): Promise<string[]> {
  const objects: string[] = []
  for (const type of [PODS, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, VOLUME_ATTACHMENTS]) {
    for (const { metadata } of (await api.list<Pod>(type as typeof PODS)).items)
      objects.push(`${type.kind} ${metadata.name}`)
  }
  for (const { metadata, status } of (await api.list(NODES)).items) {
    for (const name of status?.volumesInUse ?? []) objects.push(`${metadata.name} in use: ${name}`)
    for (const { name } of status?.volumesAttached ?? []) objects.push(`${metadata.name} attached: ${name}`)
  }
  for (const { metadata } of (await api.list(LEASES)).items) {
    for (const key of Object.keys(metadata.annotations ?? {}))
      if (key.includes('journal')) objects.push(`${metadata.name}: ${key}`)
  }
  const mounts = (await machine.mounts.list())
    .map(({ target }) => target)
    .filter((target) => target.startsWith(`${DATA}/`))
  const places = machine
    .snapshotTree()
    .map(({ path }) => path)
    .filter((path) =>
      /^\/cluster\/(node-\d\/pods\/|node-\d\/plugins\/kubernetes.io\/csi\/[^/]+\/|volumes\/volumes[^/]*\/|volumes\/nodes\/node-\d\/.)/.test(
        path,
      ),
    )
  return [...objects, ...mounts, ...places]
}
