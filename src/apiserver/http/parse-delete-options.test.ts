import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../api/api-error.ts'
import { parseDeleteOptions } from './parse-delete-options.ts'

const NO_QUERY = new URLSearchParams()
const codeOf = (body: unknown, query = ''): number => {
  try {
    parseDeleteOptions(new URLSearchParams(query), body)
  } catch (error) {
    if (error instanceof ApiError) return error.code
    throw error
  }
  return 200
}

test('takes a body without kind and version, as kubectl sends it', () => {
  assert.deepEqual(parseDeleteOptions(NO_QUERY, { propagationPolicy: 'Background' }), {
    propagationPolicy: 'Background',
  })
})

test('takes all that a typed client sends', () => {
  const body = {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    gracePeriodSeconds: 0,
    preconditions: { uid: 'u', resourceVersion: '7' },
    dryRun: ['All'],
    orphanDependents: null,
  }
  assert.deepEqual(parseDeleteOptions(NO_QUERY, body), {
    gracePeriodSeconds: 0,
    preconditions: { uid: 'u', resourceVersion: '7' },
    dryRun: true,
  })
})

test('reads the query when there is no body', () => {
  const query = new URLSearchParams('gracePeriodSeconds=5&propagationPolicy=Foreground&dryRun=All')
  assert.deepEqual(parseDeleteOptions(query, undefined), {
    gracePeriodSeconds: 5,
    propagationPolicy: 'Foreground',
    dryRun: true,
  })
})

test('lets the body win, but never turns a dry run into a real one', () => {
  const query = new URLSearchParams('gracePeriodSeconds=5&dryRun=All')
  assert.deepEqual(parseDeleteOptions(query, { gracePeriodSeconds: 1 }), { gracePeriodSeconds: 1, dryRun: true })
})

test('understands the old way to ask for orphans', () => {
  assert.equal(parseDeleteOptions(NO_QUERY, { orphanDependents: true }).propagationPolicy, 'Orphan')
  assert.equal(parseDeleteOptions(NO_QUERY, { orphanDependents: false }).propagationPolicy, 'Background')
})

test('takes a negative grace period for the shortest one', () => {
  assert.equal(parseDeleteOptions(NO_QUERY, { gracePeriodSeconds: -1 }).gracePeriodSeconds, 1)
})

test('refuses contradictions and unknown values with 422', () => {
  assert.equal(codeOf({ orphanDependents: true, propagationPolicy: 'Orphan' }), 422)
  assert.equal(codeOf(undefined, 'orphanDependents=true&propagationPolicy=Orphan'), 422)
  assert.equal(codeOf({ propagationPolicy: 'Sideways' }), 422)
  assert.equal(codeOf({ dryRun: ['Some'] }), 422)
  assert.equal(codeOf({}, 'dryRun=Some'), 422)
})

test('refuses what is no DeleteOptions with 400', () => {
  for (const body of [
    [],
    'text',
    null,
    { kind: 'Pod' },
    { gracePeriodSeconds: '5' },
    { gracePeriodSeconds: 1.5 },
    { dryRun: 'All' },
    { preconditions: 'u' },
    { preconditions: { uid: 5 } },
  ]) {
    assert.equal(codeOf(body), 400, JSON.stringify(body))
  }
  assert.equal(codeOf(undefined, 'gracePeriodSeconds=soon'), 400)
})
