import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { CONFIG_MAPS } from '../api/kinds/config-map.ts'
import { keyOf } from '../api/object-key.ts'
import { startInformer } from '../kube/cache/informer.ts'
import { forEachSeed, seedsOf, SOME_API_FAULTS, startSimulation } from './index.ts'

const SCOPE = { namespace: 'default', labelSelector: 'follow' }
const map = (name: string) =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name, labels: { follow: '' } } }) as const

test('an informer ends with what is there, whatever the seed', () =>
  forEachSeed(seedsOf(process.env), async (seed) => {
    const simulation = await startSimulation({ seed, apiFaults: SOME_API_FAULTS })
    const { api, random, transcript } = simulation
    let seen = (): string[] => []
    try {
      const follower = await simulation.startProcess('follower', (world) => {
        const { clock, random: own, log } = world
        const maps = startInformer(CONFIG_MAPS, SCOPE, { api: world.api(), clock, random: own, log })
        seen = () => Array.from(maps.all(), keyOf).sort()
        return Promise.resolve({ isIdle: maps.isSynced, stop: maps.stop })
      })
      for (let step = 0; step < 20; step++) {
        await api.create(CONFIG_MAPS, map(`map-${step}`))
        if (random.fraction() < 0.3)
          await api.deleteCollection(CONFIG_MAPS, {
            ...SCOPE,
            fieldSelector: `metadata.name=map-${random.below(step + 1)}`,
          })
        if (random.fraction() < 0.1) follower.killAtCall(1, 'after')
        if (random.fraction() < 0.1) await simulation.restartServer()
        await simulation.advance(random.below(2000))
        if (!follower.isRunning()) await follower.restart()
      }
      // Long enough for every backoff.
      await simulation.advance(120_000)
      const { items } = await api.list(CONFIG_MAPS, SCOPE)
      deepEqual(seen(), items.map(keyOf).sort(), transcript.text())
    } finally {
      await simulation.stop()
    }
  }))
