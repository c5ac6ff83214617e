import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { createSilentLogger } from '../../../base/logger.ts'
import { discoverDriver } from '../../../sidecars/discover-driver.ts'
import type { DriverFacts } from '../../../sidecars/discover-driver.ts'
import { LEAK_KINDS, sweep } from '../../../sidecars/sweep/index.ts'
import type { Leak, LeakKind, Swept } from '../../../sidecars/sweep/index.ts'
import { forEachSeed } from '../../../testing/index.ts'
import { prepare } from './describe-seeds.ts'
import { DATA, NAMESPACE, openClusterWorld } from './describe-world.ts'
import type { ClusterWorld } from './describe-world.ts'
import { during, NODE, PLANTS } from './plant-leaks.ts'
import { changeSomething, giveUpTooLarge } from './user-changes.ts'

const ROUNDS = 6
const MOST_CHANGES = 5
const SETTLE_MINUTES = 10
const KINDS = Object.keys(LEAK_KINDS) as LeakKind[]
const HOUR_MS = 3_600_000

export function describeSweepSeeds(seeds: readonly number[]): void {
  test(`the sweep finds every planted leak and nothing else, and deletes only what is proved (${seeds.length} seeds)`, () =>
    forEachSeed(seeds, runSweepSeed))
}

/** People work with the cluster; then everything but the driver stops, some leaks are planted, and the sweep has to report exactly those. */
export async function runSweepSeed(seed: number): Promise<void> {
  const world = await openClusterWorld({ seed })
  const { simulation, api, processes } = world
  const { random } = simulation
  try {
    await prepare(api, { requiresRepublish: false })
    await simulation.advance(5000)
    for (let round = 0; round < ROUNDS; round++) {
      for (let changes = random.below(MOST_CHANGES); changes > 0; changes--)
        await changeSomething(world, round * 10 + changes)
      await simulation.advance(random.below(5000))
    }
    await giveUpTooLarge(api)
    for (let minute = 0; minute < SETTLE_MINUTES; minute++) await simulation.advance(60_000)
    // Nobody repairs what is planted.
    for (const process of processes.slice(1)) process.kill()
    const { clock } = simulation
    const parts = { clock, log: createSilentLogger(), path: 'driver', timeoutMs: 30_000 }
    const facts = await during(world, discoverDriver(world.driver, parts))

    const chosen = KINDS.filter(() => random.fraction() < 0.4)
    for (const kind of chosen) await PLANTS[kind].before?.(world, `leak-${kind}`)
    const before = await look(world, facts)
    // What users wanted to retain is reported, and is no leak of ours.
    deepEqual(shown(before.leaks.filter(({ kind }) => kind !== 'retained-content')), [], simulation.transcript.text())
    const planted: Leak[] = []
    for (const kind of chosen) planted.push({ kind, ...(await PLANTS[kind].plant(world, `leak-${kind}`)) })

    const { leaks } = await look(world, facts)
    const expected = shown([...before.leaks, ...planted])
    deepEqual(shown(leaks), expected, simulation.transcript.text())

    // The grace period is not over: nothing is deleted. Then exactly what is proved, and not in use, is.
    const early = await look(world, facts, HOUR_MS)
    deepEqual(
      early.deletions.filter(({ result }) => result !== 'kept'),
      [],
    )
    await simulation.advance(HOUR_MS + 1000)
    const late = await look(world, facts, HOUR_MS)
    const own = planted.filter(({ kind }) => kind === 'own-volume-without-object')
    deepEqual(
      late.deletions.map(({ handle, result }) => ({ handle, result })),
      own.map(({ handle = '' }) => ({ handle, result: 'deleted' })),
    )
    const after = await look(world, facts)
    deepEqual(
      shown(after.leaks),
      expected.filter((leak) => !leak.startsWith('own-volume')),
    )
  } finally {
    await simulation.stop()
  }
}

const look = (world: ClusterWorld, facts: DriverFacts, deleteAfterMs?: number): Promise<Swept> =>
  during(
    world,
    sweep({
      ...{ api: world.api, driver: world.driver, facts, clock: world.simulation.clock },
      ...{ settleMs: 1000, timeoutMs: 30_000, signal: new AbortController().signal, journalNamespace: NAMESPACE },
      node: { host: world.machine, nodeName: NODE, rootDir: `${DATA}/${NODE}` },
      ...(deleteAfterMs === undefined ? {} : { deleteAfterMs }),
    }),
  )

const shown = (leaks: readonly Leak[]): string[] =>
  leaks
    .map(({ kind, handle = '', object = '', node = '', path = '' }) => [kind, handle, object, node, path].join(' '))
    .sort()
