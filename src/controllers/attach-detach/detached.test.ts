import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import {
  createPod,
  deletePod,
  FINALIZER,
  findAttachment,
  listAttachments,
  nameOf,
  startAttached,
  startUnderTest,
  createBound,
} from './testing/describe-attach-detach.ts'

// When a volume that is only for one node counts as detached, so that another node may have it.

const NAME = nameOf('v1', 'node-1')
const HOLD = 'example.com/hold'

type Given = { readonly attached: boolean; readonly finalizers: readonly string[]; readonly isDeleted: boolean }

/** The volume was on `node-1`, whose pod is gone; its attachment is then as given, and a pod on `node-2` wants it. */
async function attachedElsewhere(context: TestContext, { attached, finalizers, isDeleted }: Given): Promise<boolean> {
  const { api, settled } = await startAttached(context)
  // Somebody else holds the object, so that only what it says can tell.
  await api.patch(
    VOLUME_ATTACHMENTS,
    { name: NAME },
    { type: 'merge', value: { metadata: { finalizers: [...finalizers, HOLD] } } },
  )
  if (isDeleted) await deletePod(api, 'web')
  await settled()
  equal((await findAttachment(api, NAME))?.metadata.deletionTimestamp !== undefined, isDeleted)
  await api.patch(
    VOLUME_ATTACHMENTS,
    { name: NAME },
    { type: 'merge', value: { status: { attached } } },
    { subresource: 'status' },
  )
  await settled()
  await createPod(api, 'second', { node: 'node-2', claims: ['v1'] })
  await settled()
  return (await listAttachments(api)).includes('v1 node-2')
}

const cases: [behaviour: string, given: Given, isDetached: boolean][] = [
  [
    'attached is false, the attacher has let go and the object is being deleted: detached',
    { attached: false, finalizers: [], isDeleted: true },
    true,
  ],
  ['attached is still true: not detached', { attached: true, finalizers: [], isDeleted: true }, false],
  ['the attacher still holds it: not detached', { attached: false, finalizers: [FINALIZER], isDeleted: true }, false],
  [
    'it is not being deleted, as one that is still to be attached: not detached',
    { attached: false, finalizers: [], isDeleted: false },
    false,
  ],
]
for (const [behaviour, given, isDetached] of cases)
  test(`S3-121, H31: ${behaviour}`, async (context) => equal(await attachedElsewhere(context, given), isDetached))

test('S3-121, H31: a volume that was never attached anywhere does not count as detached while its first attachment waits', async (context) => {
  const { api, settled, advance } = await startUnderTest(context)
  await createBound(api, 'v1')
  await createPod(api, 'first', { node: 'node-1', claims: ['v1'] })
  await settled()
  await createPod(api, 'second', { node: 'node-2', claims: ['v1'] })
  await advance(600_000)
  deepEqual(await listAttachments(api), ['v1 node-1'])
})
