import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { loadCase, readCorpus } from './testing/describe-corpus.ts'
import { explain } from './explain.ts'
import { parseTarget } from './parse-target.ts'

describe('stuck clusters', () => {
  for (const { name, ask, answer, also, objects } of readCorpus()) {
    test(`${name}: says why, and what would clear it`, async (context) => {
      const { api, fill } = await loadCase(context, objects)
      const target = parseTarget(ask)
      ok(typeof target === 'object', ask)
      const answered = await explain(target, { api, namespace: 'default', signal: new AbortController().signal })
      equal(answered.kind === 'explained' ? answered.explanation.sentence : answered.kind, fill(answer))
      ok(answered.kind === 'explained' && !answered.explanation.isReady)
      deepEqual(answered.explanation.alsoWaitsFor, also.map(fill))
    })
  }
})
