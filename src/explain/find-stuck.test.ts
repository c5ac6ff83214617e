import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { loadCase, readCorpus } from './testing/describe-corpus.ts'
import { findStuck } from './find-stuck.ts'
import type { Stuck } from './find-stuck.ts'
import { formatStuck } from './format-stuck.ts'

const corpus = readCorpus()
const ASKED_ONLY = new Set([
  'released and retained',
  'running without its config map',
  'content retained',
  'content without its snapshot',
  // Listed as the snapshot that is waiting for the content.
  'snapshot not ready on the array',
])

async function stuckOf(context: TestContext, name: string): Promise<{ stuck: Stuck; answer: string }> {
  const found = corpus.find((each) => each.name === name)
  ok(found, name)
  const { api, fill } = await loadCase(context, found.objects)
  const time = found.nowMs === undefined ? {} : { nowMs: found.nowMs }
  const stuck = await findStuck({ api, signal: new AbortController().signal, ...time })
  return { stuck, answer: fill(found.answer) }
}

describe('everything that is stuck', () => {
  test('is one group for one cause, the object nearest to it first', async (context) => {
    const { stuck } = await stuckOf(context, 'missing class')
    deepEqual(
      stuck.groups.map(({ cause, objects }) => [
        cause?.code,
        objects.map(({ object }) => `${object.kind}/${object.name}`),
      ]),
      [['StorageClassMissing', ['PersistentVolumeClaim/data', 'Pod/web']]],
    )
    equal(
      formatStuck(stuck),
      `2 objects are waiting, for one reason.\n\n${stuck.groups[0]?.sentence}\n  PersistentVolumeClaim/default/data  Pending\n  Pod/default/web  Pending\n`,
    )
  })

  for (const { name, ask } of corpus) {
    // A volume or content that is retained on purpose, a pod that is reported as running, and what many objects depend on, is only explained when
    // it is asked about.
    if (/^(node|ns|sc|vac|vsclass|driver)\//.test(ask) || ASKED_ONLY.has(name)) continue
    test(`has what the corpus asks about in "${name}"`, async (context) => {
      const { stuck, answer } = await stuckOf(context, name)
      const sentences = stuck.groups.flatMap(({ objects }) => objects.map(({ sentence }) => sentence))
      ok(sentences.includes(answer), `${answer}\nis none of\n${sentences.join('\n')}`)
    })
  }
})
