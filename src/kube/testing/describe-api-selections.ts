import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isNotFound } from '../../api/api-error.ts'
import type { ListOptions } from '../../api/api.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import { NAMESPACES } from '../../api/kinds/namespace.ts'
import { configMap } from './api-under-test.ts'
import type { ApiUnderTest } from './api-under-test.ts'

/** Reading and deleting many objects at once. */
export function describeApiSelections(test: ApiUnderTest): void {
  /** Creates objects with a unique label, so that no other objects interfere. */
  const createGroup = async (...kinds: string[]): Promise<{ label: string; names: string[] }> => {
    const group = test.nameFor('group')
    const names = kinds.map((kind) => test.nameFor(kind))
    for (const [index, name] of names.entries())
      await test.api.create(CONFIG_MAPS, configMap(name, {}, { labels: { group, kind: kinds[index] ?? '' } }))
    return { label: `group=${group}`, names }
  }
  const listNames = async (options: ListOptions): Promise<string[]> =>
    (await test.api.list(CONFIG_MAPS, { namespace: 'default', ...options })).items
      .map(({ metadata }) => metadata.name ?? '')
      .sort()

  describe('list', () => {
    it('gives frozen objects that say what they are, and the version of the whole', async () => {
      const { label, names } = await createGroup('a', 'b')
      const list = await test.api.list(CONFIG_MAPS, { namespace: 'default', labelSelector: label })
      assert.equal(list.items.length, names.length)
      for (const item of list.items) {
        assert.deepEqual([item.apiVersion, item.kind], ['v1', 'ConfigMap'])
        assert.ok(Object.isFrozen(item) && Object.isFrozen(item.metadata))
        assert.ok(BigInt(list.resourceVersion) >= BigInt(item.metadata.resourceVersion ?? ''))
      }
    })

    it('goes by labels', async () => {
      const { label, names } = await createGroup('a', 'b', 'c')
      assert.deepEqual(await listNames({ labelSelector: label }), names)
      // Names are numbered, so they sort in creation order.
      assert.deepEqual(await listNames({ labelSelector: `${label},kind in (a,c)` }), [names[0], names[2]])
      assert.deepEqual(await listNames({ labelSelector: `${label},kind!=a,kind` }), [names[1], names[2]])
      assert.deepEqual(await listNames({ labelSelector: `${label},!kind` }), [])
    })

    it('goes by fields', async () => {
      const { names } = await createGroup('a', 'b')
      assert.deepEqual(await listNames({ fieldSelector: `metadata.name=${names[0]}` }), [names[0]])
    })

    it('is of one namespace or of all', async () => {
      const { label, names } = await createGroup('here')
      const { metadata } = await test.api.create(NAMESPACES, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: test.nameFor('space') },
      })
      const there = await test.api.create(
        CONFIG_MAPS,
        configMap('there', {}, { namespace: metadata.name ?? '', labels: { group: label.slice('group='.length) } }),
      )
      assert.deepEqual(await listNames({ labelSelector: label }), names)
      const everywhere = await test.api.list(CONFIG_MAPS, { labelSelector: label })
      assert.deepEqual(everywhere.items.map(({ metadata: { uid } }) => uid).includes(there.metadata.uid), true)
      assert.equal(everywhere.items.length, 2)
    })

    it('can be asked for in pages, of which the server may make fewer', async () => {
      const { label, names } = await createGroup('a', 'b', 'c')
      const found: string[] = []
      let continueToken: string | undefined
      do {
        const page = await test.api.list(CONFIG_MAPS, {
          namespace: 'default',
          labelSelector: label,
          limit: 2,
          ...(continueToken ? { continueToken } : {}),
        })
        found.push(...page.items.map(({ metadata }) => metadata.name ?? ''))
        continueToken = page.continueToken
      } while (continueToken)
      assert.deepEqual(found.sort(), names)
    })

    it('shows one state on all its pages', async () => {
      const { label, names } = await createGroup('a', 'b', 'c')
      const options = { namespace: 'default', labelSelector: label, limit: 2 }
      const first = await test.api.list(CONFIG_MAPS, options)
      assert.ok(first.continueToken)
      const [one = '', , three = ''] = [...names].sort()
      await test.api.delete(CONFIG_MAPS, { namespace: 'default', name: three })
      await test.api.patch(
        CONFIG_MAPS,
        { namespace: 'default', name: one },
        { type: 'merge', value: { data: { changed: 'yes' } } },
      )
      const rest = await test.api.list(CONFIG_MAPS, { ...options, continueToken: first.continueToken })
      assert.deepEqual(
        [...first.items, ...rest.items].map(({ metadata, data }) => [metadata.name, data?.['changed']]),
        [...names].sort().map((name) => [name, undefined]),
      )
      assert.equal(rest.resourceVersion, first.resourceVersion)
      assert.equal(rest.continueToken, undefined)
      const { resourceVersion } = first
      const past = await test.api.list(CONFIG_MAPS, {
        namespace: 'default',
        labelSelector: label,
        resourceVersion,
        resourceVersionMatch: 'Exact',
      })
      assert.equal(past.items.length, 3)
    })

    it('can be asked for at any version, or at least one', async () => {
      const { label, names } = await createGroup('a')
      const { resourceVersion } = await test.api.list(CONFIG_MAPS, { namespace: 'default' })
      assert.deepEqual(
        await listNames({ labelSelector: label, resourceVersion, resourceVersionMatch: 'NotOlderThan' }),
        names,
      )
      await assert.doesNotReject(listNames({ labelSelector: label, resourceVersion: '0' }))
    })

    it('refuses a selector that is none', async () => {
      await assert.rejects(listNames({ labelSelector: 'a in (' }), { code: 400, reason: 'BadRequest' })
      await assert.rejects(listNames({ fieldSelector: 'data.colour=blue' }), { code: 400, reason: 'BadRequest' })
    })

    it('is given up with the reason of the signal', async () => {
      await assert.rejects(listNames({ signal: AbortSignal.abort(new Error('no patience')) }), /no patience/)
    })
  })

  describe('delete of many', () => {
    it('takes what is selected, and leaves the rest', async () => {
      const { label, names } = await createGroup('a', 'b', 'a')
      await test.api.deleteCollection(CONFIG_MAPS, { namespace: 'default', labelSelector: `${label},kind=a` })
      assert.deepEqual(await listNames({ labelSelector: label }), [names[1]])
    })

    it('does nothing in a dry run', async () => {
      const { label, names } = await createGroup('a')
      await test.api.deleteCollection(CONFIG_MAPS, { namespace: 'default', labelSelector: label, dryRun: true })
      assert.deepEqual(await listNames({ labelSelector: label }), names)
    })

    it('of what is not there is no error, of a kind that is not there is one', async () => {
      await test.api.deleteCollection(CONFIG_MAPS, {
        namespace: 'default',
        labelSelector: `group=${test.nameFor('nobody')}`,
      })
      await assert.rejects(
        test.api.deleteCollection({ ...CONFIG_MAPS, plural: 'nothings' }, { namespace: 'default' }),
        isNotFound,
      )
    })
  })
}
