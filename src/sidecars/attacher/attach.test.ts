import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { createAttachment, createVolume, deleteAttachment, FINALIZER, isGone, startUnderTest } from './describe-attacher.ts'

test('S3-66, S3-73, S3-75, S3-77, S3-78: an attachment is claimed, published and said to be attached', async (context) => {
  const { api, script, settled, attachment } = await startUnderTest(context)
  await createVolume(api, 'v1')
  await createAttachment(api)
  await settled()
  const { metadata, status } = await attachment()
  deepEqual(script.calls, ['publish handle-v1 id-1'])
  deepEqual(status, { attached: true, attachmentMetadata: { device: '/dev/handle-v1' } })
  deepEqual(metadata.finalizers, [FINALIZER])
  equal(metadata.annotations?.['csi.alpha.kubernetes.io/node-id'], 'id-1')
  equal((await api.get(PERSISTENT_VOLUMES, { name: 'v1' })).metadata.finalizers?.includes(FINALIZER), true)
})

test('S3-74, S3-84, S3-85: a deleted attachment goes when the volume is unpublished', async (context) => {
  const { api, script, settled } = await startUnderTest(context)
  await createVolume(api, 'v1')
  await createAttachment(api)
  await settled()
  await deleteAttachment(api)
  await settled()
  deepEqual(script.calls, ['publish handle-v1 id-1', 'unpublish handle-v1 id-1'])
  equal(await isGone(api), true)
  deepEqual([...script.published], [])
})
