import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import { VOLUME_SNAPSHOTS } from '../../../api/kinds/volume-snapshot.ts'
import { startSimulation } from '../../../testing/index.ts'
import { DEFAULT_CONFIG, joinTestDriver, startPartProcess } from '../testing/describe-parts.ts'
import {
  bindClaim,
  cloneClaim,
  COPYING_DRIVER,
  createHeldClaim,
  createHeldSnapshot,
  restoreSnapshot,
  startSourceRelease,
} from './testing/held-sources.ts'

async function runCrash(at: number, when: 'before' | 'after'): Promise<boolean> {
  const simulation = await startSimulation({ seed: 1 })
  const { api, clock } = simulation
  try {
    await createHeldClaim(api)
    await createHeldSnapshot(api)
    await cloneClaim(api, 'clone')
    await restoreSnapshot(api, 'restored')
    const driver = joinTestDriver(clock, COPYING_DRIVER, { cloneVolume: true })
    const process = await startPartProcess(simulation, 'sources', driver, (parts) =>
      startSourceRelease(DEFAULT_CONFIG, { ...parts, isInUse: () => false }, new AbortController().signal),
    )
    process.killAtCall(at, when)
    await simulation.settled()
    await bindClaim(api, 'restored')
    await simulation.settled()
    await bindClaim(api, 'clone')
    await simulation.advance(61_000)
    const wasKilled = !process.isRunning()
    if (wasKilled) await process.restart()
    await simulation.advance(61_000)
    const held = [
      ...(await api.list(PERSISTENT_VOLUME_CLAIMS)).items,
      ...(await api.list(VOLUME_SNAPSHOTS)).items,
    ].flatMap(({ metadata }) => metadata.finalizers ?? [])
    deepEqual(
      held.filter((finalizer) => finalizer.startsWith('provisioner.')),
      [],
      simulation.transcript.text(),
    )
    return wasKilled
  } finally {
    await simulation.stop()
  }
}

test('killed before and after each call and started again, it lets go of everything', async () => {
  let at = 1
  for (; await runCrash(at, 'before'); at++) await runCrash(at, 'after')
  // Three questions to the driver, two watches, a list, a read and two updates at least.
  ok(at > 8, `only ${at - 1} calls`)
})
