import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '../../base/random.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { createTracer } from '../../base/tracing/index.ts'
import type { Span } from '../../base/tracing/index.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { bindVolume, createPod, openVolumes } from './testing/describe-volumes.ts'

test('a step that fails to stage a volume has the error in the trace, and the one that succeeds has none', async (context) => {
  const spans: Span[] = []
  const parts = { clock: createSimulatedClock(), random: createSeededRandom(1) }
  const tracer = createTracer(parts, (span) => spans.push(span))
  const node = await openVolumes(context, { tracer })
  let isBroken = true
  // The driver of this test is no client that records its calls.
  node.ledger.before = (call) =>
    tracer.call({ name: call }, async () => {
      if (isBroken && call.startsWith('stage')) throw new CsiError('INTERNAL', 'disk on fire')
    })
  await bindVolume(node.api, 'a')
  await createPod(node.api, 'a')
  await node.settled()
  isBroken = false
  await node.advance(500)
  deepEqual(
    spans
      .filter(({ kind, name }) => kind === 'step' && ['stage', 'publish'].includes(name))
      .map(({ part, name, error }) => [part, name, error]),
    [
      ['node-1', 'stage', 'NodeStageVolume: Internal: disk on fire'],
      ['node-1', 'stage', undefined],
      ['node-1', 'publish', undefined],
    ],
  )
})
