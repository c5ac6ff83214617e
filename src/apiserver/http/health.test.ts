import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSilentLogger } from '../../base/logger.ts'
import { answerHealth } from './health.ts'
import type { HealthCheck } from './health.ts'

const storage: HealthCheck = { name: 'storage', findProblem: () => 'disk is full' }
const warm: HealthCheck = { name: 'warm', onlyReady: true, findProblem: () => 'not yet' }

function ask(target: string, checks: HealthCheck[] = []): string {
  const [path = '', query = ''] = target.split('?')
  const answer = answerHealth(path.split('/').slice(1), new URLSearchParams(query), {
    checks,
    log: createSilentLogger(),
  })
  return answer ? `${answer.status} ${String(answer.body)}` : 'nothing'
}

test('says ok when all is well', () => {
  for (const probe of ['/healthz', '/livez', '/readyz', '/livez/ping']) assert.equal(ask(probe), '200 ok')
})

test('lists its checks on request', () => {
  assert.equal(
    ask('/livez?verbose', [{ name: 'storage', findProblem: () => undefined }]),
    '200 [+]ping ok\n[+]storage ok\nlivez check passed\n',
  )
})

test('names what failed, but not why', () => {
  assert.equal(ask('/healthz', [storage]), '500 [+]ping ok\n[-]storage failed: reason withheld\nhealthz check failed\n')
  assert.equal(ask('/livez/storage', [storage]), '500 [-]storage failed: reason withheld\nlivez check failed\n')
  assert.equal(ask('/livez/ping', [storage]), '200 ok')
})

test('counts a check that throws as failed', () => {
  const broken: HealthCheck = {
    name: 'broken',
    findProblem: () => {
      throw new Error('oops')
    },
  }
  assert.match(ask('/healthz', [broken]), /^500/)
})

test('is alive before it is ready', () => {
  assert.equal(ask('/livez', [warm]), '200 ok')
  assert.match(ask('/readyz', [warm]), /^500 .*\[-\]warm/s)
  assert.equal(ask('/readyz?exclude=warm', [warm]), '200 ok')
})

test('knows no other checks', () => {
  assert.equal(ask('/livez/nothing'), 'nothing')
  assert.equal(ask('/livez/ping/more'), 'nothing')
})
