import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { Rpc } from '../../csi/index.ts'
import { watchProgress } from './watch-progress.ts'

// Only the name matters.
const rpc = { name: 'CreateVolume' } as Rpc

test('only a call that succeeds for the first time is progress', () => {
  let nowMs = 1
  const { onEnd, lastMs } = watchProgress({ monotonicMs: () => nowMs })
  const end = (atMs: number, name: string, code: 'OK' | 'INTERNAL'): number => {
    nowMs = atMs
    onEnd({ rpc, request: { name }, response: undefined, code, error: undefined, tookMs: 1 })
    return lastMs()
  }
  equal(end(2, 'a', 'INTERNAL'), 1)
  equal(end(3, 'a', 'OK'), 3)
  equal(end(4, 'a', 'OK'), 3)
  equal(end(5, 'b', 'OK'), 5)
})
