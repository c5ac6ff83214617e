import { test } from 'node:test'
import { ignoreRace, isAlreadyExists } from '../../../api/api-error.ts'
import type { Api } from '../../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../../api/kinds/persistent-volume.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import type { Random } from '../../../base/random.ts'
import { forEachSeed, runRounds, SOME_API_FAULTS } from '../../../testing/index.ts'
import { createWithStatus, podOf, volumeOf } from '../../../testing/objects.ts'
import { assertNobodyForgotten, assertRight, openCrashWorld, playOthers } from './describe-crashes.ts'
import { inZone, lateClaim } from './describe-scheduler.ts'

const ROUNDS = 10

export function describeSeeds(seeds: readonly number[]): void {
  test('S3-61, S3-63, S3-64: whatever fails and whenever it is killed, pods are only where their volumes are, and in the end nobody waits for what is there', () =>
    forEachSeed(seeds, async (seed) => void (await runSeed(seed))))
}

/** Users create and delete pods while the scheduler is killed and the API fails occasionally. Everything must be consistent in the end. */
export async function runSeed(seed: number): Promise<string> {
  const world = await openCrashWorld({ seed, apiFaults: SOME_API_FAULTS })
  const { simulation, process, api } = world
  const { random, transcript } = simulation
  try {
    let made = 0
    await runRounds(simulation, [process], {
      rounds: ROUNDS,
      change: async () => transcript.add('user', await makeChange(api, random, ++made)),
      changes: { most: 3 },
      mostCalls: 8,
      pauseMs: { usual: 3000, long: 60_000 },
      afterPause: async () => {
        await playOthers(api, () => random.fraction() < 0.2)
        await assertRight(world)
      },
    })
    for (let turns = 0; turns < 12; turns++) {
      await simulation.advance(60_000)
      await playOthers(api)
    }
    await simulation.advance(60_000)
    await assertNobodyForgotten(world)
    return transcript.text()
  } finally {
    await simulation.stop()
  }
}

async function makeChange(api: Api, random: Random, number: number): Promise<string> {
  const storageClassName = random.fraction() < 0.6 ? 'late' : 'hand'
  const [share, name] = [random.below(10), `x${number}`]
  if (share < 2) {
    const zone = random.fraction() < 0.5 ? 'a' : 'b'
    await createWithStatus(
      api,
      PERSISTENT_VOLUMES,
      volumeOf({ name: `v-${name}`, spec: { storageClassName, nodeAffinity: inZone(zone) } }),
    )
    return `makes v-${name} ${storageClassName} in ${zone}`
  }
  if (share < 4) {
    const { items } = await api.list(PODS)
    const gone = items[random.below(Math.max(1, items.length))]?.metadata.name
    if (gone !== undefined)
      await api.delete(PODS, { namespace: 'default', name: gone }, { gracePeriodSeconds: 0 }).catch(ignoreRace)
    return `deletes ${gone}`
  }
  const claims = Array.from({ length: random.below(3) }, (_, index) => `${name}-${index}`)
  for (const claim of claims)
    await createWithStatus(api, PERSISTENT_VOLUME_CLAIMS, lateClaim(claim, { spec: { storageClassName } })).catch(
      ignoreTwice,
    )
  await createWithStatus(api, PODS, podOf(name, { claims }))
  return `makes ${name} with ${claims.join()} ${storageClassName}`
}

const ignoreTwice = (error: unknown): void => {
  if (!isAlreadyExists(error)) throw error
}
