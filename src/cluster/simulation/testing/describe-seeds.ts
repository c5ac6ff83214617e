import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { CSI_DRIVERS } from '../../../api/kinds/csi-driver.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import { SERVICE_ACCOUNTS } from '../../../api/kinds/service-account.ts'
import { VOLUME_GROUP_SNAPSHOTS } from '../../../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../../api/kinds/volume-snapshot.ts'
import { DEFAULT_DRIVER_NAME } from '../../../drivers/hostpath/index.ts'
import { forEachSeed, ignoreRefusal, SOME_API_FAULTS, SOME_DRIVER_FAULTS } from '../../../testing/index.ts'
import { createRetainedWatch, disagreements, snapshotProblems } from './agreement.ts'
import { NAMESPACE, openClusterWorld } from './describe-world.ts'
import type { ClusterWorld } from './describe-world.ts'
import { leftOf } from './left-behind.ts'
import { podsOfMounts, runningPods, waitingPods } from './pods-and-mounts.ts'
import { deleteSet, setProblems } from './set-changes.ts'
import { changeSomething, createClasses, giveUpTooLarge } from './user-changes.ts'

const ROUNDS = 20
const MOST_CHANGES = 5

export function describeSeeds(seeds: readonly number[]): void {
  test(`S3-65, S3-109, S3-120: whatever fails and whoever is killed, pods get their volumes in the end and nothing of those that went is left (${seeds.length} seeds)`, () =>
    forEachSeed(seeds, async (seed) => void (await runSeed(seed))))
}

/**
 * People make, grow, modify, copy and delete claims, take, restore and delete snapshots, and run pods and a StatefulSet; processes are killed one by one or all at
 * once, the power goes, the API and the driver fail now and then.
 */
export async function runSeed(seed: number): Promise<string> {
  const world = await openClusterWorld({
    seed,
    apiFaults: SOME_API_FAULTS,
    driverFaults: { ...SOME_DRIVER_FAULTS, restart: 0 },
  })
  const { simulation, api, judge, revive } = world
  const { random, transcript } = simulation
  const retained = createRetainedWatch(api)
  const story = (): string => `${transcript.text()}\n${judge.calls.join('\n')}`
  try {
    await prepare(api, { requiresRepublish: seed % 3 === 0 })
    await simulation.advance(5000)
    for (let round = 0; round < ROUNDS; round++) {
      for (let changes = random.below(MOST_CHANGES); changes > 0; changes--)
        await changeSomething(world, round * 10 + changes)
      await breakSomething(world)
      await simulation.advance(random.below(random.fraction() < 0.2 ? 60_000 : 5000))
      await retained.look()
      if (random.fraction() < 0.8) await revive()
    }
    await giveUpTooLarge(api)
    await settle(world)
    await retained.look()
    deepEqual(judge.violations, [], story())
    deepEqual(await setProblems(api), [], `StatefulSet\n${story()}`)
    deepEqual(await waitingPods(api), [], `still not running\n${story()}`)
    deepEqual(await podsOfMounts(world), await runningPods(api), `mounted, and running\n${story()}`)
    deepEqual(await disagreements(world), [], `sizes and attributes\n${story()}`)
    deepEqual(await snapshotProblems(world), [], `snapshots\n${story()}`)
    await deleteEverything(api)
    await settle(world)
    deepEqual(await retained.missing(), [], `retained, but gone\n${story()}`)
    deepEqual(await snapshotProblems(world), [], `snapshots in the end\n${story()}`)
    await deleteRetained(api)
    await settle(world)
    deepEqual(judge.violations, [], story())
    deepEqual(await leftOf(world), [], `left behind\n${story()}`)
    return transcript.text()
  } finally {
    await simulation.stop()
  }
}

export async function prepare(api: Api, { requiresRepublish }: { requiresRepublish: boolean }): Promise<void> {
  await api.create(CSI_DRIVERS, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: DEFAULT_DRIVER_NAME },
    spec: { podInfoOnMount: true, requiresRepublish, volumeLifecycleModes: ['Persistent', 'Ephemeral'] },
  })
  await api
    .create(SERVICE_ACCOUNTS, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { namespace: NAMESPACE, name: 'default' },
    })
    .catch(ignoreRefusal)
  await createClasses(api)
}

/** Long enough for every backoff; whoever can't start is started again. */
async function settle({ simulation, revive }: ClusterWorld): Promise<void> {
  for (let minute = 0; minute < 20; minute++) {
    await revive()
    await simulation.advance(60_000)
  }
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

async function deleteEverything(api: Api): Promise<void> {
  await deleteSet(api)
  for (const type of [PODS, VOLUME_GROUP_SNAPSHOTS, VOLUME_SNAPSHOTS, PERSISTENT_VOLUME_CLAIMS] as const)
    for (const { metadata } of (await api.list(type as typeof PODS)).items)
      await api.delete(type as typeof PODS, { namespace: NAMESPACE, name: metadata.name ?? '' }).catch(ignoreRefusal)
}

/** As an administrator does who no longer needs what was retained. */
async function deleteRetained(api: Api): Promise<void> {
  for (const { metadata } of (await api.list(VOLUME_SNAPSHOT_CONTENTS)).items) {
    const ref = { name: metadata.name ?? '' }
    await api.patch(VOLUME_SNAPSHOT_CONTENTS, ref, { type: 'merge', value: { spec: { deletionPolicy: 'Delete' } } })
    await api.delete(VOLUME_SNAPSHOT_CONTENTS, ref)
  }
}
