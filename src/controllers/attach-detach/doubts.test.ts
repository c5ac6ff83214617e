import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../api/api-error.ts'
import type { Api, WatchEvent, WatchOptions } from '../../api/api.ts'
import { NODES } from '../../api/kinds/node.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import {
  attach,
  attachedTo,
  createBound,
  createPod,
  deletePod,
  findAttachment,
  listAttachments,
  nameOf,
  release,
  startAttached,
  startUnderTest,
  uniqueNameOf,
} from './testing/describe-attach-detach.ts'

// What the controller does when it can't know whether a write has happened.

const lost = (): Promise<never> => Promise.reject(new ApiError('ServiceUnavailable', 'no answer', { code: 0 }))

test('an attachment that may have been made keeps the volume from other nodes until it is surely not there', async (context) => {
  let fails = true
  const apiOf = (api: Api): Api => ({
    ...api,
    create: (type, object, options) =>
      fails && type.plural === VOLUME_ATTACHMENTS.plural ? lost() : api.create(type, object, options),
  })
  const { api, settled, advance } = await startUnderTest(context, { apiOf })
  await createBound(api, 'v1')
  await createPod(api, 'web', { node: 'node-1', claims: ['v1'] })
  await settled()
  fails = false
  await deletePod(api, 'web')
  await createPod(api, 'web', { node: 'node-2', claims: ['v1'] })
  await settled()
  await advance(5000)
  deepEqual(await listAttachments(api), [])
  await advance(6000)
  deepEqual(await listAttachments(api), ['v1 node-2'])
})

test('an attachment whose answer was lost is found again, and made once', async (context) => {
  let fails = true
  const apiOf = (api: Api): Api => ({
    ...api,
    create: async (type, object, options) => {
      const made = await api.create(type, object, options)
      if (fails && type.plural === VOLUME_ATTACHMENTS.plural) return lost()
      return made
    },
  })
  const { api, settled, advance } = await startUnderTest(context, { apiOf })
  await createBound(api, 'v1')
  await createPod(api, 'web', { node: 'node-1', claims: ['v1'] })
  await settled()
  fails = false
  await attach(api, 'v1', 'node-1')
  await advance(20_000)
  deepEqual(await attachedTo(api, 'node-1'), ['v1'])
})

test('S3-119: a deletion that may have happened is seen through, though the volume is wanted again', async (context) => {
  let fails = true
  const apiOf = (api: Api): Api => ({
    ...api,
    delete: (type, ref, options) => (fails ? lost() : api.delete(type, ref, options)),
  })
  const { api, settled, advance } = await startAttached(context, { apiOf })
  const old = await findAttachment(api, nameOf('v1', 'node-1'))
  await deletePod(api, 'web')
  await settled()
  await createPod(api, 'web', { node: 'node-1', claims: ['v1'] })
  await settled()
  deepEqual(await attachedTo(api, 'node-1'), [])
  fails = false
  await advance(2000)
  equal((await findAttachment(api, nameOf('v1', 'node-1')))?.metadata.deletionTimestamp === undefined, false)
  await release(api, 'v1', 'node-1')
  await settled()
  await attach(api, 'v1', 'node-1')
  await settled()
  equal((await findAttachment(api, nameOf('v1', 'node-1')))?.metadata.uid === old?.metadata.uid, false)
  deepEqual(await attachedTo(api, 'node-1'), ['v1'])
})

test('a node that may have been told that a volume is attached is asked, and told otherwise, before it is detached', async (context) => {
  let fails = false
  let gate = Promise.resolve()
  const apiOf = (api: Api): Api => ({
    ...api,
    patch: async (type, ref, patch, options) => {
      const written = await api.patch(type, ref, patch, options)
      return fails ? lost() : written
    },
    // What the node says arrives late.
    watch: <T extends KubeObject>(type: ResourceType<T>, options?: WatchOptions) =>
      type.plural === NODES.plural ? behind(api.watch(type, options)) : api.watch(type, options),
  })
  async function* behind<T>(events: AsyncIterable<WatchEvent<T>>): AsyncGenerator<WatchEvent<T>> {
    for await (const event of events) {
      await gate
      yield event
    }
  }
  const { api, writes, settled, advance } = await startUnderTest(context, { apiOf })
  await createBound(api, 'v1')
  await createPod(api, 'web', { node: 'node-1', claims: ['v1'] })
  await settled()
  const open = Promise.withResolvers<void>()
  gate = open.promise
  try {
    fails = true
    await attach(api, 'v1', 'node-1')
    await settled()
    deepEqual(await attachedTo(api, 'node-1'), ['v1'])
    fails = false
    writes.length = 0
    await deletePod(api, 'web')
    await advance(1000)
    deepEqual(writes, ['patch nodes/status node-1', `delete volumeattachments ${nameOf('v1', 'node-1')}`])
  } finally {
    open.resolve()
  }
  await settled()
  deepEqual(await attachedTo(api, 'node-1'), [])
})

test('a list that somebody changes while we write it loses nothing', async (context) => {
  let meddles = false
  const apiOf = (api: Api): Api => ({
    ...api,
    patch: async (type, ref, patch, options) => {
      if (meddles) {
        meddles = false
        const volumesAttached = [
          { name: 'kubernetes.io/nfs/other', devicePath: '' },
          { name: uniqueNameOf('v1'), devicePath: '' },
        ]
        await api.patch(
          NODES,
          { name: 'node-1' },
          { type: 'merge', value: { status: { volumesAttached } } },
          { subresource: 'status' },
        )
      }
      return api.patch(type, ref, patch, options)
    },
  })
  const { api, advance } = await startAttached(context, { apiOf })
  meddles = true
  await deletePod(api, 'web')
  await advance(1000)
  deepEqual(await attachedTo(api, 'node-1'), ['kubernetes.io/nfs/other'])
})
