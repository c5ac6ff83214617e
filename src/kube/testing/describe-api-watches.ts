import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { describe, it } from 'node:test'
import type { TestContext } from 'node:test'
import { isExpired, isInvalid } from '../../api/api-error.ts'
import type { WatchEvent, WatchOptions } from '../../api/api.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import type { ConfigMap } from '../../api/kinds/config-map.ts'
import { refOf } from '../../api/object-key.ts'
import { configMap } from './api-under-test.ts'
import type { ApiUnderTest } from './api-under-test.ts'

/** Changes as they happen. */
export function describeApiWatches(test: ApiUnderTest): void {
  const watch = (options: WatchOptions): AsyncIterator<WatchEvent<ConfigMap>> =>
    test.api.watch(CONFIG_MAPS, { namespace: 'default', ...options })[Symbol.asyncIterator]()
  const create = (group: string, data: Record<string, string> = {}): Promise<ConfigMap> =>
    test.api.create(CONFIG_MAPS, configMap(test.nameFor('watched'), data, { labels: { group } }))
  const currentVersion = async (): Promise<string> =>
    (await test.api.list(CONFIG_MAPS, { namespace: 'default' })).resourceVersion

  /** A watch of one group that ends with the test. `next` returns an event as text. */
  const startWatch = (t: TestContext, group: string, options: WatchOptions = {}) => {
    const controller = new AbortController()
    const events = watch({ labelSelector: `group=${group}`, signal: controller.signal, ...options })
    t.after(() => controller.abort(new Error('the test is over')))
    const nextEvent = async (): Promise<WatchEvent<ConfigMap>> => {
      const { value, done } = await events.next()
      assert.ok(!done, 'the server ended the watch')
      return value
    }
    const next = async (): Promise<string> => {
      const event = await nextEvent()
      return event.type === 'BOOKMARK'
        ? `BOOKMARK${event.initialEventsEnd ? ' of the end' : ''}`
        : `${event.type} ${event.object.metadata.name} ${event.object.data?.['value'] ?? ''}`.trim()
    }
    return { controller, events, next, nextEvent }
  }

  describe('watch', () => {
    it('from a version gives what happened after it, in order', async (t) => {
      const group = test.nameFor('group')
      const before = await create(group)
      const { next } = startWatch(t, group, { resourceVersion: await currentVersion() })
      const { name = '' } = before.metadata
      const changed = await test.api.update(CONFIG_MAPS, { ...before, data: { value: '2' } })
      const other = await create(group)
      await test.api.delete(CONFIG_MAPS, refOf(changed))
      assert.deepEqual(
        [await next(), await next(), await next()],
        [`MODIFIED ${name} 2`, `ADDED ${other.metadata.name}`, `DELETED ${name} 2`],
      )
    })

    it('from a version that is past gives what was missed first', async (t) => {
      const group = test.nameFor('group')
      const resourceVersion = await currentVersion()
      const one = await create(group)
      const two = await create(group)
      const { next } = startWatch(t, group, { resourceVersion })
      assert.deepEqual([await next(), await next()], [`ADDED ${one.metadata.name}`, `ADDED ${two.metadata.name}`])
    })

    it('gives frozen objects whose versions grow, that of a deletion too', async (t) => {
      const group = test.nameFor('group')
      const { nextEvent } = startWatch(t, group, { resourceVersion: await currentVersion() })
      const created = await create(group)
      await test.api.delete(CONFIG_MAPS, refOf(created))
      const [added, deleted] = [await nextEvent(), await nextEvent()]
      assert.ok(added.type === 'ADDED' && deleted.type === 'DELETED')
      assert.deepEqual(added.object, created)
      for (const { object } of [added, deleted]) assert.ok(Object.isFrozen(object) && Object.isFrozen(object.metadata))
      assert.ok(
        BigInt(deleted.object.metadata.resourceVersion ?? '') > BigInt(added.object.metadata.resourceVersion ?? ''),
      )
    })

    it('without a version gives everything there is, then what happens', async (t) => {
      const group = test.nameFor('group')
      const one = await create(group)
      const { next } = startWatch(t, group)
      assert.equal(await next(), `ADDED ${one.metadata.name}`)
      const two = await create(group)
      assert.equal(await next(), `ADDED ${two.metadata.name}`)
    })

    it('with initial events says when that was everything, and goes on', async (t) => {
      const group = test.nameFor('group')
      const one = await create(group)
      const { next, nextEvent } = startWatch(t, group, {
        sendInitialEvents: true,
        resourceVersionMatch: 'NotOlderThan',
        allowBookmarks: true,
      })
      assert.equal(await next(), `ADDED ${one.metadata.name}`)
      const bookmark = await nextEvent()
      assert.ok(bookmark.type === 'BOOKMARK' && bookmark.initialEventsEnd)
      assert.ok(BigInt(bookmark.resourceVersion) >= BigInt(one.metadata.resourceVersion ?? ''))
      const two = await create(group)
      assert.equal(await next(), `ADDED ${two.metadata.name}`)
      const resumed = startWatch(t, group, { resourceVersion: bookmark.resourceVersion })
      assert.equal(await resumed.next(), `ADDED ${two.metadata.name}`)
    })

    it('with initial events of nothing says so at once', async (t) => {
      const { next } = startWatch(t, test.nameFor('nobody'), {
        sendInitialEvents: true,
        resourceVersionMatch: 'NotOlderThan',
        allowBookmarks: true,
      })
      assert.equal(await next(), 'BOOKMARK of the end')
    })

    it('with initial events needs to be told which', async (t) => {
      const { events } = startWatch(t, 'any', { sendInitialEvents: true, allowBookmarks: true })
      await assert.rejects(events.next(), isInvalid)
    })

    it('of a selection shows what comes into it as added and what leaves it as deleted', async (t) => {
      const [group, elsewhere] = [test.nameFor('group'), test.nameFor('elsewhere')]
      const object = await create(elsewhere)
      const { next } = startWatch(t, group, { resourceVersion: await currentVersion() })
      const move = (to: string): Promise<ConfigMap> =>
        test.api.patch(CONFIG_MAPS, refOf(object), { type: 'merge', value: { metadata: { labels: { group: to } } } })
      for (const to of [group, elsewhere, group]) await move(to)
      const { name } = object.metadata
      assert.deepEqual(
        [await next(), await next(), await next()],
        [`ADDED ${name}`, `DELETED ${name}`, `ADDED ${name}`],
      )
    })

    it('of one object by its name sees no other', async (t) => {
      const group = test.nameFor('group')
      const name = test.nameFor('watched')
      const { next } = startWatch(t, group, {
        fieldSelector: `metadata.name=${name}`,
        resourceVersion: await currentVersion(),
      })
      await create(group)
      await test.api.create(CONFIG_MAPS, configMap(name, {}, { labels: { group } }))
      assert.equal(await next(), `ADDED ${name}`)
    })

    it('shows an object that waits for its finalizers as modified, and as deleted when it is gone', async (t) => {
      const group = test.nameFor('group')
      const name = test.nameFor('held')
      const object = await test.api.create(
        CONFIG_MAPS,
        configMap(name, {}, { labels: { group }, finalizers: ['holdfast.example/held'] }),
      )
      const { next } = startWatch(t, group, { resourceVersion: object.metadata.resourceVersion ?? '' })
      await test.api.delete(CONFIG_MAPS, refOf(object))
      await test.api.patch(CONFIG_MAPS, refOf(object), { type: 'merge', value: { metadata: { finalizers: null } } })
      assert.deepEqual([await next(), await next()], [`MODIFIED ${name}`, `DELETED ${name}`])
    })

    it('from a version that is forgotten throws that it has expired, and nothing else', async (t) => {
      const { events } = startWatch(t, test.nameFor('nobody'), { resourceVersion: '1', timeoutSeconds: 1 })
      const ended = events.next().then(
        ({ done }) => done,
        (error: unknown) => error,
      )
      await test.advance(1000)
      const outcome = await ended
      // A server that still has the history has no events for an empty group.
      assert.ok(outcome === true || isExpired(outcome), String(outcome))
    })

    it('ends by itself when its time is over', async (t) => {
      const { events } = startWatch(t, test.nameFor('nobody'), {
        resourceVersion: await currentVersion(),
        timeoutSeconds: 1,
      })
      const ended = events.next()
      await test.advance(1000)
      assert.equal((await ended).done, true)
    })

    it('sends bookmarks where they are asked for', async (t) => {
      if (!test.hasSimulatedClock()) return t.skip('a bookmark comes once a minute')
      const { next } = startWatch(t, test.nameFor('nobody'), {
        resourceVersion: await currentVersion(),
        allowBookmarks: true,
      })
      const bookmark = next()
      await test.advance(61_000)
      assert.equal(await bookmark, 'BOOKMARK')
    })
  })

  describe('a watch that is given up', () => {
    it('throws the reason of its signal, while it waits and from then on, and leaves nothing on the signal', async (t) => {
      const group = test.nameFor('group')
      const { controller, events, next } = startWatch(t, group)
      await create(group)
      await next()
      const waiting = assert.rejects(events.next(), /enough/)
      controller.abort(new Error('enough'))
      await waiting
      assert.equal(getEventListeners(controller.signal, 'abort').length, 0)
      assert.equal((await events.next()).done, true)
    })

    it('throws the reason when that was before it began, and just after', async (t) => {
      await assert.rejects(watch({ signal: AbortSignal.abort(new Error('before')) }).next(), /before/)
      const { controller, events } = startWatch(t, test.nameFor('nobody'))
      const opening = assert.rejects(events.next(), /just after/)
      controller.abort(new Error('just after'))
      await opening
    })

    it('can be left in the middle', async (t) => {
      const group = test.nameFor('group')
      const { controller } = startWatch(t, group)
      await create(group)
      await create(group)
      for await (const event of test.api.watch(CONFIG_MAPS, {
        namespace: 'default',
        labelSelector: `group=${group}`,
        signal: controller.signal,
      })) {
        assert.equal(event.type, 'ADDED')
        break
      }
      // A connection needs a moment to close.
      while (getEventListeners(controller.signal, 'abort').length > 0)
        await new Promise((resolve) => setImmediate(resolve))
    })
  })
}
