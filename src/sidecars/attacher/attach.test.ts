import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../../api/api.ts'
import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../api/kinds/custom-resource-definition.ts'
import { EVENTS } from '../../api/kinds/event.ts'
import { NAMESPACES } from '../../api/kinds/namespace.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { SECRETS } from '../../api/kinds/secret.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { asShippedSidecar } from '../../apiserver/testing/apply-manifest.ts'
import { grantRules } from '../../apiserver/testing/grant-rules.ts'
import { sleep } from '../../base/clock.ts'
import { CsiError } from '../../csi/index.ts'
import type { Driver } from '../../csi/index.ts'
import { ALPHA_CSI_NODE_INFO_CRD } from '../../compat/alpha-crds.ts'
import { CSI_NODE_INFOS } from '../../compat/alpha-csi-node-info.ts'
import { createOn, nodeOf } from '../../testing/objects.ts'
import {
  createAttachment,
  createScriptedDriver,
  createVolume,
  deleteAttachment,
  DRIVER,
  FINALIZER,
  holdPublish,
  isGone,
  openHostpathDriver,
  registerNode,
  startUnderTest,
} from './testing/describe-attacher.ts'

const SECRET = { namespace: 'default', name: 'pass' }
const makeSecret = (api: Api, value = 'open sesame') =>
  api.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: SECRET, stringData: { key: value } })
const isHeld = async (api: Api, name = 'v1'): Promise<boolean> =>
  (await api.get(PERSISTENT_VOLUMES, { name })).metadata.finalizers?.includes(FINALIZER) ?? false
const eventsOf = async (api: Api) =>
  (await api.list(EVENTS)).items.map(
    ({ reason, type, involvedObject }) => `${type} ${reason} ${involvedObject.kind}/${involvedObject.name}`,
  )

