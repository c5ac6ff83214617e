import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { judgeRequest } from './judge-request.ts'
import type { SeenRequest, Session } from './judge-request.ts'

const SESSION: Session = { port: 8080, token: 'once', secret: 'kept' }
const COOKIE = 'other=1; holdfast-console-8080=kept'

const request = (more: Partial<SeenRequest> = {}): SeenRequest => ({
  method: 'GET',
  url: '/',
  host: '127.0.0.1:8080',
  cookie: COOKIE,
  origin: undefined,
  fetchSite: undefined,
  ...more,
})

describe('a request to the console', () => {
  const refused: [behaviour: string, more: Partial<SeenRequest>, status: number][] = [
    ['without the cookie', { cookie: undefined }, 401],
    ['with the cookie of another console', { cookie: 'holdfast-console-8081=kept' }, 401],
    ['with a wrong cookie', { cookie: 'holdfast-console-8080=guess' }, 401],
    ['with a wrong token', { cookie: undefined, url: '/?token=guess' }, 403],
    ['for a name that leads here by DNS', { host: 'evil.example:8080' }, 403],
    ['for another port', { host: '127.0.0.1:9090' }, 403],
    ['without a host', { host: undefined }, 403],
    ['from a page of another origin', { origin: 'https://evil.example' }, 403],
    ['from a page of another port of this machine', { origin: 'http://127.0.0.1:9090' }, 403],
    ['from another site', { fetchSite: 'cross-site' }, 403],
    ['that writes', { method: 'POST' }, 405],
  ]
  for (const [behaviour, more, status] of refused) {
    test(`${behaviour} is refused`, () => {
      const judged = judgeRequest(request(more), SESSION)
      deepEqual([judged.kind, judged.kind === 'refuse' && judged.status], ['refuse', status])
    })
  }

  test('with the cookie is served', () => {
    const judged = judgeRequest(
      request({ url: '/object?target=pvc%2Fa%2Fb', origin: 'http://127.0.0.1:8080' }),
      SESSION,
    )
    deepEqual(
      [judged.kind, judged.kind === 'serve' && [judged.path, judged.query.get('target')]],
      ['serve', ['/object', 'pvc/a/b']],
    )
  })

  test('with the token is admitted once', () => {
    const first = request({ cookie: undefined, url: '/?token=once', fetchSite: 'cross-site' })
    equal(judgeRequest(first, SESSION).kind, 'admit')
    equal(judgeRequest(first, { ...SESSION, token: undefined }).kind, 'refuse')
  })

  test('with the used token and the cookie goes to the first page', () => {
    equal(judgeRequest(request({ url: '/?token=once' }), { ...SESSION, token: undefined }).kind, 'to-start')
  })
})
