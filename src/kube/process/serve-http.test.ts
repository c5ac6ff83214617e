import { deepEqual, equal, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSilentLogger } from '../../base/logger.ts'
import { parseAddress, serveHttp } from './serve-http.ts'

describe('parseAddress', () => {
  const cases: [address: string, host: string | undefined, port: number][] = [
    [':8080', undefined, 8080],
    ['8080', undefined, 8080],
    ['127.0.0.1:80', '127.0.0.1', 80],
    ['localhost:1', 'localhost', 1],
    ['[::1]:443', '::1', 443],
  ]
  for (const [address, host, port] of cases)
    test(`reads ${address}`, () => deepEqual(parseAddress(address), { host, port }))
  for (const wrong of ['', 'localhost', ':99999', '::1:80', 'a:b'])
    test(`refuses ${JSON.stringify(wrong)}`, () => throws(() => parseAddress(wrong), /is not an address/))
})

test('serves its routes, 404 for the rest, and 500 for one that fails', async () => {
  const server = await serveHttp(
    '127.0.0.1:0',
    {
      '/healthz': async () => ({ status: 200, contentType: 'text/plain', body: 'ok' }),
      '/broken': () => Promise.reject(new Error('no metrics')),
    },
    createSilentLogger(),
  )
  try {
    const get = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`)
      return [response.status, await response.text()]
    }
    deepEqual(await get('/healthz?verbose'), [200, 'ok'])
    deepEqual(await get('/broken'), [500, 'internal error\n'])
    equal((await get('/other'))[0], 404)
  } finally {
    await server.close()
  }
})
