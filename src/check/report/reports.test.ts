import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { Case, CaseInfo } from '../case.ts'
import type { RunReport } from '../run-check.ts'
import { formatHtml } from './format-html.ts'
import { formatJson } from './format-json.ts'
import { formatJunit } from './format-junit.ts'
import { formatFailures, formatVerdict } from './format-text.ts'

const caseOf = (id: string): Case => ({
  id,
  title: `title of ${id}`,
  clause: 'The plugin MUST <do> it.',
  section: 'CreateVolume',
  needs: [],
  run: () => Promise.resolve(),
})
const DRIVER = { name: 'a.example', version: '1' }
const REPORT: RunReport = {
  run: '0a0b0c0d',
  startedAtMs: 0,
  tookMs: 1500,
  left: [],
  results: [
    { case: caseOf('create/a'), outcome: { kind: 'passed' }, tookMs: 5 },
    { case: caseOf('create/b'), outcome: { kind: 'not-applicable', reason: 'no GET_VOLUME' }, tookMs: 0 },
    {
      case: caseOf('delete/c'),
      outcome: {
        kind: 'failed',
        failure: {
          expected: 'OK',
          found: 'NotFound: <b>\u0000',
          calls: [{ rpc: 'DeleteVolume', request: { volume_id: 'v' }, code: 'NOT_FOUND', error: 'no', tookMs: 1 }],
        },
      },
      tookMs: 7,
    },
  ],
}
const clean = (run: string): string => `holdfast check --clean=${run}`
const repeat = (one: CaseInfo): string => `holdfast check /s --only=${one.id}`

test('the text of a failure has the clause, the call, what was expected and found, and the command that repeats it', () => {
  const text = formatFailures(REPORT.results, repeat)
  for (const part of [
    'The plugin MUST <do> it.',
    'expected       OK',
    'found          NotFound',
    'DeleteVolume {"volume_id":"v"}',
    'NOT_FOUND: no',
    'holdfast check /s --only=delete/c',
  ])
    ok(text.includes(part), part)
})

test('the verdict is one line that begins with FAILED if a case failed', () => {
  equal(formatVerdict(DRIVER, REPORT, clean), '\nFAILED: a.example 1: 1 passed, 1 failed, 1 not applicable, in 1.5 s\n')
})

test('a run that leaves something behind is not passed', () => {
  const text = formatVerdict(DRIVER, { ...REPORT, results: REPORT.results.slice(0, 1), left: ['volume v'] }, clean)
  match(text, /left behind: volume v\n.*--clean=0a0b0c0d\nFAILED/s)
})

test('the JSON has every case with its result', () => {
  const value = JSON.parse(formatJson(DRIVER, REPORT, repeat)) as {
    cases: { id: string; result: string }[]
    failed: number
  }
  deepEqual(
    value.cases.map(({ id, result }) => [id, result]),
    [
      ['create/a', 'passed'],
      ['create/b', 'not-applicable'],
      ['delete/c', 'failed'],
    ],
  )
  equal(value.failed, 1)
})

test('the JUnit file is well formed whatever the driver writes', () => {
  const xml = formatJunit(DRIVER, REPORT, repeat)
  match(xml, /tests="3" failures="1" skipped="1"/)
  ok(!xml.includes('<b>') && !xml.includes('\u0000'))
})

test('the page stands alone and escapes what the driver writes', () => {
  const html = formatHtml(DRIVER, REPORT, repeat)
  ok(!/(src|href)=/.test(html))
  ok(!html.includes('<b>'))
  match(html, /Failed: 1 passed, 1 failed, 1 not applicable/)
})
