import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { CONFIG_MAPS } from '../api/kinds/config-map.ts'
import { startInformer } from '../kube/informer.ts'
import { forEachSeed, seedsOf, SOME_API_FAULTS, startSimulation } from './index.ts'

const SCOPE = { namespace: 'default', labelSelector: 'follow' }
const map = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name, labels: { follow: '' } } }) as const

test('an informer ends with what is there, whatever the seed', () =>
  forEachSeed(seedsOf(process.env), async (seed) => {
    const simulation = await startSimulation({ seed, apiFaults: SOME_API_FAULTS })
    const { api, random, transcript } = simulation
    let seen = (): number => 0
    try {
      const follower = await simulation.startProcess('follower', (world) => {
        const { clock, random: own, log } = world
        const maps = startInformer(CONFIG_MAPS, SCOPE, { api: world.api(), clock, random: own, log })
        seen = maps.size
        return Promise.resolve({ isIdle: maps.isSynced, stop: maps.stop })
      })
      for (let step = 0; step < 10; step++) {
        await api.create(CONFIG_MAPS, map(`map-${step}`))
        if (random.fraction() < 0.3) follower.killAtCall(1 + random.below(2), 'after')
        if (random.fraction() < 0.1) await simulation.restartServer()
        await simulation.advance(random.below(5000))
        if (!follower.isRunning()) await follower.restart()
      }
      // The last life is not cut short, and long enough for every backoff.
      await follower.restart()
      await simulation.advance(600_000)
      equal(seen(), 10, transcript.text())
    } finally {
      await simulation.stop()
    }
  }))
