import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../api/api-error.ts'
import { parseBodyOptions, parseIncludeObject, parseListOptions, parseWatchOptions } from './parse-options.ts'

const query = (text: string): URLSearchParams => new URLSearchParams(text)
const refusal = (parse: () => unknown): string => {
  try {
    parse()
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`
    throw error
  }
  return 'accepted'
}

test('reads what a list is limited to', () => {
  const options = parseListOptions(
    query(
      'labelSelector=a%3Db&fieldSelector=metadata.name%3Dx&resourceVersion=5&resourceVersionMatch=Exact&limit=500&continue=abc&timeout=32s',
    ),
  )
  assert.deepEqual(options, {
    labelSelector: 'a=b',
    fieldSelector: 'metadata.name=x',
    resourceVersion: '5',
    resourceVersionMatch: 'Exact',
    limit: 500,
    continueToken: 'abc',
  })
})

test('takes empty parameters as absent', () => {
  assert.deepEqual(parseListOptions(query('labelSelector=&resourceVersion=&limit=0&continue=')), {})
})

test('reads how a watch is to begin', () => {
  const options = parseWatchOptions(
    query(
      'watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=300&resourceVersion=',
    ),
  )
  assert.deepEqual(options, {
    resourceVersionMatch: 'NotOlderThan',
    allowBookmarks: true,
    sendInitialEvents: true,
    timeoutSeconds: 300,
  })
})

test('keeps sendInitialEvents=false apart from its absence', () => {
  assert.equal(parseWatchOptions(query('sendInitialEvents=false')).sendInitialEvents, false)
  assert.equal('sendInitialEvents' in parseWatchOptions(query('watch=1')), false)
})

const LIST = '422 ListOptions.meta.k8s.io "" is invalid: '
const refusals: [behaviour: string, parse: () => unknown, refusal: string][] = [
  [
    'a limit that is no number',
    () => parseListOptions(query('limit=many')),
    '400 strconv.ParseInt: parsing "many": invalid syntax (parameter limit)',
  ],
  [
    'a timeout of a list that is no number',
    () => parseListOptions(query('timeoutSeconds=soon')),
    '400 strconv.ParseInt: parsing "soon": invalid syntax (parameter timeoutSeconds)',
  ],
  [
    'initial events for a list',
    () => parseListOptions(query('sendInitialEvents=true')),
    `${LIST}sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list`,
  ],
  [
    'a match that is unknown',
    () => parseListOptions(query('resourceVersionMatch=Newest')),
    `${LIST}resourceVersionMatch: Unsupported value: "Newest": supported values: "Exact", "NotOlderThan", ""`,
  ],
  [
    'an exact match for a watch',
    () => parseWatchOptions(query('resourceVersionMatch=Exact&sendInitialEvents=1')),
    `${LIST}resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`,
  ],
  [
    'a dry run that is not of everything',
    () => parseBodyOptions(query('dryRun=Some'), 'CreateOptions'),
    '422 CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: "Some": supported values: "All"',
  ],
  [
    'a dry run without a value',
    () => parseBodyOptions(query('dryRun'), 'CreateOptions'),
    '422 CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: "": supported values: "All"',
  ],
  [
    'a field validation that is unknown',
    () => parseBodyOptions(query('fieldValidation=Loud'), 'UpdateOptions'),
    '422 UpdateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Loud": supported values: "Ignore", "Strict", "Warn"',
  ],
  [
    'force without apply',
    () => parseBodyOptions(query('force=true'), 'PatchOptions'),
    '422 PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
  ],
  [
    'a long field manager',
    () => parseBodyOptions(query(`fieldManager=${'m'.repeat(129)}`), 'PatchOptions'),
    '422 PatchOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
  ],
  [
    'an unknown includeObject',
    () => parseIncludeObject(query('includeObject=All')),
    '400 Invalid value for parameter "includeObject": "All": must be one of None, Metadata, Object',
  ],
]
for (const [behaviour, parse, expected] of refusals)
  test(`refuses ${behaviour}`, () => assert.equal(refusal(parse), expected))

test('warns about unknown fields unless told otherwise', () => {
  assert.deepEqual(parseBodyOptions(query(''), 'CreateOptions'), { dryRun: false, fieldValidation: 'Warn' })
  assert.deepEqual(parseBodyOptions(query('dryRun=All&fieldValidation=Strict&fieldManager=kubectl'), 'CreateOptions'), {
    dryRun: true,
    fieldValidation: 'Strict',
    fieldManager: 'kubectl',
  })
})