describe('attaching', () => {
  test('S3-66, S3-73, S3-75, S3-77, S3-78, S3-96, S3-97: an attachment is claimed, published and said to be attached', async (context) => {
    const { api, script, settled, attachment } = await startUnderTest(context)
    await createVolume(api, 'v1')
    await createAttachment(api)
    await settled()
    const { metadata, status } = await attachment()
    deepEqual(script.calls, ['publish handle-v1 id-1'])
    deepEqual(status, { attached: true, attachmentMetadata: { device: '/dev/handle-v1' } })
    deepEqual(metadata.finalizers, [FINALIZER])
    equal(metadata.annotations?.['csi.alpha.kubernetes.io/node-id'], 'id-1')
    equal(await isHeld(api), true)
  })

  test('S3-68: what belongs to another attacher is left alone', async (context) => {
    const { api, script, writes, settled } = await startUnderTest(context)
    await createVolume(api, 'v1')
    await createAttachment(api, 'a1', { attacher: 'other.example.org' })
    await settled()
    deepEqual([script.calls, writes], [[], []])
  })

  test('S2-22: a volume by its name and the source of a pod, in the words of the document or of today, are attached and detached, with the rights that ship', async (context) => {
    const { api, script, writes, settled } = await startUnderTest(context, asShippedSidecar())
    const sources: Record<string, VolumeAttachment['spec']['source']> = {
      named: { persistentVolumeName: 'v1' },
      document: { volumeSource: { csi: { driver: DRIVER, volumeHandle: 'in-pod' } } },
      today: { inlineVolumeSpec: { accessModes: ['ReadWriteOnce'], csi: { driver: DRIVER, volumeHandle: 'in-line' } } },
    }
    await createVolume(api, 'v1')
    for (const [name, source] of Object.entries(sources)) await createAttachment(api, name, { source })
    await settled()
    for (const name of Object.keys(sources))
      equal((await api.get(VOLUME_ATTACHMENTS, { name })).status?.attached, true, name)
    deepEqual([...script.published].toSorted(), ['handle-v1 id-1', 'in-line id-1', 'in-pod id-1'])
    deepEqual(
      writes.filter((write) => write.includes('document')),
      ['patch volumeattachments document', 'patch volumeattachments/status document'],
    )
    for (const name of Object.keys(sources)) await deleteAttachment(api, name)
    await settled()
    deepEqual([...script.published], [])
    for (const name of Object.keys(sources)) equal(await isGone(api, name), true, name)
  })

  describe('secrets of pods', () => {
    const NAMESPACES_OF_PODS = ['shop', 'kube-system']
    const startWith = async (context: TestContext, ...manifests: string[]) => {
      const under = await startUnderTest(context, asShippedSidecar(...manifests))
      const { script, api } = under
      const { publish, unpublish } = script
      const seen: string[] = []
      script.publish = (request, call) => (
        seen.push(`publish ${request.volumeId} ${request.secrets.key}`),
        publish(request, call)
      )
      script.unpublish = (request, call) => (
        seen.push(`unpublish ${request.volumeId} ${request.secrets.key}`),
        unpublish(request, call)
      )
      await api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } })
      for (const namespace of NAMESPACES_OF_PODS) {
        await api.create(SECRETS, {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { namespace, name: 'pass' },
          stringData: { key: `word of ${namespace}` },
        })
        const source = {
          volumeSource: {
            csi: { driver: DRIVER, volumeHandle: `disk-of-${namespace}`, controllerPublishSecretRef: { name: 'pass' } },
          },
        }
        await createAttachment(
          api,
          namespace,
          { source },
          { annotations: { 'csi.holdfast.dev/pod-namespace': namespace } },
        )
      }
      await under.settled()
      return { ...under, seen }
    }
    test('S2-23, H41, H60: in any namespace are read with secrets-all-namespaces.yaml, to attach and to detach', async (context) => {
      const { api, settled, seen } = await startWith(context, 'secrets-all-namespaces.yaml')
      for (const namespace of NAMESPACES_OF_PODS) await deleteAttachment(api, namespace)
      await settled()
      deepEqual(seen.toSorted(), [
        'publish disk-of-kube-system word of kube-system',
        'publish disk-of-shop word of shop',
        'unpublish disk-of-kube-system word of kube-system',
        'unpublish disk-of-shop word of shop',
      ])
    })
    test('H60: in no namespace are read without it, and the attachment says so', async (context) => {
      const { seen, attachment } = await startWith(context)
      deepEqual(seen, [])
      for (const namespace of NAMESPACES_OF_PODS)
        match(
          (await attachment(namespace)).status?.attachError?.message ?? '',
          /^failed to load secret ".+\/pass": secrets "pass" is forbidden/,
        )
    })
  })

  test('S3-79 to S3-82, S3-98, S3-99: a failed attach is told in status and event, and its error is cleared by success', async (context) => {
    const { api, script, settled, advance, attachment } = await startUnderTest(context)
    const { publish } = script
    script.publish = () => Promise.reject(new CsiError('RESOURCE_EXHAUSTED', 'the node is full'))
    await createVolume(api, 'v1')
    await createAttachment(api)
    await settled()
    const { status, metadata } = await attachment()
    equal(status?.attached, false)
    equal(status?.attachError?.errorCode, 8)
    match(status?.attachError?.message ?? '', /the node is full/)
    match(status?.attachError?.time ?? '', /^2030-01-01T00:00:00Z$/)
    deepEqual(metadata.finalizers, [FINALIZER])
    deepEqual(await eventsOf(api), ['Warning FailedAttachVolume VolumeAttachment/a1'])
    script.publish = publish
    await advance(1000)
    deepEqual((await attachment()).status, { attached: true, attachmentMetadata: { device: '/dev/handle-v1' } })
  })

  test('a code that no longer holds leaves with its error', async (context) => {
    const { api, script, advance, settled, attachment } = await startUnderTest(context)
    script.publish = () => Promise.reject(new CsiError('RESOURCE_EXHAUSTED', 'full'))
    await createVolume(api, 'v1')
    await createAttachment(api)
    await settled()
    await api.delete(CSI_NODES, { name: 'node-1' })
    await advance(1000)
    const { attachError } = (await attachment()).status ?? {}
    match(attachError?.message ?? '', /^CSINode node-1 does not contain driver/)
    equal(attachError?.errorCode, undefined)
  })

  test('S3-83: tries come with growing waits, and no sooner because of what we write ourselves', async (context) => {
    const { api, script, clock, settled } = await startUnderTest(context)
    const times: number[] = []
    script.publish = () => {
      times.push(clock.monotonicMs() / 1000)
      return Promise.reject(new CsiError('INTERNAL', 'no'))
    }
    await createVolume(api, 'v1')
    await createAttachment(api)
    for (let second = 0; second < 1200; second++) {
      await clock.advance(1000)
      if (second % 100 === 0) await settled()
    }
    deepEqual(times, [0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 811, 1111])
  })

  test('a new attachment of the same name does not inherit the waits of the old one', async (context) => {
    const { api, script, settled, advance } = await startUnderTest(context)
    const { publish } = script
    script.publish = () => Promise.reject(new CsiError('INTERNAL', 'no'))
    await createVolume(api, 'v1')
    await createAttachment(api)
    await settled()
    await advance(100_000)
    await deleteAttachment(api)
    await settled()
    script.calls.length = 0
    script.publish = publish
    await createAttachment(api)
    await settled()
    deepEqual(script.calls, ['publish handle-v1 id-1'])
  })

  test('an answer that comes late does not meet a new attachment of the same name', async (context) => {
    const { api, script, settled, attachment } = await startUnderTest(context)
    const { publish } = script
    const gate = Promise.withResolvers<void>()
    script.publish = async (request, call) => {
      if (request.nodeId === 'id-1') await gate.promise
      await publish(request, call)
      return { publishContext: { node: request.nodeId } }
    }
    await createVolume(api, 'v1')
    await createAttachment(api)
    await settled()
    // Somebody loses patience.
    await deleteAttachment(api)
    await api.patch(VOLUME_ATTACHMENTS, { name: 'a1' }, { type: 'merge', value: { metadata: { finalizers: null } } })
    await createAttachment(api, 'a1', { nodeName: 'node-2' })
    await settled()
    gate.resolve()
    await settled()
    deepEqual((await attachment()).status, { attached: true, attachmentMetadata: { node: 'id-2' } })
    equal(script.published.has('handle-v1 id-2'), true)
  })

  test('H37: a driver that hangs is given up after 15 s, and the finalizer stays', async (context) => {
    const { api, script, settled, advance, attachment } = await startUnderTest(context)
    script.publish = () => new Promise(() => {})
    await createVolume(api, 'v1')
    await createAttachment(api)
    await settled()
    equal((await attachment()).status?.attachError, undefined)
    await advance(15_000)
    const { status, metadata } = await attachment()
    equal(status?.attachError?.errorCode, 4)
    deepEqual(metadata.finalizers, [FINALIZER])
  })

  test('H34: a long message is cut so that the server takes it', async (context) => {
    const { api, script, settled, attachment } = await startUnderTest(context)
    script.publish = () => Promise.reject(new CsiError('INTERNAL', '€'.repeat(2000)))
    await createVolume(api, 'v1')
    await createAttachment(api)
    await settled()
    const message = (await attachment()).status?.attachError?.message ?? ''
    ok(Buffer.byteLength(message) > 1000 && Buffer.byteLength(message) <= 1024)
  })

  test('an answer that no status can hold is an error, and no hot loop', async (context) => {
    let calls = 0
    const { api, settled, advance, attachment } = await startUnderTest(context, {
      // The kit would refuse to send it; other drivers do not have the kit.
      openDriver: (clock) => {
        const controllerPublishVolume = () => (
          calls++,
          Promise.resolve({ publishContext: { big: 'x'.repeat(300_000) } })
        )
        return Promise.resolve({ ...createScriptedDriver(clock).driver, controllerPublishVolume })
      },
    })
    await createVolume(api, 'v1')
    await createAttachment(api)
    await settled()
    await advance(1000)
    equal(calls, 2)
    const { status } = await attachment()
    equal(status?.attached, false)
    match(status?.attachError?.message ?? '', /a publish context of 300003 bytes/)
  })

  test('S3-100: what a driver says about a secret reaches neither status nor events', async (context) => {
    const { api, script, settled, attachment } = await startUnderTest(context)
    script.publish = ({ secrets }) => Promise.reject(new CsiError('UNAUTHENTICATED', `wrong password ${secrets.key}`))
    await makeSecret(api)
    await createVolume(api, 'v1', { controllerPublishSecretRef: SECRET })
    await createAttachment(api)
    await settled()
    match((await attachment()).status?.attachError?.message ?? '', /wrong password/)
    equal(JSON.stringify([await attachment(), (await api.list(EVENTS)).items]).includes('open sesame'), false)
  })

  const inlineVolumeSpec = {
    accessModes: ['ReadWriteOnce' as const],
    csi: { driver: DRIVER, volumeHandle: 'in-line', controllerPublishSecretRef: SECRET },
  }
  for (const [what, source] of [
    ['a volume', { persistentVolumeName: 'v1' }],
    ['an in-line source', { inlineVolumeSpec }],
  ] as const) {
    test(`S2-9: the secret of ${what} reaches the driver in both calls`, async (context) => {
      const { api, script, settled } = await startUnderTest(context)
      const { publish, unpublish } = script
      const seen: unknown[] = []
      script.publish = (request, call) => (seen.push(request.secrets), publish(request, call))
      script.unpublish = (request, call) => (seen.push(request.secrets), unpublish(request, call))
      await makeSecret(api)
      await createVolume(api, 'v1', { controllerPublishSecretRef: SECRET })
      await createAttachment(api, 'a1', { source })
      await settled()
      await deleteAttachment(api)
      await settled()
      deepEqual(seen, [{ key: 'open sesame' }, { key: 'open sesame' }])
    })
  }

  test('H52: a secret with a value that is not UTF-8 fails before the call, with its name and key and without the value', async (context) => {
    const { api, script, settled, attachment } = await startUnderTest(context)
    await api.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: SECRET,
      data: { good: Buffer.from('fine').toString('base64'), odd: Buffer.from([0xff, 0xfe, 0x41]).toString('base64') },
    })
    await createVolume(api, 'v1', { controllerPublishSecretRef: SECRET })
    await createAttachment(api)
    await settled()
    deepEqual(script.calls, [])
    match(
      (await attachment()).status?.attachError?.message ?? '',
      /^failed to load secret ".+\/.+": the value of key "odd" is not valid UTF-8\. Store binary data in a text form/,
    )
    equal(JSON.stringify(await attachment()).includes(Buffer.from([0xff, 0xfe, 0x41]).toString('base64')), false)
  })

  test('never two calls at once for one volume and node, even of two attachments', async (context) => {
    const { api, script, settled } = await startUnderTest(context)
    const gate = holdPublish(script)
    await createVolume(api, 'v1')
    await createAttachment(api, 'a1')
    await createAttachment(api, 'a2')
    await settled()
    equal(script.calls.length, 1)
    gate.resolve()
    await settled()
    equal(script.calls.length, 2)
    equal(script.mostAtOnce, 1)
    for (const name of ['a1', 'a2']) equal((await api.get(VOLUME_ATTACHMENTS, { name })).status?.attached, true)
  })

  test('a node that came back as another machine has its volume moved there', async (context) => {
    const { api, script, settled, advance, attachment } = await startUnderTest(context)
    const { publish } = script
    script.publish = () => Promise.reject(new CsiError('DEADLINE_EXCEEDED', 'who knows'))
    await createVolume(api, 'v1')
    await createAttachment(api)
    await settled()
    script.publish = publish
    await api.delete(CSI_NODES, { name: 'node-1' })
    await settled()
    await registerNode(api, 'node-1', 'id-new')
    await settled()
    await advance(0)
    deepEqual(script.calls, ['publish handle-v1 id-1', 'unpublish handle-v1 id-1', 'publish handle-v1 id-new'])
    equal((await attachment()).metadata.annotations?.['csi.alpha.kubernetes.io/node-id'], 'id-new')
  })
})

