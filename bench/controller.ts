// What the controller framework adds to a pass: CPU time, bytes and promises of a pass that only waits, and of one that takes a step.
import { createHook } from 'node:async_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createSilentLogger, createSystemClock, createSystemRandom } from '../src/base/index.ts'
import { createHoldTable } from '../src/kube/controller/hold-table.ts'
import { defineController } from '../src/kube/controller/index.ts'
import { createPasses } from '../src/kube/controller/run-passes.ts'
import { createWorkQueue } from '../src/kube/controller/work-queue.ts'

type Step = { readonly kind: 'wait'; readonly reason: { readonly code: string } } | { readonly kind: 'act' }

const WAIT: Step = { kind: 'wait', reason: { code: 'Waits' } }
const ACT: Step = { kind: 'act' }
const PASSES = 200_000
const ROUNDS = 5

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Runs every key once through a real queue. */
async function runAll(steps: number): Promise<void> {
  const left = new Map<string, number>()
  const queue = createWorkQueue({ clock: createSystemClock(), random: createSystemRandom() })
  const passes = createPasses(
    defineController({
      name: 'bench',
      watch: [],
      view: (key) => ({ key }),
      decide: ({ key }: { key: string }): Step => ((left.get(key) ?? 0) > 0 ? ACT : WAIT),
      perform: { act: async (_step, { key }) => void left.set(key, (left.get(key) ?? 0) - 1) },
    }),
    {
      events: { record: () => {}, flush: () => Promise.resolve() },
      log: createSilentLogger(),
      signal: new AbortController().signal,
      holds: createHoldTable(),
      enqueue: (key) => queue.add(key),
    },
  )
  for (let index = 0; index < PASSES; index++) {
    if (steps > 0) left.set(`default/claim-${index}`, steps)
    queue.add(`default/claim-${index}`)
  }
  queue.start((key) => passes.run(key))
  await queue.idle()
}

async function measure(name: string, steps: number): Promise<void> {
  await runAll(steps)
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    collect()
    const before = process.cpuUsage()
    await runAll(steps)
    const { user, system } = process.cpuUsage(before)
    times.push((user + system) / PASSES)
  }
  let promises = 0
  const hook = createHook({ init: (_id, type) => void (type === 'PROMISE' && promises++) }).enable()
  await runAll(steps)
  hook.disable()
  process.stdout.write(
    `${name.padEnd(34)} ${Math.min(...times)
      .toFixed(2)
      .padStart(6)} µs of CPU  ${(promises / PASSES).toFixed(1).padStart(5)} promises\n`,
  )
}

process.stdout.write(`${PASSES} passes through a queue, best of ${ROUNDS}; adding the key is part of it\n\n`)
await measure('only waits', 0)
await measure('one step without a request', 1)
await measure('four steps without a request', 4)
