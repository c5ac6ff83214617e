import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { formatSanityReport, parseSanityReport } from './sanity-report.ts'

const spec = (name: string, state: string, message?: string): object => ({
  LeafNodeType: 'It',
  ContainerHierarchyTexts: ['Node Service'],
  LeafNodeText: name,
  State: state,
  ...(message === undefined ? {} : { Failure: { Message: message } }),
})

test('a report is counted by outcome, with the reason of each skip and failure', () => {
  const specs = [
    spec('works', 'passed'),
    spec('expands', 'skipped', 'NodeExpandVolume not supported'),
    spec('stages', 'failed', 'no'),
    spec('hangs', 'timedout', 'late'),
    spec('pages', 'pending'),
    { LeafNodeType: 'BeforeSuite', ContainerHierarchyTexts: null, LeafNodeText: '', State: 'passed' },
  ]
  const report = parseSanityReport(JSON.stringify([{ SpecReports: specs, SpecialSuiteFailureReasons: null }]))
  deepEqual(report, {
    passed: 1,
    failed: [
      { name: 'Node Service › stages', message: 'failed: no' },
      { name: 'Node Service › hangs', message: 'timedout: late' },
    ],
    skipped: [{ name: 'Node Service › expands', reason: 'NodeExpandVolume not supported' }],
    pending: ['Node Service › pages'],
  })
  equal(
    formatSanityReport(report).split('\n')[0],
    'csi-sanity: 1 passed, 2 failed, 1 skipped, 1 disabled by csi-sanity itself',
  )
})

test('a suite that ended early counts as failed', () => {
  const { failed } = parseSanityReport(
    JSON.stringify([{ SpecReports: [], SpecialSuiteFailureReasons: ['Interrupted by User'] }]),
  )
  deepEqual(failed, [{ name: 'the suite', message: 'Interrupted by User' }])
})
