import { deepEqual, equal, rejects } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { isNotFound } from '../../api/api-error.ts'
import { NAMESPACES } from '../../api/kinds/namespace.ts'
import type { Namespace } from '../../api/kinds/namespace.ts'
import { isRefusal } from '../testing/is-refusal.ts'
import { openServerUnderTest } from '../testing/open-server-under-test.ts'
import type { ServerUnderTest } from '../testing/open-server-under-test.ts'

let server: ServerUnderTest
before(async () => void (server = await openServerUnderTest()))
after(() => server.close())

const make = async (name: string, finalizers: string[] = []): Promise<Namespace> => {
  const made = await server.api.create(NAMESPACES, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
    spec: { finalizers },
  })
  await server.settled()
  return made
}
const finalize = (namespace: Namespace, more: object) =>
  server.api.update(NAMESPACES, { ...namespace, ...more }, { subresource: 'finalize' })

describe('finalizing a namespace', () => {
  test('changes its finalizers and nothing else', async () => {
    const made = await make('changed', ['example.com/mine'])
    const changed = await finalize(made, {
      metadata: { ...made.metadata, labels: { a: 'b' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Terminating' },
    })
    deepEqual(
      [changed.spec, changed.status, changed.metadata.labels],
      [{ finalizers: ['kubernetes'] }, { phase: 'Active' }, made.metadata.labels],
    )
  })

  test('lets a deleted one go with the last', async () => {
    await make('going', ['example.com/mine'])
    await server.api.delete(NAMESPACES, { name: 'going' })
    await server.settled()
    const left = await server.api.get(NAMESPACES, { name: 'going' })
    deepEqual(left.spec?.finalizers, ['example.com/mine'])
    await finalize(left, { spec: {} })
    await rejects(server.api.get(NAMESPACES, { name: 'going' }), isNotFound)
  })

  test('leaves one that nobody deleted where it is', async () => {
    equal((await finalize(await make('living'), { spec: { finalizers: [] } })).spec?.finalizers?.length ?? 0, 0)
    equal((await server.api.get(NAMESPACES, { name: 'living' })).status?.phase, 'Active')
  })

  test('meets a conflict when it names another version or uid', async () => {
    const made = await make('precise')
    await rejects(
      finalize(made, { metadata: { name: 'precise', resourceVersion: '1' } }),
      isRefusal('Conflict', /has been modified/),
    )
    await rejects(
      finalize(made, { metadata: { name: 'precise', uid: 'other' } }),
      isRefusal('Conflict', /UID in precondition: other/),
    )
  })

  test('can not be done by an update of the namespace itself', async () => {
    const made = await make('guarded')
    equal(
      (await server.api.update(NAMESPACES, { ...made, spec: { finalizers: [] } })).metadata.resourceVersion,
      made.metadata.resourceVersion,
    )
  })

  test('needs a body that makes sense', async () => {
    const made = await make('odd')
    await rejects(
      finalize(made, { spec: { finalizers: 'all' } }),
      isRefusal('BadRequest', /Namespace in version "v1" cannot be handled as a Namespace: .*spec\.finalizers/),
    )
  })
})
