import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { loadCase, readCorpus } from './testing/describe-corpus.ts'
import { explain } from './explain.ts'
import { formatClock } from './format-explanation.ts'
import { parseTarget } from './parse-target.ts'

describe('stuck clusters', () => {
  for (const { name, ask, answer, also, nowMs, clocks, objects } of readCorpus()) {
    test(`${name}: says why, and what would clear it`, async (context) => {
      const { api, fill } = await loadCase(context, objects)
      const target = parseTarget(ask)
      ok(typeof target === 'object', ask)
      const signal = new AbortController().signal
      const time = nowMs === undefined ? {} : { nowMs }
      const answered = await explain(target, { api, namespace: 'default', signal, ...time })
      equal(answered.kind === 'explained' ? answered.explanation.sentence : answered.kind, fill(answer))
      ok(answered.kind === 'explained' && !answered.explanation.isReady)
      deepEqual(answered.explanation.alsoWaitsFor, also.map(fill))
      deepEqual(
        answered.explanation.clocks.map((clock) => formatClock(clock, nowMs)),
        clocks.map(fill),
      )
    })
  }
})
