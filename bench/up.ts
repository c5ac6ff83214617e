import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { PERSISTENT_VOLUME_CLAIMS } from '../src/api/kinds/persistent-volume-claim.ts'
import { PODS } from '../src/api/kinds/pod.ts'
import { createClaim, createPod, NAMESPACE } from '../src/cluster/describe-cluster.ts'
import { startUp } from '../src/cluster/describe-up.ts'

// How soon a cluster is there, and how soon a claim with its pod is mounted: npm run bench up [-- --rounds=20 --data=DIR]. How to read it: bench/README.md.
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' }, data: { type: 'string' } } })
const rounds = Math.max(Number(values.rounds) || 0, 1)
const write = (line: string): void => void process.stdout.write(`${line}\n`)
const at = (numbers: readonly number[], share: number): string => {
  const sorted = numbers.toSorted((one, other) => one - other)
  return `${(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(0)} ms`
}

const STARTS = 3
const startMs: number[] = []
const mountMs: number[] = []
const goneMs: number[] = []
for (let start = 0; start < STARTS; start++) {
  const directory = mkdtempSync(join(resolve(values.data ?? tmpdir()), 'holdfast-bench-'))
  const beganMs = performance.now()
  const up = await startUp(directory)
  startMs.push(performance.now() - beganMs)
  const own = start === STARTS - 1 ? rounds : 1
  for (let round = 0; round < own; round++) {
    const name = `c${round}`
    const appliedMs = performance.now()
    await createClaim(up.api, name)
    await createPod(up.api, name, name)
    await up.until(({ pods }) => pods.some(({ metadata, status }) => metadata.name === name && status?.phase === 'Running'))
    if (start === STARTS - 1) mountMs.push(performance.now() - appliedMs)
    const deletedMs = performance.now()
    await up.api.delete(PODS, { namespace: NAMESPACE, name })
    await up.api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name })
    await up.until(({ claims, volumes, pods, attachments }) => claims.length + volumes.length + pods.length + attachments.length === 0)
    if (start === STARTS - 1) goneMs.push(performance.now() - deletedMs)
  }
  await up.stop()
  rmSync(directory, { recursive: true })
}
write(`start of the process to ready, and caches of the client full   p50 ${at(startMs, 0.5)}   worst ${at(startMs, 1)}`)
write(`claim and pod applied to pod Running (volume mounted)          p50 ${at(mountMs, 0.5)}   p90 ${at(mountMs, 0.9)}   worst ${at(mountMs, 1)}`)
write(`claim and pod deleted to nothing left                          p50 ${at(goneMs, 0.5)}   p90 ${at(goneMs, 0.9)}   worst ${at(goneMs, 1)}`)