describe('what it waits for', () => {
  const refusal = async (under: {
    attachment(): Promise<{ status?: { attachError?: { message?: string } } }>
  }): Promise<string> => (await under.attachment()).status?.attachError?.message ?? ''

  test('a volume that appears is attached at once', async (context) => {
    const under = await startUnderTest(context)
    await createAttachment(under.api)
    await under.settled()
    match(await refusal(under), /^persistentvolume "v1" not found/)
    deepEqual(under.writes, ['patch volumeattachments/status a1'])
    await createVolume(under.api, 'v1')
    await under.settled()
    equal((await under.attachment()).status?.attached, true)
  })

  test('a CSINode entry that appears lets the volume be attached at once', async (context) => {
    const under = await startUnderTest(context)
    await createVolume(under.api, 'v1')
    await createAttachment(under.api, 'a1', { nodeName: 'node-9' })
    await under.settled()
    match(await refusal(under), /^CSINode node-9 does not contain driver/)
    deepEqual((await under.attachment()).metadata.finalizers ?? [], [])
    equal(await isHeld(under.api), false)
    deepEqual(await eventsOf(under.api), ['Warning FailedAttachVolume VolumeAttachment/a1'])
    await registerNode(under.api, 'node-9', 'id-9')
    await under.settled()
    deepEqual(under.script.calls, ['publish handle-v1 id-9'])
  })

  test('S3-15, S3-71: a CSINodeInfo does as well, with the rights that ship', async (context) => {
    const under = await startUnderTest(context, asShippedSidecar())
    const createInfo = (name: string, driver: string) =>
      under.api.create(CSI_NODE_INFOS, {
        apiVersion: 'csi.storage.k8s.io/v1alpha1',
        kind: 'CSINodeInfo',
        metadata: { name },
        csiDrivers: [{ name: driver, nodeID: `alpha-of-${name}` }],
      })
    await createVolume(under.api, 'v1')
    await createAttachment(under.api, 'a1', { nodeName: 'node-9' })
    await createInfo('node-8', DRIVER)
    await createInfo('node-9', 'other.example.com')
    await under.settled()
    deepEqual(under.script.calls, [])
    await under.api.patch(
      CSI_NODE_INFOS,
      { name: 'node-9' },
      { type: 'merge', value: { csiDrivers: [{ name: DRIVER, nodeID: 'alpha-9' }] } },
    )
    await under.settled()
    deepEqual(under.script.calls, ['publish handle-v1 alpha-9'])
    // What was written down is enough to detach.
    await under.api.delete(CSI_NODE_INFOS, { name: 'node-9' })
    await deleteAttachment(under.api)
    await under.settled()
    deepEqual(under.script.calls.slice(1), ['unpublish handle-v1 alpha-9'])
  })

  test('S3-15: what CSINode says counts before CSINodeInfo', async (context) => {
    const under = await startUnderTest(context, asShippedSidecar())
    await under.api.create(CSI_NODE_INFOS, {
      apiVersion: 'csi.storage.k8s.io/v1alpha1',
      kind: 'CSINodeInfo',
      metadata: { name: 'node-1' },
      csiDrivers: [{ name: DRIVER, nodeID: 'old' }],
    })
    await createVolume(under.api, 'v1')
    await createAttachment(under.api)
    await under.settled()
    deepEqual(under.script.calls, ['publish handle-v1 id-1'])
  })

  test('where the server has no CSINodeInfo it attaches all the same, asks seldom, and takes it up once it is there', async (context) => {
    let asked = 0
    const shipped = asShippedSidecar()
    const under = await startUnderTest(context, {
      before: async (core) => {
        await shipped.before(core)
        await core.api.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: ALPHA_CSI_NODE_INFO_CRD.metadata.name ?? '' })
        await core.server.idle()
      },
      apiOf: (core) => {
        const own = shipped.apiOf(core)
        return {
          ...own,
          list: (type, options) =>
            type.plural === 'csinodeinfos' ? (asked++, own.list(type, options)) : own.list(type, options),
        }
      },
    })
    await createVolume(under.api, 'v1')
    await createAttachment(under.api)
    await createAttachment(under.api, 'a2', { nodeName: 'node-9' })
    await under.settled()
    deepEqual(under.script.calls, ['publish handle-v1 id-1'])
    await under.advance(290_000)
    equal(asked, 1)
    await under.api.create(CUSTOM_RESOURCE_DEFINITIONS, ALPHA_CSI_NODE_INFO_CRD)
    await under.server.idle()
    await under.api.create(CSI_NODE_INFOS, {
      apiVersion: 'csi.storage.k8s.io/v1alpha1',
      kind: 'CSINodeInfo',
      metadata: { name: 'node-9' },
      csiDrivers: [{ name: DRIVER, nodeID: 'alpha-9' }],
    })
    await under.advance(10_000)
    ok(under.script.calls.includes('publish handle-v1 alpha-9'))
  })

  test('S3-70: the annotation of the node does as well', async (context) => {
    const under = await startUnderTest(context)
    await createVolume(under.api, 'v1')
    await createAttachment(under.api, 'a1', { nodeName: 'node-9' })
    await createOn(under.api, NODES, nodeOf('node-9'))
    await under.settled()
    deepEqual(under.script.calls, [])
    const annotations = { 'csi.volume.kubernetes.io/nodeid': JSON.stringify({ [DRIVER]: 'noted-9' }) }
    await under.api.patch(NODES, { name: 'node-9' }, { type: 'merge', value: { metadata: { annotations } } })
    await under.settled()
    deepEqual(under.script.calls, ['publish handle-v1 noted-9'])
  })

  test('a secret that appears is found by looking again', async (context) => {
    const under = await startUnderTest(context)
    await createVolume(under.api, 'v1', { controllerPublishSecretRef: SECRET })
    await createAttachment(under.api)
    await under.settled()
    match(await refusal(under), /^failed to load secret "default\/pass": secrets "pass" not found/)
    deepEqual((await under.attachment()).metadata.finalizers ?? [], [])
    await makeSecret(under.api)
    await under.advance(1000)
    equal((await under.attachment()).status?.attached, true)
  })

  test('a volume that is being deleted is not attached', async (context) => {
    const under = await startUnderTest(context)
    await createVolume(under.api, 'v1')
    await under.api.delete(PERSISTENT_VOLUMES, { name: 'v1' })
    await createAttachment(under.api)
    await under.settled()
    match(await refusal(under), /^PersistentVolume "v1" is marked for deletion/)
    deepEqual(under.script.calls, [])
  })
})

