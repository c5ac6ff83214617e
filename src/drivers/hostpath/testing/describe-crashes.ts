import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { SimulatedHost, TreeEntry } from '../../../base/host/index.ts'
import type { Driver } from '../../../csi/index.ts'
import { createStoppableHost } from '../../../testing/stoppable-host.ts'
import { openDriver, startMachine } from './hostpath-under-test.ts'
import type { DriverOptions, DriverUnderTest } from './hostpath-under-test.ts'
import { dataTree, stateOf } from './state-under-test.ts'

/** One call of the driver's client. It stores returned IDs by name, and sends the same request each time. */
export type Call = (story: Story) => Promise<unknown>

export type Story = { driver: Driver; machine: SimulatedHost; ids: Map<string, string> }

/** A call during which the driver is killed. */
export type Crash = {
  behaviour: string
  options?: Pick<DriverOptions, 'attach' | 'publish'>
  /** Earlier calls, not disturbed. */
  given: Call[]
  call: Call
  /** What the node repeats after a power loss, in which it lost all mounts: before and after the call. */
  reboot?: { before?: Call[]; after?: Call[] }
  /** The call creates mounts, so after a power loss it must be repeated even if it was answered. */
  mounts?: boolean
  undo: Call[]
}

type Kill = { step: number; when: 'before' | 'after'; power: 'kept' | 'lost'; seed: number }

/**
 * For every step of the call: kills the driver there, restarts it and repeats the call. The result must be as if nothing had happened, and undoing
 * the call must leave nothing.
 */
export function describeCrash(crash: Crash, seeds: { before: readonly number[]; after: readonly number[] }): void {
  test(crash.behaviour, async () => {
    const undisturbed = await runUndisturbed(crash)
    const { steps } = undisturbed
    ok(steps > 0)
    for (let step = 1; step <= steps; step++) {
      await runDisturbed(crash, { step, when: 'before', power: 'kept', seed: 1 }, undisturbed)
      // If the power stays on, after one step is the same as before the next.
      if (step === steps) await runDisturbed(crash, { step, when: 'after', power: 'kept', seed: 1 }, undisturbed)
      for (const when of ['before', 'after'] as const) {
        for (const seed of seeds[when]) await runDisturbed(crash, { step, when, power: 'lost', seed }, undisturbed)
      }
    }
  })
}

type Undisturbed = { steps: number; state: unknown; fresh: TreeEntry[] }

async function runUndisturbed({ options, given, call }: Crash): Promise<Undisturbed> {
  const machine = await startMachine()
  const ids = new Map<string, string>()
  await runAll(given, { ...(await openDriver({ ...options, machine })), ids })
  const view = createStoppableHost(machine)
  const opened = await openDriver({ ...options, machine, host: view.host, seed: 8 })
  const before = view.steps()
  await call({ ...opened, ids })
  const steps = view.steps() - before
  return { steps, state: stateOf(opened.hostpath, machine), fresh: await freshTree(options) }
}

async function runDisturbed(crash: Crash, kill: Kill, { state, fresh }: Undisturbed): Promise<void> {
  const { options, given, call, reboot = {}, undo } = crash
  const machine = await startMachine({ seed: kill.seed })
  const ids = new Map<string, string>()
  await runAll(given, { ...(await openDriver({ ...options, machine })), ids })

  const view = createStoppableHost(machine)
  const doomed = await openDriver({ ...options, machine, host: view.host, seed: 8 })
  view.stopAfter(kill.step, kill.when)
  // The response does not matter: nobody receives it.
  await call({ ...doomed, ids: new Map(ids) }).catch(() => {})
  equal(view.isStopped(), true, 'the call takes fewer steps than it did')
  if (kill.power === 'lost') machine.losePower()

  try {
    let opened = await openDriver({ ...options, machine, seed: 9 })
    const story = (): Story => ({ ...opened, ids })
    if (kill.power === 'lost') await runAll(reboot.before ?? [], story())
    await call(story())
    if (kill.power === 'lost') await runAll(reboot.after ?? [], story())
    deepEqual(stateOf(opened.hostpath, machine), state, 'asked again')

    // A confirmed call survives a power loss at this moment.
    machine.losePower()
    opened = await openDriver({ ...options, machine, seed: 10 })
    await runAll([...(reboot.before ?? []), ...(crash.mounts ? [call] : []), ...(reboot.after ?? [])], story())
    deepEqual(stateOf(opened.hostpath, machine), state, 'after a power loss')

    await runAll(undo, story())
    assertNothingLeft(opened, fresh)
  } catch (error) {
    throw new Error(
      `${crash.behaviour}, with ${JSON.stringify(kill)}: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    )
  }
}

/** The data directory is as empty as a new one, nothing is mounted, and the targets are gone. */
export function assertNothingLeft({ machine }: DriverUnderTest, fresh: TreeEntry[]): void {
  deepEqual(dataTree(machine), fresh)
  deepEqual(
    machine.snapshotTree().filter(({ path }) => path.startsWith('/pods/')),
    [],
  )
}

/** A data directory that has never been used. */
export async function freshTree(options: DriverOptions = {}): Promise<TreeEntry[]> {
  const machine = await startMachine()
  await openDriver({ ...options, machine })
  return dataTree(machine)
}

async function runAll(calls: readonly Call[], story: Story): Promise<void> {
  for (const call of calls) await call(story)
}
