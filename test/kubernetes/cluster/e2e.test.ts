import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { formatE2eReport, parseE2eReport } from './e2e-report.ts'
import { DEFAULT_FOCUS, formatSuiteCommand } from './e2e-suite.ts'

const spec = (name: string, state: string, message?: string): object => ({
  LeafNodeType: 'It',
  ContainerHierarchyTexts: ['External Storage'],
  LeafNodeText: name,
  State: state,
  ...(message === undefined ? {} : { Failure: { Message: message } }),
})

test('a spec that was not selected is not counted, and one that skipped itself is, with its reason', () => {
  const specs = [
    spec('stores data', 'passed'),
    spec('is not selected', 'skipped'),
    spec('expands', 'skipped', 'no expansion'),
    spec('clones', 'failed', 'no\nclone'),
  ]
  const report = parseE2eReport(JSON.stringify([{ SpecReports: specs }]))
  deepEqual(report, {
    passed: 1,
    failed: [{ name: 'External Storage › clones', message: 'failed: no\nclone' }],
    skipped: [{ name: 'External Storage › expands', reason: 'no expansion' }],
  })
  equal(
    formatE2eReport(report),
    [
      'skipped: no expansion (1)',
      'failed: External Storage › clones',
      '    failed: no',
      '    clone',
      'e2e: 1 passed, 1 failed, 1 skipped',
      '',
    ].join('\n'),
  )
})

test('the flags of the runner come before the suite, and those of the suite after it', () => {
  const run = {
    suite: '/s/e2e.test',
    focus: ['a', 'b'],
    processes: 3,
    kubeconfig: '/k',
    driverFiles: ['/d', '/b'],
    out: '/o',
  }
  const args = formatSuiteCommand(run)
  const at = args.indexOf('/s/e2e.test')
  deepEqual(
    args.slice(0, at).filter((arg) => arg.startsWith('--focus') || arg.startsWith('--procs')),
    ['--procs=3', '--focus=a', '--focus=b'],
  )
  equal(args[at + 1], '--')
  for (const file of run.driverFiles) ok(args.indexOf(`--storage.testdriver=${file}`) > at)
})

test('the default selection has only specs of the driver, and none that breaks the node', () => {
  for (const focus of DEFAULT_FOCUS) match(focus, /^External\.Storage/)
  const run = { suite: 's', focus: DEFAULT_FOCUS, processes: 1, kubeconfig: '', driverFiles: [], out: '' }
  ok(formatSuiteCommand(run).some((arg) => arg.startsWith('--skip=Disruptive|Serial|')))
})