describe('detaching', () => {
  test('S3-74, S3-84, S3-85: a deleted attachment goes when the volume is unpublished', async (context) => {
    const { api, script, settled } = await startUnderTest(context)
    await createVolume(api, 'v1')
    await createAttachment(api)
    await settled()
    await deleteAttachment(api)
    await settled()
    deepEqual(script.calls, ['publish handle-v1 id-1', 'unpublish handle-v1 id-1'])
    equal(await isGone(api), true)
  })

  test('S3-87 to S3-89: a failed detach is told, the volume still counts as attached, and the object stays', async (context) => {
    const { api, script, settled, advance, attachment } = await startUnderTest(context)
    const { unpublish } = script
    await createVolume(api, 'v1')
    await createAttachment(api)
    await settled()
    script.unpublish = () => Promise.reject(new CsiError('NOT_FOUND', 'never heard of it'))
    await deleteAttachment(api)
    await settled()
    const { status, metadata } = await attachment()
    equal(status?.attached, true)
    match(status?.detachError?.message ?? '', /never heard of it/)
    equal(status?.detachError?.errorCode, undefined)
    deepEqual(metadata.finalizers, [FINALIZER])
    deepEqual(await eventsOf(api), ['Warning FailedDetachVolume VolumeAttachment/a1'])
    script.unpublish = unpublish
    await advance(1000)
    equal(await isGone(api), true)
  })

  test('S3-86, H31: finalizers of others stay, and then the status says that it is detached', async (context) => {
    const { api, settled, attachment } = await startUnderTest(context)
    await createVolume(api, 'v1')
    await createAttachment(api, 'a1', {}, { finalizers: ['example.org/first'] })
    await settled()
    deepEqual((await attachment()).metadata.finalizers, ['example.org/first', FINALIZER])
    await deleteAttachment(api)
    await settled()
    const { status, metadata } = await attachment()
    deepEqual(metadata.finalizers, ['example.org/first'])
    deepEqual(status, { attached: false })
  })

  test('S2-21: works after node, volume and secret reference are gone from everywhere but the attachment', async (context) => {
    const { api, script, settled, stop, start } = await startUnderTest(context)
    await makeSecret(api)
    await createVolume(api, 'v1', { controllerPublishSecretRef: SECRET })
    await createAttachment(api)
    await settled()
    await stop()
    await api.delete(CSI_NODES, { name: 'node-1' })
    await api.patch(PERSISTENT_VOLUMES, { name: 'v1' }, { type: 'merge', value: { metadata: { finalizers: null } } })
    await api.delete(PERSISTENT_VOLUMES, { name: 'v1' })
    await deleteAttachment(api)
    await start()
    deepEqual(script.calls, ['publish handle-v1 id-1', 'unpublish handle-v1 id-1'])
    equal(await isGone(api), true)
  })

  test('deleted while it is being published, it is unpublished right after', async (context) => {
    const { api, script, settled } = await startUnderTest(context)
    const gate = holdPublish(script)
    await createVolume(api, 'v1')
    await createAttachment(api)
    await settled()
    await deleteAttachment(api)
    await settled()
    gate.resolve()
    await settled()
    deepEqual(script.calls, ['publish handle-v1 id-1', 'unpublish handle-v1 id-1'])
    equal(await isGone(api), true)
    deepEqual([...script.published], [])
  })

  test('has workers of its own: what does not come off keeps nothing from being attached', async (context) => {
    const { api, script, settled } = await startUnderTest(context, { config: { workerThreads: 1 } })
    for (const name of ['v1', 'v2', 'v3']) await createVolume(api, name)
    await createAttachment(api, 'a1')
    await createAttachment(api, 'a2', { source: { persistentVolumeName: 'v2' } })
    await settled()
    script.unpublish = () => new Promise(() => {})
    await deleteAttachment(api, 'a1')
    await deleteAttachment(api, 'a2')
    await settled()
    await createAttachment(api, 'a3', { source: { persistentVolumeName: 'v3' } })
    await settled()
    equal((await api.get(VOLUME_ATTACHMENTS, { name: 'a3' })).status?.attached, true)
  })
})

