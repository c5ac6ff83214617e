import { test } from 'node:test'
import { SOME_API_FAULTS } from '../../testing/faulty-api.ts'
import { assertPublished, describeCrashes, openCrashWorld } from './testing/describe-crashes.ts'

describeCrashes()

for (const seed of [1, 2, 3, 4, 5]) {
  test(`S3-35: with an API that fails, lies late and loses answers (seed ${seed}), what is published is what is registered`, async () => {
    const world = await openCrashWorld({ seed, apiFaults: SOME_API_FAULTS })
    const { simulation, machine, process } = world
    try {
      for (let round = 1; round <= 6; round++) {
        machine.nodeInfo = () => Promise.resolve({ nodeId: `id-${round}`, maxVolumesPerNode: BigInt(round) })
        machine.install()
        await simulation.advance(simulation.random.below(20_000))
        if (simulation.random.fraction() < 0.3) await process.restart()
        if (simulation.random.fraction() < 0.3) await machine.removeRegistrar()
        await simulation.advance(simulation.random.below(15_000))
      }
      machine.install()
      await simulation.advance(400_000)
      await assertPublished(world, 'id-6')
      await machine.removeRegistrar()
      await simulation.advance(400_000)
      await assertPublished(world, undefined)
    } finally {
      await simulation.stop()
    }
  })
}
