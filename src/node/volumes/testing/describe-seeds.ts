import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { ignoreNotFound } from '../../../api/api-error.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import { makeDirectories, replaceFileDurably } from '../../../base/host/index.ts'
import { createSeededRandom } from '../../../base/random.ts'
import { volumeOfClaim } from '../../../testing/objects.ts'
import { forEachSeed, SOME_API_FAULTS, SOME_DRIVER_FAULTS } from '../../../testing/index.ts'
import { assertQuiet, openCrashWorld, placesOf } from './describe-crashes.ts'
import { attach, bindVolume, createPod, deletePod } from './describe-volumes.ts'

const VOLUMES = ['a', 'b', 'c']
const MOST_PODS = 5
const GROUP = 4321
const contentOf = (name: string): string => `/content/h-${name}`

/**
 * Pods are created and deleted, the agent is killed, the machine loses power, the server and the driver fail. Everything must be consistent in the
 * end.
 */
export async function runSeed(seed: number): Promise<string> {
  const world = await openCrashWorld(
    { seed, apiFaults: SOME_API_FAULTS, driverFaults: { ...SOME_DRIVER_FAULTS, restart: 0 } },
    { stats: true, condition: true },
  )
  const { simulation, process, api, machine, ledger } = world
  const random = createSeededRandom(seed)
  const story = (): string =>
    `${simulation.transcript.text()}\n${ledger.calls.join('\n')}\n${placesOf(machine).join('\n')}`
  try {
    for (const name of VOLUMES) {
      await bindVolume(api, name, { spec: { accessModes: ['ReadWriteMany'] } })
      await attach(api, name)
      await makeDirectories(machine.files, contentOf(name))
      for (const file of ['one', 'two'])
        await replaceFileDurably(machine.files, `${contentOf(name)}/${file}`, new Uint8Array(), { random })
    }
    const grouped = new Map<string, string>()
    const alive = new Set<string>()
    for (let turn = 0; turn < 25; turn++) {
      const chance = random.fraction()
      const [first] = alive
      if (chance < 0.4 && alive.size < MOST_PODS) {
        const name = `p${turn}`
        alive.add(name)
        const claimName = VOLUMES[random.below(VOLUMES.length)] ?? 'a'
        const hasGroup = random.fraction() < 0.5
        if (hasGroup) grouped.set(name, claimName)
        await createPod(api, name, {
          volumes: [volumeOfClaim(claimName, 'data')],
          spec: hasGroup ? { securityContext: { fsGroup: GROUP } } : {},
        })
      } else if (chance < 0.65 && first !== undefined) {
        alive.delete(first)
        if (random.fraction() < 0.3)
          await api.delete(PODS, { namespace: 'default', name: first }, { gracePeriodSeconds: 0 }).catch(ignoreNotFound)
        else await deletePod(api, first).catch(ignoreNotFound)
      } else if (chance < 0.8) process.killAtCall(1 + random.below(40), random.fraction() < 0.5 ? 'before' : 'after')
      else if (chance < 0.85) {
        process.kill()
        machine.losePower()
        ledger.staged.clear()
        ledger.published.clear()
      }
      await simulation.advance(random.below(4000))
      if (!process.isRunning()) await process.restart()
    }
    const settle = async (): Promise<void> => {
      for (let turns = 0; turns < 3; turns++) {
        await simulation.advance(300_000)
        if (!process.isRunning()) await process.restart()
      }
      await simulation.advance(300_000)
    }
    await settle()
    const pods = (await api.list(PODS)).items
    deepEqual(
      pods.map(({ metadata, status }) => `${metadata.name} ${status?.phase}`).sort(),
      [...alive].map((name) => `${name} Running`).sort(),
      story(),
    )
    const targets = (await machine.mounts.list())
      .map(({ target }) => target)
      .filter((target) => target.includes('/pods/'))
    deepEqual(targets.sort(), [...ledger.published.keys()].sort(), story())
    deepEqual(
      new Set(targets.map((target) => target.split('/pods/')[1]?.split('/')[0])),
      new Set(pods.map(({ metadata }) => metadata.uid)),
      story(),
    )
    for (const name of alive) {
      const claimName = grouped.get(name)
      if (claimName === undefined) continue
      for (const path of [contentOf(claimName), `${contentOf(claimName)}/one`])
        equal((await machine.files.findStat(path))?.gid, GROUP, `${path}\n${story()}`)
    }
    for (const name of alive) await deletePod(api, name)
    await settle()
    await assertQuiet(world, story)
    return simulation.transcript.text()
  } finally {
    await simulation.stop()
  }
}

export function describeSeeds(seeds: readonly number[]): void {
  test(`I1 to I6: whatever goes wrong, volumes are where they should be in the end (${seeds.length} seeds)`, () =>
    forEachSeed(seeds, async (seed) => void (await runSeed(seed))))
}