describe('writes', () => {
  const FIRST = ['patch volumeattachments a1', 'patch volumeattachments/status a1']

  test('a volume that was made with our finalizer is attached with two, and detached with one', async (context) => {
    const { api, writes, settled } = await startUnderTest(context)
    await createVolume(api, 'v1', {}, { finalizers: [FINALIZER] })
    await createAttachment(api)
    await settled()
    deepEqual(writes.splice(0), FIRST)
    await deleteAttachment(api)
    await settled()
    deepEqual(writes.splice(0), ['patch volumeattachments a1'])
    await createAttachment(api)
    await settled()
    deepEqual(writes.splice(0), FIRST)
  })

  test('any other volume costs one more, the first time', async (context) => {
    const { api, writes, settled, advance } = await startUnderTest(context)
    await createVolume(api, 'v1')
    await createAttachment(api)
    await settled()
    deepEqual(writes.splice(0), ['patch persistentvolumes v1', ...FIRST])
    await advance(600_000)
    deepEqual(writes, [])
    await deleteAttachment(api)
    await settled()
    deepEqual(writes.splice(0), ['patch volumeattachments a1'])
    await createAttachment(api, 'a1', { nodeName: 'node-2' })
    await settled()
    deepEqual(writes.splice(0), FIRST)
  })

  test('a watch that lags behind costs none: our own writes are known', async (context) => {
    const { api, script, writes, advance, attachment } = await startUnderTest(context, {
      apiOf: ({ api: quick, clock }) => ({
        ...quick,
        watch: async function* (type, options) {
          for await (const event of quick.watch(type, options)) {
            if (event.type !== 'BOOKMARK') await sleep(clock, 500)
            yield event
          }
        },
      }),
    })
    await createVolume(api, 'v1')
    await createAttachment(api)
    // Something to look at the attachment for, while the cache is still as it was before.
    await registerNode(api, 'node-3', 'id-3')
    await advance(500)
    for (let at = 0; at < 20; at++) await advance(100)
    deepEqual(writes.splice(0), ['patch persistentvolumes v1', ...FIRST])
    equal((await attachment()).status?.attached, true)
    await deleteAttachment(api)
    for (let at = 0; at < 30; at++) await advance(100)
    deepEqual(writes, ['patch volumeattachments a1'])
    deepEqual(script.calls, ['publish handle-v1 id-1', 'unpublish handle-v1 id-1'])
  })

  test('an attachment that was made with claim and all costs one', async (context) => {
    const { api, writes, settled } = await startUnderTest(context)
    await createVolume(api, 'v1', {}, { finalizers: [FINALIZER] })
    await createAttachment(
      api,
      'a1',
      {},
      { finalizers: [FINALIZER], annotations: { 'csi.alpha.kubernetes.io/node-id': 'id-1' } },
    )
    await settled()
    deepEqual(writes, ['patch volumeattachments/status a1'])
  })

  test('a failed try costs one', async (context) => {
    const { api, script, writes, settled, advance } = await startUnderTest(context)
    script.publish = () => Promise.reject(new CsiError('INTERNAL', 'no'))
    await createVolume(api, 'v1', {}, { finalizers: [FINALIZER] })
    await createAttachment(api)
    await settled()
    deepEqual(writes.splice(0), FIRST)
    await advance(1000)
    deepEqual(writes.splice(0), ['patch volumeattachments/status a1'])
  })

  test('a restart costs none', async (context) => {
    const { api, script, writes, settled, stop, start } = await startUnderTest(context)
    await createVolume(api, 'v1')
    await createAttachment(api)
    await settled()
    writes.length = 0
    await stop()
    await start()
    deepEqual([writes, script.calls.length], [[], 1])
  })
})

