import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { ApiError } from '../api/api-error.ts'
import type { Api } from '../api/api.ts'
import { LEASES } from '../api/kinds/lease.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { openTestCore } from '../apiserver/testing/open-test-core.ts'
import { loadCase, readCorpus } from '../explain/testing/describe-corpus.ts'
import { claimOf, createOn } from '../testing/objects.ts'
import { openConsole } from './testing/open-console.ts'
import type { ObjectAnswer, StreamMessage } from './protocol.ts'

/** Opens the address as a browser does. */
async function admit(address: string): Promise<{ origin: string; cookie: string }> {
  const response = await fetch(address, { redirect: 'manual' })
  equal(response.status, 303)
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';')
  return { origin: new URL(address).origin, cookie }
}

/** Messages of the stream, until one is what is looked for. */
async function untilMessage(
  { origin, cookie }: { origin: string; cookie: string },
  isIt: (message: StreamMessage) => boolean,
  act: () => Promise<unknown> = () => Promise.resolve(),
): Promise<StreamMessage[]> {
  const abort = new AbortController()
  const response = await fetch(`${origin}/stream`, { headers: { cookie }, signal: abort.signal })
  ok(response.body)
  const seen: StreamMessage[] = []
  let text = ''
  let hasActed = false
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk
    const parts = text.split('\n\n')
    text = parts.pop() ?? ''
    for (const part of parts.filter((each) => each.startsWith('data: ')))
      seen.push(JSON.parse(part.slice('data: '.length)) as StreamMessage)
    if (seen.some(isIt)) break
    if (!hasActed && seen.some(({ kind }) => kind === 'complete')) {
      hasActed = true
      await act()
    }
  }
  abort.abort()
  return seen
}

const openWith = async (context: TestContext, change: (api: Api) => Api = (api) => api) => {
  const { api } = await openTestCore(context)
  await createOn(api, PERSISTENT_VOLUME_CLAIMS, claimOf({ namespace: 'default', name: 'data', className: 'fast' }))
  const running = await openConsole(context, change(api))
  return { api, address: running.address }
}

test('the console sends its rows, then each change', async (context) => {
  const { api, address } = await openWith(context)
  const browser = await admit(address)
  const hasRow = (name: string) => (message: StreamMessage) =>
    message.kind === 'rows' && message.table === 'claims' && message.put.some(({ key }) => key === name)
  const messages = await untilMessage(browser, hasRow('default/late'), () =>
    createOn(api, PERSISTENT_VOLUME_CLAIMS, claimOf({ namespace: 'default', name: 'late', className: 'fast' })),
  )
  deepEqual(messages[0]?.kind, 'hello')
  const complete = messages.findIndex(({ kind }) => kind === 'complete')
  ok(messages.slice(0, complete).some(hasRow('default/data')))
  ok(!messages.slice(0, complete).some(hasRow('default/late')))
})

test('the console tells what is waiting, and why', async (context) => {
  const { address } = await openWith(context)
  const browser = await admit(address)
  const isStuck = (message: StreamMessage): boolean => message.kind === 'rows' && message.table === 'stuck'
  const stuck = (await untilMessage(browser, isStuck)).find(isStuck)
  match(String(stuck?.kind === 'rows' && stuck.put[0]?.cells[0]), /^Claim data is waiting for StorageClass fast: /)
})

test('the console knows from its lease that a sidecar is not running, as `why` does', async (context) => {
  const found = readCorpus().find(({ name }) => name === 'attacher that is not running')
  ok(found)
  const { api, fill } = await loadCase(context, found.objects)
  const ref = { namespace: 'default', name: 'external-attacher-leader-csi-example-com' }
  // Long ago for the clock of this machine, too.
  const value = { spec: { renewTime: '2020-01-01T00:00:00.000000Z' } }
  await api.patch(LEASES, ref, { type: 'merge', value })
  const browser = await admit((await openConsole(context, api)).address)
  const target = encodeURIComponent(fill(found.ask))
  const response = await fetch(`${browser.origin}/object?target=${target}`, { headers: { cookie: browser.cookie } })
  const answer = (await response.json()) as ObjectAnswer
  const pattern = /No attacher of driver csi\.example\.com is running: Lease/
  match('page' in answer ? (answer.page.explanation?.sentence ?? '') : '', pattern)
  const isStuck = (message: StreamMessage): boolean => message.kind === 'rows' && message.table === 'stuck'
  match(JSON.stringify((await untilMessage(browser, isStuck)).find(isStuck)), pattern)
})

test('the console sends the page of an object, or why there is none', async (context) => {
  const { address } = await openWith(context)
  const { origin, cookie } = await admit(address)
  const read = async (target: string): Promise<ObjectAnswer> =>
    (await (await fetch(`${origin}/object?target=${target}`, { headers: { cookie } })).json()) as ObjectAnswer
  const answer = await read('pvc/default/data')
  ok('page' in answer)
  deepEqual(
    [
      `${answer.page.kind} ${answer.page.name}`,
      answer.page.explanation?.cause?.code,
      answer.page.finalizers.map(({ holder }) => holder),
    ],
    ['PersistentVolumeClaim default/data', 'StorageClassMissing', ['PVC protection controller']],
  )
  deepEqual(await read('pvc/default/none'), { problem: 'pvc/default/none does not exist. It may have been deleted.' })
  match(JSON.stringify(await read('service/a')), /unknown kind \\"service\\"/)
})

test('the console serves nothing to who has not opened its address, and its address only once', async (context) => {
  const { address } = await openWith(context)
  const origin = new URL(address).origin
  for (const path of ['/', '/page/main.ts', '/stream', '/object?target=pvc/default/data'])
    equal((await fetch(`${origin}${path}`)).status, 401, path)
  const { cookie } = await admit(address)
  equal((await fetch(address, { redirect: 'manual' })).status, 403)
  const response = await fetch(origin, { headers: { cookie } })
  equal(response.status, 200)
  match(response.headers.get('content-security-policy') ?? '', /^default-src 'none'; script-src 'self' 'sha256-/)
  deepEqual((await fetch(`${origin}/page/..%2fserve-console.ts`, { headers: { cookie } })).status, 404)
  deepEqual((await fetch(`${origin}/object?target=pv/a`, { method: 'POST', headers: { cookie } })).status, 405)
})

test('a kind that may not be listed leaves its table empty, with a note', async (context) => {
  const { address } = await openWith(context, (api) => ({
    ...api,
    list: async (type, options) => {
      if (type.plural === 'persistentvolumes') throw new ApiError('Forbidden', 'persistentvolumes is forbidden')
      return api.list(type, options)
    },
  }))
  const [hello] = await untilMessage(await admit(address), ({ kind }) => kind === 'complete')
  const note = hello?.kind === 'hello' ? hello.tables.find(({ name }) => name === 'volumes')?.note : undefined
  match(note ?? '', /^You may not list persistentvolumes/)
})
