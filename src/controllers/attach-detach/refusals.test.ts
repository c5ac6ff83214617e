import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError } from '../../api/api-error.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { NAMESPACES } from '../../api/kinds/namespace.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { attachmentName } from '../../storage/attachment-name.ts'
import { POD_HANDLES_ANNOTATION } from '../../compat/mirror-csi-driver.ts'
import {
  attach,
  attachedTo,
  createAttachment,
  createBound,
  createDriver,
  createPod,
  deletePod,
  DRIVER,
  eventsOf,
  failAttach,
  failDetach,
  findAttachment,
  FINALIZER,
  listAttachments,
  nameOf,
  release,
  setInUse,
  startAttached,
  startUnderTest,
} from './testing/describe-attach-detach.ts'

const failed = (pod: string, text: string): string => `Warning FailedAttachVolume Pod/${pod}: ${text}`

describe('waiting for the attacher', () => {
  test('S3-114: an attachment that is there already is waited for and not touched', async (context) => {
    const { api, writes, settled, stop, start } = await startUnderTest(context)
    await stop()
    await createBound(api, 'v1')
    const before = await createAttachment(api, nameOf('v1', 'node-1'), {}, { finalizers: [FINALIZER] })
    await createPod(api, 'web', { node: 'node-1', claims: ['v1'] })
    await start()
    deepEqual(await findAttachment(api, nameOf('v1', 'node-1')), before)
    deepEqual(writes, [])
    await attach(api, 'v1', 'node-1')
    await settled()
    deepEqual(writes, ['patch nodes/status node-1'])
  })

  test('S3-116: its error is told to the pod, once for the same words, and success is seen at once', async (context) => {
    const { api, writes, settled, advance } = await startUnderTest(context)
    await createBound(api, 'v1')
    await createPod(api, 'web', { node: 'node-1', claims: ['v1'] })
    await settled()
    for (let tries = 0; tries < 3; tries++) {
      await failAttach(api, 'v1', 'node-1', 'no room')
      await advance(1000)
    }
    deepEqual(await eventsOf(api), [failed('web', 'AttachVolume.Attach failed for volume "v1" : no room')])
    await failAttach(api, 'v1', 'node-1', 'no light')
    await attach(api, 'v1', 'node-1')
    await settled()
    deepEqual(await attachedTo(api, 'node-1'), ['v1'])
    equal(writes.length, 2)
  })

  test('S3-117, H37: its silence is told after two minutes, and again', async (context) => {
    const { api, settled, advance } = await startUnderTest(context)
    await createBound(api, 'v1')
    await createPod(api, 'web', { node: 'node-1', claims: ['v1'] })
    await settled()
    await advance(119_000)
    deepEqual(await eventsOf(api), [])
    await advance(1000)
    const text =
      'AttachVolume.Attach failed for volume "v1" : timed out waiting for external-attacher of test.holdfast.dev CSI driver to attach volume handle-v1'
    deepEqual(await eventsOf(api), [failed('web', text)])
    await advance(120_000)
    deepEqual(await eventsOf(api), [failed('web', `${text} ×2`)])
  })

  test('S3-118, S3-119: one that is being deleted is not trusted, whatever its status says; a new one is made when it is gone', async (context) => {
    const { api, settled } = await startAttached(context)
    const old = await findAttachment(api, nameOf('v1', 'node-1'))
    await deletePod(api, 'web')
    await settled()
    await createPod(api, 'web', { node: 'node-1', claims: ['v1'] })
    await settled()
    const leaving = await findAttachment(api, nameOf('v1', 'node-1'))
    equal(leaving?.metadata.uid, old?.metadata.uid)
    equal(leaving?.status?.attached, true)
    deepEqual(await attachedTo(api, 'node-1'), [])
    deepEqual((await eventsOf(api)).slice(1), [
      failed('web', 'AttachVolume.Attach failed for volume "v1" : volume attachment is being deleted'),
    ])
    await release(api, 'v1', 'node-1')
    await settled()
    const fresh = await findAttachment(api, nameOf('v1', 'node-1'))
    equal(fresh !== undefined && fresh.metadata.uid !== old?.metadata.uid, true)
  })

  test('S3-124: its silence when detaching is told on the attachment', async (context) => {
    const { api, settled, advance } = await startAttached(context)
    await deletePod(api, 'web')
    await settled()
    await advance(120_000)
    match(
      (await eventsOf(api)).at(-1) ?? '',
      /Warning FailedDetachVolume VolumeAttachment\/csi-.*: timed out waiting for external-attacher of test.holdfast.dev CSI driver to detach volume handle-v1/,
    )
  })

  test('a server that does not take the attachment is told, and asked again', async (context) => {
    let refuses = true
    const { api, settled, advance } = await startUnderTest(context, {
      apiOf: (all) => ({
        ...all,
        create: (type, object, options) =>
          refuses && type.plural === VOLUME_ATTACHMENTS.plural
            ? Promise.reject(new ApiError('Forbidden', 'not today'))
            : all.create(type, object, options),
      }),
    })
    await createBound(api, 'v1')
    await createPod(api, 'web', { node: 'node-1', claims: ['v1'] })
    await settled()
    deepEqual(await eventsOf(api), [failed('web', 'AttachVolume.Attach failed for volume "v1" : not today')])
    refuses = false
    await advance(1000)
    deepEqual(await listAttachments(api), ['v1 node-1'])
  })
})

