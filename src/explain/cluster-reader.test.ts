import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../api/api-error.ts'
import type { Api, ListOptions } from '../api/api.ts'
import { PODS } from '../api/kinds/pod.ts'
import type { Pod } from '../api/kinds/pod.ts'
import { createClusterReader, MOST_LISTED } from './cluster-reader.ts'

const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name: 'web' },
  spec: { containers: [] },
}
const { signal } = new AbortController()

/** Only what reading asks for. */
const readerOver = (api: Partial<Record<'get' | 'list', (...args: never[]) => Promise<unknown>>>) =>
  createClusterReader(api as unknown as Api, signal)

test('a list that does not end is cut, and the answer says so', async () => {
  let pages = 0
  const reader = readerOver({
    list: async (_type: unknown, { limit = 0 }: ListOptions) => ({
      items: Array.from({ length: limit }, () => pod),
      resourceVersion: '1',
      continueToken: String(++pages),
    }),
  })
  equal((await reader.list(PODS))?.length, MOST_LISTED)
  deepEqual(reader.unseen(), [`pods: only the first ${MOST_LISTED} were looked at`])
})

test('everything is asked for once', async () => {
  let asked = 0
  const reader = readerOver({
    get: async () => {
      asked++
      return pod
    },
  })
  for (let times = 0; times < 3; times++) await reader.get(PODS, { namespace: 'default', name: 'web' })
  equal(asked, 1)
})

test('a kind that the server does not know has no objects', async () => {
  const reader = readerOver({
    list: () => Promise.reject(new ApiError('NotFound', 'the server could not find the requested resource')),
  })
  deepEqual([await reader.list(PODS), reader.unseen()], [[], []])
})

test('a server that fails is no answer', async () => {
  const reader = readerOver({ get: () => Promise.reject(new ApiError('InternalError', 'no')) })
  await rejects(reader.get(PODS, { namespace: 'default', name: 'web' }), /no/)
})