describe('the finalizer of a volume', () => {
  test('S3-76: leaves a minute after the last detach', async (context) => {
    const { api, settled, advance } = await startUnderTest(context)
    await createVolume(api, 'v1')
    await createAttachment(api)
    await settled()
    await deleteAttachment(api)
    await advance(59_000)
    equal(await isHeld(api), true)
    await advance(1000)
    equal(await isHeld(api), false)
  })

  test('stays when the volume is attached again meanwhile', async (context) => {
    const { api, settled, advance } = await startUnderTest(context)
    await createVolume(api, 'v1')
    await createAttachment(api)
    await settled()
    await deleteAttachment(api)
    await advance(30_000)
    await createAttachment(api, 'a2', { nodeName: 'node-2' })
    await advance(120_000)
    equal(await isHeld(api), true)
  })

  test('S3-65, S3-76: leaves at once when the volume is being deleted, and not before the last attachment is gone', async (context) => {
    const { api, settled } = await startUnderTest(context)
    await createVolume(api, 'v1')
    await createAttachment(api)
    await settled()
    await api.delete(PERSISTENT_VOLUMES, { name: 'v1' })
    await settled()
    equal(await isHeld(api), true)
    await deleteAttachment(api)
    await settled()
    equal(await isHeld(api), false)
  })

  test('that an earlier attacher left behind leaves a minute after the start', async (context) => {
    const { api, advance } = await startUnderTest(context, {
      before: async (core) => void (await createVolume(core.api, 'v1', {}, { finalizers: [FINALIZER] })),
    })
    await advance(60_000)
    equal(await isHeld(api), false)
  })

  test('is put back before a publish when it leaves at this very moment', async (context) => {
    const gate = Promise.withResolvers<void>()
    let held = false
    const under = await startUnderTest(context, {
      // The removal takes its time; all else goes on.
      apiOf: ({ api }) => ({
        ...api,
        patch: async (type, ref, patch, options) => {
          const isRemoval =
            type.plural === 'persistentvolumes' && JSON.stringify(patch).includes('$deleteFromPrimitiveList/finalizers')
          if (isRemoval) await gate.promise
          return api.patch(type, ref, patch, options)
        },
      }),
    })
    const { api, script, settled, advance } = under
    await createVolume(api, 'v1')
    await createAttachment(api)
    await settled()
    await deleteAttachment(api)
    await advance(60_000)
    const { publish } = script
    script.publish = async (request, call) => {
      held = await isHeld(api)
      return publish(request, call)
    }
    await createAttachment(api)
    await settled()
    equal(script.calls.filter((call) => call.startsWith('publish')).length, 1)
    gate.resolve()
    await settled()
    equal(script.calls.filter((call) => call.startsWith('publish')).length, 2)
    equal(held, true)
  })
})