describe('a volume that can be on one node only', () => {
  test('waits until it is off the other node, and the pod is told why, in the words that people search for', async (context) => {
    const { api, settled } = await startAttached(context)
    await createPod(api, 'second', { node: 'node-2', claims: ['v1'] })
    await settled()
    deepEqual(await listAttachments(api), ['v1 node-1'])
    deepEqual((await eventsOf(api)).slice(1), [
      failed('second', 'Multi-Attach error for volume "v1" Volume is already used by pod(s) web'),
    ])
    await deletePod(api, 'web')
    await settled()
    deepEqual(await listAttachments(api), ['v1 node-1'])
    deepEqual(await attachedTo(api, 'node-1'), [])
    await release(api, 'v1', 'node-1')
    await settled()
    deepEqual(await listAttachments(api), ['v1 node-2'])
  })

  test('says so too when no pod uses it there any more', async (context) => {
    const { api, settled } = await startAttached(context)
    await setInUse(api, 'node-1', 'v1')
    await deletePod(api, 'web')
    await settled()
    await createPod(api, 'second', { node: 'node-2', claims: ['v1'] })
    await settled()
    deepEqual((await eventsOf(api)).slice(1), [
      failed(
        'second',
        `Multi-Attach error for volume "v1" Volume is already exclusively attached to one node and can't be attached to another`,
      ),
    ])
  })

  test('S3-122: that it does not come off is told to the pod that waits for it', async (context) => {
    const { api, settled } = await startAttached(context)
    await deletePod(api, 'web')
    await settled()
    await failDetach(api, 'v1', 'node-1', 'busy')
    await createPod(api, 'second', { node: 'node-2', claims: ['v1'] })
    await settled()
    deepEqual(await listAttachments(api), ['v1 node-1'])
    deepEqual((await eventsOf(api)).slice(1), [
      failed(
        'second',
        'AttachVolume.Attach failed for volume "v1" : failed to detach the volume from node node-1: busy',
      ),
    ])
  })

  test('two pods on two nodes at the same moment: one gets it', async (context) => {
    const { api, settled } = await startUnderTest(context)
    await createPod(api, 'first', { node: 'node-1', claims: ['v1'] })
    await createPod(api, 'second', { node: 'node-2', claims: ['v1'] })
    await settled()
    await createBound(api, 'v1')
    await settled()
    equal((await listAttachments(api)).length, 1)
  })

  test('an attachment that was never confirmed counts as well', async (context) => {
    const { api, settled } = await startUnderTest(context)
    await createBound(api, 'v1')
    await createPod(api, 'web', { node: 'node-1', claims: ['v1'] })
    await settled()
    await failAttach(api, 'v1', 'node-1', 'who knows')
    await createPod(api, 'second', { node: 'node-2', claims: ['v1'] })
    await settled()
    deepEqual(await listAttachments(api), ['v1 node-1'])
  })

  test('a second PersistentVolume with the same handle is the same volume', async (context) => {
    const { api, settled } = await startAttached(context)
    await createBound(api, 'v2', { csi: { volumeHandle: 'handle-v1' } })
    await createPod(api, 'second', { node: 'node-2', claims: ['v2'] })
    await settled()
    deepEqual(await listAttachments(api), ['v1 node-1'])
  })

  test('H31, S3-121: not being attached is no proof that it is off; that the attacher has let go of it is', async (context) => {
    const { api, settled } = await startAttached(context)
    const name = nameOf('v1', 'node-1')
    await api.patch(
      VOLUME_ATTACHMENTS,
      { name },
      { type: 'merge', value: { metadata: { finalizers: [FINALIZER, 'example.com/hold'] } } },
    )
    await deletePod(api, 'web')
    await createPod(api, 'second', { node: 'node-2', claims: ['v1'] })
    await settled()
    await api.patch(
      VOLUME_ATTACHMENTS,
      { name },
      { type: 'merge', value: { status: { attached: false } } },
      { subresource: 'status' },
    )
    await settled()
    deepEqual(await listAttachments(api), ['v1 node-1'])
    await api.patch(
      VOLUME_ATTACHMENTS,
      { name },
      { type: 'merge', value: { metadata: { finalizers: ['example.com/hold'] } } },
    )
    await settled()
    deepEqual(await listAttachments(api), ['v1 node-1', 'v1 node-2'])
  })

  test('other access modes let it be on several nodes', async (context) => {
    const { api, settled } = await startUnderTest(context)
    await createBound(api, 'v1', { accessModes: ['ReadWriteMany'] })
    await createPod(api, 'first', { node: 'node-1', claims: ['v1'] })
    await createPod(api, 'second', { node: 'node-2', claims: ['v1'] })
    await settled()
    deepEqual(await listAttachments(api), ['v1 node-1', 'v1 node-2'])
  })
})

