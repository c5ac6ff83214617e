import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { CSI_STORAGE_CAPACITIES } from '../../../api/kinds/csi-storage-capacity.ts'
import { STORAGE_CLASSES } from '../../../api/kinds/storage-class.ts'
import { forEachSeed, SOME_API_FAULTS, SOME_DRIVER_FAULTS, startSimulation } from '../../../testing/index.ts'
import type { SimulatedProcess, Simulation, SimulationOptions } from '../../../testing/index.ts'
import { DEFAULT_CONFIG, joinTestDriver, startPartProcess } from '../testing/describe-parts.ts'
import { addNode, GI, lateClass, listPublished, NAMESPACE, startCapacity } from './testing/describe-capacity.ts'

type CrashWorld = { simulation: Simulation; process: SimulatedProcess; room: { available: bigint } }

async function openCrashWorld(options: SimulationOptions): Promise<CrashWorld> {
  const simulation = await startSimulation(options)
  const { api, clock } = simulation
  const room = { available: GI }
  const driver = joinTestDriver(clock, { getCapacity: () => Promise.resolve({ availableCapacity: room.available }) })
  for (const zone of ['a', 'b']) await addNode(api, zone, { zone })
  await api.create(STORAGE_CLASSES, lateClass())
  const config = { ...DEFAULT_CONFIG, capacityOwnerrefLevel: -1 }
  const process = await startPartProcess(simulation, 'capacity', driver, (parts) =>
    startCapacity(config, { ...parts, namespace: NAMESPACE }, new AbortController().signal),
  )
  return { simulation, process, room }
}

async function runCrash(at: number, when: 'before' | 'after'): Promise<boolean> {
  const { simulation, process, room } = await openCrashWorld({ seed: 1 })
  const { api } = simulation
  try {
    process.killAtCall(at, when)
    await simulation.settled()
    room.available = 2n * GI
    await api.create(STORAGE_CLASSES, lateClass({ metadata: { name: 'slow' } }))
    await simulation.advance(61_000)
    await api.delete(STORAGE_CLASSES, { name: 'fast' })
    await simulation.advance(0)
    const wasKilled = !process.isRunning()
    if (wasKilled) await process.restart()
    await simulation.advance(61_000)
    deepEqual(
      await listPublished(api),
      ['slow {"zone":"a"} 2Gi', 'slow {"zone":"b"} 2Gi'],
      simulation.transcript.text(),
    )
    return wasKilled
  } finally {
    await simulation.stop()
  }
}

test('killed before and after each call and started again, it leaves exactly one object for each pair', async () => {
  let at = 1
  for (; await runCrash(at, 'before'); at++) await runCrash(at, 'after')
  ok(at > 15, `only ${at - 1} calls`)
})

test('lost answers, refusals and slow watches leave no object too many in the end', async () => {
  await forEachSeed([1, 2, 3, 4, 5], async (seed) => {
    const { simulation, room } = await openCrashWorld({
      seed,
      apiFaults: SOME_API_FAULTS,
      driverFaults: SOME_DRIVER_FAULTS,
    })
    try {
      for (let turn = 0; turn < 10; turn++) {
        room.available = BigInt(turn) * GI
        const { items } = await simulation.api.list(CSI_STORAGE_CAPACITIES)
        const victim = items[turn % 3]
        if (victim)
          await simulation.api.delete(CSI_STORAGE_CAPACITIES, {
            namespace: NAMESPACE,
            name: victim.metadata.name ?? '',
          })
        await simulation.advance(70_000)
      }
      await simulation.advance(1_200_000)
      deepEqual(
        await listPublished(simulation.api),
        ['fast {"zone":"a"} 9Gi', 'fast {"zone":"b"} 9Gi'],
        simulation.transcript.text(),
      )
    } finally {
      await simulation.stop()
    }
  })
})
