import { deepEqual } from 'node:assert/strict'
import { isAlreadyExists, isNotFound } from '../api/api-error.ts'
import { addFinalizerPatch, hasFinalizer, removeFinalizerPatch } from '../api/finalizers.ts'
import { CONFIG_MAPS } from '../api/kinds/config-map.ts'
import { keyOf, refOf } from '../api/object-key.ts'
import { startInformer } from '../kube/cache/informer.ts'
import { createWorkQueue, DONE } from '../kube/controller/work-queue.ts'
import { playPart } from './play-part.ts'
import { SOME_API_FAULTS } from './faulty-api.ts'
import { startSimulation } from './simulation.ts'
import type { ProcessBody, ProcessWorld, Simulation } from './simulation.ts'

// A small controller for testing the simulation itself: for every ConfigMap it keeps one thing in a world outside the API,
// and removes it when the ConfigMap goes.

const FINALIZER = 'test.holdfast.dev/keeper'

/** Writes its intent down before it makes a thing, as it has to; or makes it first, which leaks when it is killed between. */
export type Order = 'intent first' | 'effect first'

export async function startKeeper(world: ProcessWorld, things: Set<string>, order: Order): Promise<ProcessBody> {
  const { clock, random, log, life } = world
  const api = world.api()
  const informer = startInformer(
    CONFIG_MAPS,
    { namespace: 'default', labelSelector: 'keep' },
    { api, clock, random, log },
  )
  const queue = createWorkQueue({ clock, random, backoff: { initialMs: 100, maximumMs: 5000 } })
  informer.onChange(({ key }) => queue.add(key))
  const touch = (act: () => void): Promise<void> => life.call(() => Promise.resolve(act()))
  const controller = playPart(queue, async (key) => {
    const object = informer.get(key)
    if (!object) return DONE
    const uid = object.metadata.uid ?? ''
    if (object.metadata.deletionTimestamp) {
      await touch(() => things.delete(uid))
      const release = removeFinalizerPatch(object, FINALIZER)
      if (release) await api.patch(CONFIG_MAPS, refOf(object), release)
      return DONE
    }
    const claim = hasFinalizer(object, FINALIZER) ? undefined : addFinalizerPatch(object, FINALIZER)
    if (order === 'effect first') await touch(() => things.add(uid))
    if (claim) await api.patch(CONFIG_MAPS, refOf(object), claim)
    // Our own write brings the key back.
    if (order === 'intent first' && !claim) await touch(() => things.add(uid))
    return DONE
  })
  return {
    isIdle: () => queue.depth() === 0 && informer.isSynced(),
    stop: async () => {
      await controller.stop()
      await informer.stop()
    },
  }
}

/** ConfigMaps come and go while the keeper is killed and restarted; in the end there must be exactly one thing for each. */
export async function runKeeperScenario(seed: number, order: Order): Promise<string> {
  const simulation = await startSimulation({ seed, apiFaults: SOME_API_FAULTS })
  const things = new Set<string>()
  try {
    const keeper = await simulation.startProcess('keeper', (world) => startKeeper(world, things, order))
    for (let step = 0; step < 12; step++) {
      await changeSomething(simulation, step)
      if (simulation.random.fraction() < 0.4)
        keeper.killAtCall(1 + simulation.random.below(4), simulation.random.fraction() < 0.5 ? 'before' : 'after')
      if (simulation.random.fraction() < 0.1) await simulation.restartServer()
      await simulation.advance(simulation.random.below(3000))
      if (!keeper.isRunning()) {
        if (simulation.random.fraction() < 0.5) await changeSomething(simulation, step + 100)
        await keeper.restart()
      }
    }
    // The last life is not cut short, and long enough for every backoff.
    await keeper.restart()
    for (let round = 0; round < 20; round++) await simulation.advance(60_000)
    const maps = await simulation.api.list(CONFIG_MAPS, { namespace: 'default', labelSelector: 'keep' })
    deepEqual(
      [...things].sort(),
      maps.items.map(({ metadata }) => metadata.uid ?? '').sort(),
      `one thing for each ConfigMap, and no other:\n${simulation.transcript.text()}`,
    )
    return simulation.transcript.text()
  } finally {
    await simulation.stop()
  }
}

async function changeSomething({ api, random, transcript }: Simulation, step: number): Promise<void> {
  const name = `map-${random.below(4)}`
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'default', name, labels: { keep: 'yes' } },
  } as const
  try {
    if (random.fraction() < 0.6) {
      const created = await api.create(CONFIG_MAPS, object)
      transcript.add('user', `${step} created ${keyOf(created)} ${created.metadata.uid}`)
    } else {
      await api.delete(CONFIG_MAPS, { namespace: 'default', name })
      transcript.add('user', `${step} deleted ${name}`)
    }
  } catch (error) {
    if (!isAlreadyExists(error) && !isNotFound(error)) throw error
  }
}