describe('a driver that knows no attaching', () => {
  test('S3-67, H13: has its attachments acknowledged with one write and no finalizer', async (context) => {
    const { api, writes, settled, attachment } = await startUnderTest(context, { driver: { trivial: true } })
    await createAttachment(api)
    await settled()
    deepEqual((await attachment()).status, { attached: true })
    deepEqual((await attachment()).metadata.finalizers ?? [], [])
    deepEqual(writes, ['patch volumeattachments/status a1'])
    await deleteAttachment(api)
    equal(await isGone(api), true)
  })

  test('gives up the finalizers of a time when it knew attaching', async (context) => {
    const { api, settled, advance } = await startUnderTest(context, { driver: { trivial: true } })
    await createVolume(api, 'v1', {}, { finalizers: [FINALIZER] })
    await createAttachment(api, 'a1', {}, { finalizers: [FINALIZER] })
    await settled()
    await deleteAttachment(api)
    await advance(60_000)
    equal(await isGone(api), true)
    equal(await isHeld(api), false)
  })
})

describe('comparing with what the driver lists', () => {
  type Listing = { entries: object[]; pageSize?: number; onList?: () => Promise<void> }
  const withList = (listing: Listing, config = {}) => ({
    config,
    driver: {
      features: { publishedNodes: true },
      more: {
        listVolumes: async ({ startingToken, maxEntries }: { startingToken: string; maxEntries: number }) => {
          await listing.onList?.()
          const from = Number(startingToken || '0')
          const size = maxEntries || listing.entries.length || 1
          const next = from + size
          return {
            entries: listing.entries.slice(from, next),
            nextToken: next < listing.entries.length ? String(next) : '',
          }
        },
      },
    },
  })
  const entry = (volumeId: string, ...publishedNodeIds: string[]): object => ({
    volume: { volumeId, capacityBytes: 1n },
    status: { publishedNodeIds },
  })

  test('what the driver has lost is published again, and nothing is unpublished', async (context) => {
    const listing: Listing = { entries: [entry('handle-v1', 'id-1')] }
    const { api, script, writes, settled, advance, attachment } = await startUnderTest(context, withList(listing))
    await createVolume(api, 'v1')
    await createAttachment(api)
    await settled()
    await advance(60_000)
    equal(script.calls.length, 1)
    writes.length = 0
    listing.entries = [entry('other', 'id-1')]
    await advance(60_000)
    deepEqual(script.calls, ['publish handle-v1 id-1', 'publish handle-v1 id-1'])
    equal((await attachment()).status?.attached, true)
    deepEqual(writes, [])
  })

  test('all pages count', async (context) => {
    const listing: Listing = { entries: [entry('x'), entry('y'), entry('handle-v1', 'id-1')] }
    const { api, script, settled, advance } = await startUnderTest(context, withList(listing, { maxEntries: 1 }))
    await createVolume(api, 'v1')
    await createAttachment(api)
    await settled()
    await advance(180_000)
    equal(script.calls.length, 1)
  })

  test('an attachment that was made while the list was being read is not judged by it', async (context) => {
    const listing: Listing = { entries: [] }
    const { api, script, settled, advance } = await startUnderTest(context, withList(listing))
    await createVolume(api, 'v1')
    const gate = Promise.withResolvers<void>()
    listing.onList = () => gate.promise
    await advance(60_000)
    await createAttachment(api)
    await settled()
    equal(script.calls.length, 1)
    gate.resolve()
    await settled()
    equal(script.calls.length, 1)
  })

  test('an attachment with a call under way is not judged by a list', async (context) => {
    const listing: Listing = { entries: [entry('handle-v1', 'id-1')] }
    const { api, script, settled, advance } = await startUnderTest(context, withList(listing, { timeoutMs: 600_000 }))
    const gate = holdPublish(script)
    await createVolume(api, 'v1')
    await createAttachment(api)
    await settled()
    await advance(60_000)
    gate.resolve()
    await settled()
    equal(script.calls.length, 1)
  })

  test('an attachment that changes while the list is being read is not judged by it', async (context) => {
    const listing: Listing = { entries: [] }
    const { api, script, settled, advance } = await startUnderTest(context, withList(listing))
    script.publish = () => Promise.reject(new CsiError('INTERNAL', 'no'))
    await createVolume(api, 'v1')
    await createAttachment(api)
    await settled()
    await advance(59_000)
    const gate = Promise.withResolvers<void>()
    listing.onList = () => gate.promise
    await advance(1000)
    const before = script.calls.length
    await api.patch(
      VOLUME_ATTACHMENTS,
      { name: 'a1' },
      { type: 'merge', value: { status: { attached: true } } },
      { subresource: 'status' },
    )
    await settled()
    gate.resolve()
    await settled()
    equal(script.calls.length, before)
    // The next list does judge it.
    await advance(60_000)
    equal(script.calls.length, before + 1)
  })

  test('a driver that lists in a circle, or fails to, changes nothing', async (context) => {
    const { api, script, settled, advance } = await startUnderTest(context, {
      driver: {
        features: { publishedNodes: true },
        more: { listVolumes: () => Promise.resolve({ entries: [], nextToken: 'again' }) },
      },
    })
    await createVolume(api, 'v1')
    await createAttachment(api)
    await settled()
    await advance(300_000)
    equal(script.calls.length, 1)
  })
})

