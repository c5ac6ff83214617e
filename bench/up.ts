import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { PERSISTENT_VOLUME_CLAIMS } from '../src/api/kinds/persistent-volume-claim.ts'
import { PODS } from '../src/api/kinds/pod.ts'
import { createClaim, createPod, NAMESPACE } from '../src/cluster/testing/describe-cluster.ts'
import { MAIN, startUpFrom } from '../src/cluster/testing/describe-up.ts'
import type { Seen, Up } from '../src/cluster/testing/describe-up.ts'

// How soon a cluster is there, and how soon a claim with its pod is mounted: npm run bench up [-- --rounds=100 --starts=5 --data=DIR]. How to read it: bench/README.md.
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    starts: { type: 'string', default: '5' },
    data: { type: 'string' },
  },
})
const atLeastOne = (text: string): number => Math.max(Number(text) || 0, 1)
const [rounds, starts] = [atLeastOne(values.rounds), atLeastOne(values.starts)]
const write = (line: string): void => void process.stdout.write(`${line}\n`)
const place = resolve(values.data ?? tmpdir())

const KINDS = ['readyMs', 'seenMs', 'againMs', 'mountMs', 'goneMs'] as const
type Numbers = Record<(typeof KINDS)[number], number[]>
type Variant = { readonly name: string; readonly main: string; readonly numbers: Numbers }

const variant = (name: string, main: string): Variant => ({
  name,
  main,
  numbers: { readyMs: [], seenMs: [], againMs: [], mountMs: [], goneMs: [] },
})
const VARIANTS = [
  variant('as it is', MAIN),
  variant('+5 ms each sync', join(import.meta.dirname, 'up/slow-disk-main.ts')),
]

for (let start = 0; start < starts; start++) {
  for (const { main, numbers } of VARIANTS) {
    await using directory = openDirectory()
    const beganMs = performance.now()
    const up = await startUpFrom(main, directory.path)
    numbers.seenMs.push(performance.now() - beganMs)
    numbers.readyMs.push(up.readyMs)
    await up.stop()
    const again = await startUpFrom(main, directory.path)
    numbers.againMs.push(again.readyMs)
    await again.stop()
  }
}

{
  await using stack = new AsyncDisposableStack()
  const running: (Variant & { up: Up })[] = []
  for (const each of VARIANTS) {
    const directory = stack.use(openDirectory())
    const up = await startUpFrom(each.main, directory.path)
    stack.defer(async () => void (await up.stop()))
    running.push({ ...each, up })
  }
  const WARM_UP = 5
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const { up, numbers } of running) {
      const took = await mountAndDelete(up, `c${round + WARM_UP}`)
      if (round < 0) continue
      numbers.mountMs.push(took.mountMs)
      numbers.goneMs.push(took.goneMs)
    }
  }
}

async function mountAndDelete({ api, until }: Up, name: string): Promise<{ mountMs: number; goneMs: number }> {
  const appliedMs = performance.now()
  await createClaim(api, name)
  await createPod(api, name, name)
  await until(({ pods }) => pods.some(({ metadata, status }) => metadata.name === name && status?.phase === 'Running'))
  const mountedMs = performance.now()
  await api.delete(PODS, { namespace: NAMESPACE, name })
  await api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name })
  await until(isEmpty)
  return { mountMs: mountedMs - appliedMs, goneMs: performance.now() - mountedMs }
}

function isEmpty({ claims, volumes, pods, attachments }: Seen): boolean {
  return claims.length + volumes.length + pods.length + attachments.length === 0
}

function openDirectory(): AsyncDisposable & { readonly path: string } {
  const path = mkdtempSync(join(place, 'holdfast-bench-'))
  return { path, [Symbol.asyncDispose]: () => Promise.resolve(rmSync(path, { recursive: true })) }
}

const at = (numbers: readonly number[], share: number): string => {
  const sorted = numbers.toSorted((one, other) => one - other)
  return `${(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(0)} ms`.padStart(
    8,
  )
}

const ROWS: readonly [kind: keyof Numbers, text: string][] = [
  ['readyMs', 'process started to its line `ready`'],
  ['seenMs', 'the same until a client has read everything'],
  ['againMs', 'started again on the same data'],
  ['mountMs', 'claim and pod applied to mounted'],
  ['goneMs', 'claim and pod deleted to nothing left'],
]
for (const { name, numbers } of VARIANTS) {
  write(`${name.padEnd(44)}      p50       p90       p99`)
  for (const [kind, text] of ROWS)
    write(
      `  ${text.padEnd(42)}${[0.5, 0.9, 0.99].map((share) => `  ${at(numbers[kind], share)}`).join('')}   (${numbers[kind].length})`,
    )
}
write(
  `load of the machine at the end: ${loadavg()
    .map((load) => load.toFixed(1))
    .join(' ')}`,
)
