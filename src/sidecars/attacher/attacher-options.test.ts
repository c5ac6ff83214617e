import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { defineCommand, parseArguments } from '../../base/options/index.ts'
import { attacherOptions } from './attacher-options.ts'

const command = defineCommand({ name: 'csi-attacher', summary: 'Attaches volumes.', options: attacherOptions })
const parse = (...words: string[]) => {
  const parsed = parseArguments(command, words)
  if (parsed.kind !== 'run') throw new Error(parsed.kind)
  return parsed.config
}

test('without flags the attacher has the defaults of upstream', () => {
  deepEqual(
    { ...parse() },
    {
      timeoutMs: 15_000,
      workerThreads: undefined,
      retryIntervalStartMs: 1000,
      retryIntervalMaxMs: 300_000,
      reconcileSyncMs: 60_000,
      maxEntries: 0,
      defaultFstype: '',
      volumeReleaseDelayMs: 60_000,
      maxGrpcLogLength: -1,
      resyncMs: 600_000,
    },
  )
})

test('flags have the names of upstream', () => {
  const { timeoutMs, workerThreads, defaultFstype, resyncMs } = parse(
    '--timeout=1m30s',
    '--worker-threads',
    '100',
    '-default-fstype=ext4',
    '--resync=1m',
    '--reconcile-sync=2m',
    '--max-entries=50',
    '--retry-interval-start=2s',
    '--retry-interval-max=10m',
  )
  deepEqual([timeoutMs, workerThreads, defaultFstype, resyncMs], [90_000, 100, 'ext4', 60_000])
  equal(parse('--retry-interval-max=10m').retryIntervalMaxMs, 600_000)
})

test('an attacher without workers is refused', () => {
  throws(() => parse('--worker-threads=0'), /worker-threads/)
})