describe('an existing deployment', () => {
  // The rules of upstream's deployment, and no more: neither nodes nor events.
  const RULES = [
    { apiGroups: [''], resources: ['persistentvolumes'], verbs: ['get', 'list', 'watch', 'patch'] },
    { apiGroups: ['storage.k8s.io'], resources: ['csinodes'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: ['storage.k8s.io'], resources: ['volumeattachments'], verbs: ['get', 'list', 'watch', 'patch'] },
    { apiGroups: ['storage.k8s.io'], resources: ['volumeattachments/status'], verbs: ['patch'] },
  ]

  test('H33: its permissions are enough, and that events are forbidden hurts nothing', async (context) => {
    const { api, script, settled, advance, attachment } = await startUnderTest(context, {
      apiOf: ({ server }) => server.core.as({ name: 'attacher', groups: ['system:authenticated'] }),
      before: async ({ api: admin }) => {
        await grantRules(admin, 'attacher', RULES)
      },
    })
    const { publish } = script
    script.publish = () => Promise.reject(new CsiError('INTERNAL', 'no'))
    await createVolume(api, 'v1')
    await createAttachment(api)
    await settled()
    equal((await attachment()).status?.attachError?.errorCode, 13)
    script.publish = publish
    await advance(1000)
    equal((await attachment()).status?.attached, true)
    await deleteAttachment(api)
    await settled()
    equal(await isGone(api), true)
    await createVolume(api, 'v2', { controllerPublishSecretRef: SECRET })
    await createAttachment(api, 'a2', { source: { persistentVolumeName: 'v2' } })
    await settled()
    match(
      (await attachment('a2')).status?.attachError?.message ?? '',
      /is forbidden: User .+ cannot get .+ Allow the attacher to get this secret/,
    )
  })
})

test('stopped in the middle of a call, it writes nothing of what the call answers', async (context) => {
  const { api, script, writes, settled, stop, attachment } = await startUnderTest(context)
  const gate = holdPublish(script)
  await createVolume(api, 'v1')
  await createAttachment(api)
  await settled()
  writes.length = 0
  await stop()
  gate.resolve()
  await settled()
  deepEqual(writes, [])
  equal((await attachment()).status?.attached ?? false, false)
})

test('the bundled driver: a volume follows its attachments over two nodes', async (context) => {
  let driver: Driver | undefined
  const { api, settled, advance, attachment } = await startUnderTest(context, {
    openDriver: async (clock) => (driver = await openHostpathDriver(clock, ['id-1', 'id-2'])),
  })
  const hostpath =
    driver ??
    (() => {
      throw new Error('no driver')
    })()
  const made = await hostpath.createVolume({
    name: 'one',
    volumeCapabilities: [{ accessType: { $case: 'mount', value: {} }, accessMode: { mode: 1 } }],
    capacityRange: { requiredBytes: 1024n * 1024n },
  })
  const volumeHandle = made.volume?.volumeId ?? ''
  const publishedTo = async () =>
    (await hostpath.listVolumes({})).entries.flatMap(({ status }) => status?.publishedNodeIds ?? [])
  await createVolume(api, 'v1', { volumeHandle })
  await createAttachment(api, 'a1')
  await settled()
  deepEqual(await publishedTo(), ['id-1'])
  deepEqual((await attachment('a1')).status, { attached: true, attachmentMetadata: { readonly: 'false' } })

  // Still on the first node: the driver refuses a second one for a volume of one node.
  await createAttachment(api, 'a2', { nodeName: 'node-2' })
  await settled()
  equal((await attachment('a2')).status?.attachError?.errorCode, 9)
  await deleteAttachment(api, 'a1')
  await advance(1000)
  deepEqual(await publishedTo(), ['id-2'])
  equal((await attachment('a2')).status?.attached, true)
  equal((await attachment('a2')).status?.attachError, undefined)

  // Taken away behind our back: the next comparison brings it back.
  await hostpath.controllerUnpublishVolume({ volumeId: volumeHandle, nodeId: 'id-2' })
  await advance(60_000)
  deepEqual(await publishedTo(), ['id-2'])
  await deleteAttachment(api, 'a2')
  await settled()
  deepEqual(await publishedTo(), [])
})
