import { deepEqual, equal, rejects } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ApiError } from '../../api/api-error.ts'
import type { ListOptions } from '../../api/api.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import { EVENTS } from '../../api/kinds/event.ts'
import { EVENTS_V1_EVENTS } from '../../api/kinds/events-v1-event.ts'
import { NAMESPACES } from '../../api/kinds/namespace.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { SECRETS } from '../../api/kinds/secret.ts'
import type { KubeObject } from '../../api/object.ts'
import { isRefusal } from '../testing/is-refusal.ts'
import { configMap, pod } from '../testing/objects-under-test.ts'
import { openServerUnderTest } from '../testing/open-server-under-test.ts'
import type { ServerUnderTest } from '../testing/open-server-under-test.ts'

let server: ServerUnderTest
before(async () => {
  server = await openServerUnderTest()
  const { api } = server
  for (const name of ['b', 'a', 'a-b'])
    await api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  await api.create(PODS, pod('web-2', { namespace: 'a', labels: { app: 'web', tier: 'front' } }, { nodeName: 'n1' }))
  await api.create(PODS, pod('web-1', { namespace: 'a', labels: { app: 'web' } }))
  await api.create(
    PODS,
    pod('db', { namespace: 'b', labels: { app: 'db' } }, { nodeName: 'n1', restartPolicy: 'Never' }),
  )
  await api.create(PODS, pod('job', { namespace: 'a-b' }, { nodeName: 'n2', schedulerName: 'mine' }))
})
after(() => server.close())

const MINUTES = (count: number): number => count * 60_000
const keysOf = (items: readonly KubeObject[]): string[] =>
  items.map(({ metadata }) => (metadata.namespace ? `${metadata.namespace}/${metadata.name}` : (metadata.name ?? '')))
const list = async (options: ListOptions): Promise<string[]> => keysOf((await server.api.list(PODS, options)).items)