describe('volumes that stand in the pod', () => {
  const SOURCE = {
    driver: DRIVER,
    volumeHandle: 'disk-7',
    readOnly: true,
    volumeAttributes: { tier: 'fast' },
    controllerPublishSecretRef: { name: 'publish' },
    nodeStageSecretRef: { name: 'stage' },
    nodePublishSecretRef: { name: 'mount' },
  }
  const inLine = { name: 'data', csi: SOURCE }
  const NAME = attachmentName({ driver: DRIVER, volumeHandle: 'disk-7', nodeName: 'node-1' })
  const ALLOWED = { [POD_HANDLES_ANNOTATION]: 'true' }
  const EPHEMERAL = { volumeLifecycleModes: ['Ephemeral' as const] }

  test('H38, H39: one that the driver makes for the pod is never attached', async (context) => {
    const { api, settled } = await startUnderTest(context)
    await createDriver(api, EPHEMERAL, ALLOWED)
    await createPod(api, 'web', { node: 'node-1', volumes: [{ name: 'data', csi: { driver: DRIVER } }] })
    await settled()
    deepEqual(await listAttachments(api), [])
    deepEqual(await eventsOf(api), [])
  })

  test('S2-20, S2-13, H41, H44: one with a handle is attached, its source copied whole with the namespace of its secrets', async (context) => {
    const { api, settled } = await startUnderTest(context)
    await createDriver(api, EPHEMERAL, ALLOWED)
    await api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } })
    await createPod(api, 'web', { node: 'node-1', volumes: [inLine], namespace: 'team' })
    await settled()
    deepEqual((await findAttachment(api, NAME))?.spec.source, {
      inlineVolumeSpec: {
        accessModes: ['ReadWriteOnce'],
        volumeMode: 'Filesystem',
        csi: {
          driver: DRIVER,
          volumeHandle: 'disk-7',
          fsType: 'ext4',
          readOnly: true,
          volumeAttributes: { tier: 'fast' },
          controllerPublishSecretRef: { name: 'publish', namespace: 'team' },
          nodeStageSecretRef: { name: 'stage', namespace: 'team' },
          nodePublishSecretRef: { name: 'mount', namespace: 'team' },
        },
      },
    })
  })

  test('S2-21: it is detached when the pod is gone, even after a restart', async (context) => {
    const { api, settled, stop, start } = await startUnderTest(context)
    await createDriver(api, EPHEMERAL, ALLOWED)
    await createPod(api, 'web', { node: 'node-1', volumes: [inLine] })
    await settled()
    await stop()
    await deletePod(api, 'web')
    await start()
    await settled()
    deepEqual(await listAttachments(api), [])
  })

  test('H39: on other servers reserved attributes say the same, and the driver does not see them', async (context) => {
    const { api, settled } = await startUnderTest(context)
    await createDriver(api, EPHEMERAL, ALLOWED)
    const prefix = 'csi.kubernetes.io/inline.'
    const volumeAttributes = {
      [`${prefix}volumeHandle`]: 'disk-7',
      [`${prefix}controllerPublishSecretName`]: 'publish',
      [`${prefix}nodeStageSecretName`]: 'stage',
      tier: 'fast',
    }
    await createPod(api, 'web', {
      node: 'node-1',
      volumes: [{ name: 'data', csi: { driver: DRIVER, volumeAttributes } }],
    })
    await settled()
    const csi = (await findAttachment(api, NAME))?.spec.source.inlineVolumeSpec?.csi
    deepEqual(csi?.volumeAttributes, { tier: 'fast' })
    deepEqual(
      [csi?.controllerPublishSecretRef, csi?.nodeStageSecretRef],
      [
        { name: 'publish', namespace: 'default' },
        { name: 'stage', namespace: 'default' },
      ],
    )
  })

  for (const [what, spec, annotations] of [
    ['has no CSIDriver', undefined, {}],
    ['does not say that pods may name handles', EPHEMERAL, {}],
    ['is not for in-line volumes', {}, ALLOWED],
  ] as const) {
    test(`H40: a handle is refused, and the pod told, where the driver ${what}`, async (context) => {
      const { api, settled } = await startUnderTest(context)
      if (spec) await createDriver(api, spec, annotations)
      await createPod(api, 'web', { node: 'node-1', volumes: [inLine] })
      await settled()
      deepEqual(await listAttachments(api), [])
      match(
        (await eventsOf(api)).join('\n'),
        /^Warning FailedAttachVolume Pod\/web: volume "\S+" names a volume handle/,
      )
      await api.delete(CSI_DRIVERS, { name: DRIVER }).catch(() => {})
      await createDriver(api, EPHEMERAL, ALLOWED)
      await settled()
      deepEqual(await listAttachments(api), ['disk-7 node-1'])
    })
  }

  test('H43: two pods on a node share one attachment, which goes with the last of them', async (context) => {
    const { api, settled } = await startUnderTest(context)
    await createDriver(api, EPHEMERAL, ALLOWED)
    for (const name of ['first', 'second']) await createPod(api, name, { node: 'node-1', volumes: [inLine] })
    await settled()
    deepEqual(await listAttachments(api), ['disk-7 node-1'])
    await deletePod(api, 'first')
    await settled()
    deepEqual(await listAttachments(api), ['disk-7 node-1'])
    await deletePod(api, 'second')
    await settled()
    deepEqual(await listAttachments(api), [])
  })

  test('H43: a pod of another namespace does not get it while the first one has it, and is told', async (context) => {
    const { api, settled, advance, stop, start } = await startUnderTest(context)
    await createDriver(api, EPHEMERAL, ALLOWED)
    await api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } })
    await createPod(api, 'first', { node: 'node-1', volumes: [inLine] })
    await advance(2000)
    await createPod(api, 'second', { node: 'node-1', volumes: [inLine], namespace: 'team' })
    await settled()
    await stop()
    await start()
    await settled()
    match(
      (await eventsOf(api)).at(-1) ?? '',
      /Warning FailedAttachVolume Pod\/second: volume "data" is in use by a pod of another namespace/,
    )
    const first = await findAttachment(api, NAME)
    equal(first?.spec.source.inlineVolumeSpec?.csi?.controllerPublishSecretRef?.namespace, 'default')
    await deletePod(api, 'first')
    await settled()
    equal(
      (await findAttachment(api, NAME))?.spec.source.inlineVolumeSpec?.csi?.controllerPublishSecretRef?.namespace,
      'team',
    )
  })

  test('H41: it is on one node only', async (context) => {
    const { api, settled } = await startUnderTest(context)
    await createDriver(api, EPHEMERAL, ALLOWED)
    await createPod(api, 'first', { node: 'node-1', volumes: [inLine] })
    await settled()
    await createPod(api, 'second', { node: 'node-2', volumes: [inLine] })
    await settled()
    deepEqual(await listAttachments(api), ['disk-7 node-1'])
    match(
      (await eventsOf(api)).at(-1) ?? '',
      /Multi-Attach error for volume "data" Volume is already used by pod\(s\) first/,
    )
  })
})