describe('list', () => {
  test('is in order of namespace and name, over all namespaces or in one', async () => {
    deepEqual(await list({}), ['a-b/job', 'a/web-1', 'a/web-2', 'b/db'])
    deepEqual(await list({ namespace: 'a' }), ['a/web-1', 'a/web-2'])
    deepEqual(await list({ namespace: 'nowhere' }), [])
  })

  test('names the revision of the whole world, also when it is empty', async () => {
    const { items, resourceVersion } = await server.api.list(SECRETS)
    deepEqual([items, resourceVersion], [[], String(server.core.parts.store.revision())])
  })

  test('comes in pages that say how much is left, where that is known', async () => {
    const first = await server.api.list(PODS, { limit: 3 })
    deepEqual([keysOf(first.items), first.remainingItemCount], [['a-b/job', 'a/web-1', 'a/web-2'], 1])
    const last = await server.api.list(PODS, { limit: 3, continueToken: first.continueToken ?? '' })
    deepEqual([keysOf(last.items), last.continueToken, last.remainingItemCount], [['b/db'], undefined, undefined])
    const selected = await server.api.list(PODS, { limit: 1, labelSelector: 'app=web' })
    deepEqual([keysOf(selected.items), selected.remainingItemCount], [['a/web-1'], undefined])
    const exact = await server.api.list(PODS, { limit: 4 })
    deepEqual([exact.items.length, exact.continueToken], [4, undefined], 'a full last page is the last one')
    equal((await server.api.list(PODS, { limit: 1, resourceVersion: '0' })).items.length, 4, 'any version: everything')
  })

  test('goes on without its revision when that is forgotten, if the client accepts it', async () => {
    await using small = await openServerUnderTest({ watchWindowBytes: 1 })
    for (const name of ['a', 'b', 'c']) await small.api.create(CONFIG_MAPS, configMap(name))
    const first = await small.api.list(CONFIG_MAPS, { namespace: 'default', limit: 1 })
    await small.api.create(CONFIG_MAPS, configMap('aa'))
    await small.api.create(CONFIG_MAPS, configMap('d'))
    let token = ''
    await rejects(
      small.api.list(CONFIG_MAPS, { namespace: 'default', continueToken: first.continueToken ?? '' }),
      (error: ApiError) => {
        deepEqual([error.reason, error.code], ['Expired', 410])
        token = error.continueToken ?? ''
        return true
      },
    )
    const rest = await small.api.list(CONFIG_MAPS, { namespace: 'default', continueToken: token })
    deepEqual(keysOf(rest.items).slice(0, 4), ['default/aa', 'default/b', 'default/c', 'default/d'])
  })

  test('goes on at its revision for five minutes, and no longer than ten', async () => {
    await using one = await openServerUnderTest()
    for (const name of ['a', 'b', 'c']) await one.api.create(CONFIG_MAPS, configMap(name))
    const first = await one.api.list(CONFIG_MAPS, { namespace: 'default', limit: 1 })
    const goOn = (continueToken = first.continueToken ?? ''): ReturnType<typeof one.api.list> =>
      one.api.list(CONFIG_MAPS, { namespace: 'default', limit: 1, continueToken })
    const atFirst = { resourceVersion: first.resourceVersion ?? '', resourceVersionMatch: 'Exact' as const }
    await one.api.create(CONFIG_MAPS, configMap('d'))
    await one.clock.advance(MINUTES(5))
    await one.settled()
    deepEqual(keysOf((await goOn()).items), ['default/b'])
    await one.clock.advance(MINUTES(5))
    await one.settled()
    await rejects(goOn(), isRefusal('Expired', /continue parameter is too old/))
    await rejects(
      one.api.list(CONFIG_MAPS, atFirst),
      isRefusal('Expired', /The provided resource version is too old: \d+ \(\d+\)/),
    )
  })

  test('at the newest version never expires', async () => {
    await using one = await openServerUnderTest()
    await one.api.create(CONFIG_MAPS, configMap('a'))
    await one.api.create(CONFIG_MAPS, configMap('b'))
    const { continueToken = '' } = await one.api.list(CONFIG_MAPS, { namespace: 'default', limit: 1 })
    await one.clock.advance(MINUTES(60))
    await one.settled()
    const { items } = await one.api.list(CONFIG_MAPS, { namespace: 'default', limit: 1, continueToken })
    deepEqual(keysOf(items), ['default/b'])
  })

  const selections: [
    selector: Pick<ListOptions, 'labelSelector' | 'fieldSelector' | 'namespace'>,
    expected: string[],
  ][] = [
    [{ labelSelector: 'app=web' }, ['a/web-1', 'a/web-2']],
    [{ labelSelector: 'app==web,tier' }, ['a/web-2']],
    [{ labelSelector: 'app,!tier' }, ['a/web-1', 'b/db']],
    [{ labelSelector: 'app!=web' }, ['a-b/job', 'b/db']],
    [{ labelSelector: 'app in (web,db),tier notin (front)' }, ['a/web-1', 'b/db']],
    [{ fieldSelector: 'spec.nodeName=n1' }, ['a/web-2', 'b/db']],
    [{ fieldSelector: 'spec.nodeName=' }, ['a/web-1']],
    [{ fieldSelector: 'spec.nodeName!=n1' }, ['a-b/job', 'a/web-1']],
    [{ fieldSelector: 'spec.host=n2' }, ['a-b/job']],
    [{ fieldSelector: 'metadata.name=db' }, ['b/db']],
    [{ fieldSelector: 'metadata.name=db', namespace: 'a' }, []],
    [{ fieldSelector: 'metadata.namespace=a,metadata.name!=web-1' }, ['a/web-2']],
    [{ fieldSelector: 'metadata.name=db,metadata.name=job' }, []],
    [{ fieldSelector: 'spec.restartPolicy=Never' }, ['b/db']],
    [{ fieldSelector: 'spec.schedulerName=mine' }, ['a-b/job']],
    [{ fieldSelector: 'status.phase=Pending,spec.hostNetwork=false', namespace: 'b' }, ['b/db']],
    [{ fieldSelector: 'spec.nodeName=n1', labelSelector: 'app=db' }, ['b/db']],
  ]
  for (const [selector, expected] of selections)
    test(`selects by ${JSON.stringify(selector)}`, async () => deepEqual(await list(selector), expected))

  test('refuses fields that the kind is not selected by, and selectors that make no sense', async () => {
    await rejects(
      list({ fieldSelector: 'spec.containers=x' }),
      isRefusal('BadRequest', /field label not supported: spec\.containers/),
    )
    await rejects(
      list({ fieldSelector: 'constructor=x' }),
      isRefusal('BadRequest', /field label not supported: constructor/),
    )
    await rejects(list({ fieldSelector: 'metadata.name' }), isRefusal('BadRequest', /./))
    await rejects(list({ labelSelector: 'a=b=c' }), isRefusal('BadRequest', /./))
    await rejects(
      server.api.list(NODES, { fieldSelector: 'metadata.namespace=a' }),
      isRefusal('BadRequest', /metadata\.namespace/),
    )
  })

  test('selects by the fields of the version that was asked for', async () => {
    const involvedObject = { kind: 'Pod', namespace: 'default', name: 'p1' }
    await server.api.create(EVENTS, {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace: 'default', name: 'e1' },
      involvedObject,
      reason: 'Started',
      type: 'Normal',
    })
    deepEqual(keysOf((await server.api.list(EVENTS, { fieldSelector: 'involvedObject.name=p1' })).items), [
      'default/e1',
    ])
    deepEqual(keysOf((await server.api.list(EVENTS_V1_EVENTS, { fieldSelector: 'regarding.name=p1' })).items), [
      'default/e1',
    ])
    deepEqual(keysOf((await server.api.list(EVENTS_V1_EVENTS, { fieldSelector: 'regarding.name=p2' })).items), [])
    await rejects(
      server.api.list(EVENTS_V1_EVENTS, { fieldSelector: 'involvedObject.name=p1' }),
      isRefusal('BadRequest', /not supported/),
    )
  })
})

describe('the revision of a list', () => {
  const current = () => server.core.parts.store.revision()
  const ask = (options: ListOptions) => server.api.list(PODS, options)
  const tooLarge = (error: unknown): true => {
    const { code, reason, details, message } = error as ApiError
    deepEqual(
      [code, reason, details?.retryAfterSeconds, details?.causes?.[0]?.reason],
      [504, 'Timeout', 1, 'ResourceVersionTooLarge'],
    )
    equal(message, `Timeout: Too large resource version: ${current() + 1}, current: ${current()}`)
    return true
  }

  test('may be any that was: the newest state is not older', async () => {
    for (const resourceVersion of ['', '0', '1', String(current())])
      equal((await ask({ resourceVersion })).items.length, 4)
    equal((await ask({ resourceVersion: '1', resourceVersionMatch: 'NotOlderThan' })).items.length, 4)
  })

  test('that does not exist yet is refused', async () => {
    await rejects(ask({ resourceVersion: String(current() + 1) }), tooLarge)
    await rejects(
      server.api.get(PODS, { namespace: 'a', name: 'web-1' }, { resourceVersion: String(current() + 1) }),
      tooLarge,
    )
    await server.api.get(PODS, { namespace: 'a', name: 'web-1' }, { resourceVersion: String(current()) })
  })

  test('when it has to match shows the state of then, as far as it is known', async () => {
    equal((await ask({ resourceVersion: String(current()), resourceVersionMatch: 'Exact' })).items.length, 4)
    const { metadata } = await server.api.get(PODS, { namespace: 'a-b', name: 'job' })
    const earlier = String(Number(metadata.resourceVersion) - 1)
    const before = await ask({ resourceVersion: earlier, resourceVersionMatch: 'Exact' })
    deepEqual([keysOf(before.items), before.resourceVersion], [['a/web-1', 'a/web-2', 'b/db'], earlier])
    const { resourceVersion } = await server.api.list(PODS)
    await server.api.delete(PODS, { namespace: 'b', name: 'db' }, { gracePeriodSeconds: 0 })
    const past = await ask({ resourceVersion, resourceVersionMatch: 'Exact' })
    deepEqual(keysOf(past.items), ['a-b/job', 'a/web-1', 'a/web-2', 'b/db'])
    await server.api.create(
      PODS,
      pod('db', { namespace: 'b', labels: { app: 'db' } }, { nodeName: 'n1', restartPolicy: 'Never' }),
    )
  })

  const refused: [options: ListOptions, reason: string, message: RegExp][] = [
    [
      { resourceVersionMatch: 'NotOlderThan' },
      'Invalid',
      /resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided/,
    ],
    [
      { resourceVersionMatch: 'Exact', resourceVersion: '0' },
      'Invalid',
      /resourceVersionMatch "exact" is forbidden for resourceVersion "0"/,
    ],
    [
      { resourceVersionMatch: 'Exact', resourceVersion: '1', continueToken: 'x' },
      'Invalid',
      /forbidden when continue is provided/,
    ],
    [
      { resourceVersion: 'new' },
      'BadRequest',
      /^invalid resource version: resourceVersion: Invalid value: "new": strconv\.ParseUint: parsing "new": invalid syntax$/,
    ],
    [{ resourceVersion: '-1' }, 'BadRequest', /resourceVersion/],
    [{ resourceVersion: '007' }, 'BadRequest', /resourceVersion/],
    [{ continueToken: 'bm90IG91cnM' }, 'BadRequest', /continue key is not valid/],
  ]
  for (const [options, reason, message] of refused)
    test(`is refused in ${JSON.stringify(options)}`, () => rejects(ask(options), isRefusal(reason, message)))
})

describe('get', () => {
  test('shows what was written as soon as the writer knows of it', async () => {
    const made = await server.api.create(CONFIG_MAPS, configMap('mine'))
    deepEqual(await server.api.get(CONFIG_MAPS, { namespace: 'default', name: 'mine' }), made)
  })

  test('of what is not there names resource and group', async () => {
    await rejects(
      server.api.get(CONFIG_MAPS, { namespace: 'default', name: 'no' }),
      isRefusal('NotFound', /^configmaps "no" not found$/),
    )
    await rejects(
      server.api.get(EVENTS_V1_EVENTS, { namespace: 'default', name: 'no' }),
      isRefusal('NotFound', /^events\.events\.k8s\.io "no" not found$/),
    )
  })
})
