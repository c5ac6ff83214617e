import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../../api/api.ts'
import { NAMESPACES } from '../../api/kinds/namespace.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { SECRETS } from '../../api/kinds/secret.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { applyManifest } from '../../apiserver/testing/apply-manifest.ts'
import { SIDECAR_USER } from '../../apiserver/testing/shipped-identity.ts'
import { CsiError } from '../../csi/index.ts'
import {
  createAttachment,
  createVolume,
  deleteAttachment,
  DRIVER,
  FINALIZER,
  isGone,
  startUnderTest,
} from './testing/describe-attacher.ts'
import type { AttacherUnderTest, UnderTestOptions } from './testing/describe-attacher.ts'

// The attacher at work with the rights of the shipped manifest: when it attaches, and with what.

const start = (context: TestContext, options: UnderTestOptions = {}): Promise<AttacherUnderTest> =>
  startUnderTest(context, {
    ...options,
    apiOf: ({ server }) => server.core.as(SIDECAR_USER),
    before: async (core) => {
      await applyManifest(core.api, 'examples/sidecar/rbac.yaml')
      await options.before?.(core)
    },
  })

const setAttached = (api: Api, name: string): Promise<unknown> =>
  api.patch(
    VOLUME_ATTACHMENTS,
    { name },
    { type: 'merge', value: { status: { attached: true } } },
    { subresource: 'status' },
  )
const touch = (api: Api, name: string): Promise<unknown> =>
  api.patch(VOLUME_ATTACHMENTS, { name }, { type: 'merge', value: { metadata: { labels: { touched: name } } } })

test('S3-69: what is attached is not attached again, neither at the start nor by any change; what is not is attached', async (context) => {
  const {
    api,
    script,
    settled,
    advance,
    start: startAgain,
    stop,
  } = await start(context, {
    before: async ({ api: admin }) => {
      for (const name of ['v1', 'v2', 'v3']) await createVolume(admin, name)
      // One that an attacher of another time attached, with its finalizer and without, and one that waits.
      await createAttachment(admin, 'a1', {}, { finalizers: [FINALIZER] })
      await createAttachment(admin, 'a2', { source: { persistentVolumeName: 'v2' } })
      await createAttachment(admin, 'a3', { source: { persistentVolumeName: 'v3' } })
      for (const name of ['a1', 'a2']) await setAttached(admin, name)
    },
  })
  await settled()
  deepEqual(script.calls, ['publish handle-v3 id-1'])
  for (const name of ['a1', 'a2', 'a3']) await touch(api, name)
  for (const name of ['v1', 'v2', 'v3'])
    await api.patch(
      PERSISTENT_VOLUMES,
      { name },
      { type: 'merge', value: { metadata: { labels: { touched: 'yes' } } } },
    )
  await advance(3_600_000)
  await stop()
  await startAgain()
  await advance(3_600_000)
  deepEqual(script.calls, ['publish handle-v3 id-1'])
})

test('S3-72: what is being deleted is not attached and not claimed; an attach that was failing is not tried again, but undone', async (context) => {
  const { api, script, settled, advance, attachment } = await start(context, {
    before: async ({ api: admin }) => {
      await createVolume(admin, 'v1')
      await createAttachment(admin, 'a1', {}, { finalizers: ['example.com/hold'] })
      await deleteAttachment(admin, 'a1')
    },
  })
  await advance(600_000)
  deepEqual(script.calls, [])
  const { metadata, status } = await attachment('a1')
  deepEqual([metadata.finalizers, status?.attached], [['example.com/hold'], false])

  await createVolume(api, 'v2')
  script.publish = () => Promise.reject(new CsiError('INTERNAL', 'no'))
  await createAttachment(api, 'a2', { source: { persistentVolumeName: 'v2' }, nodeName: 'node-2' })
  await settled()
  deepEqual(script.calls, ['publish handle-v2 id-2'])
  await deleteAttachment(api, 'a2')
  await advance(600_000)
  deepEqual(script.calls, ['publish handle-v2 id-2', 'unpublish handle-v2 id-2'])
  equal(await isGone(api, 'a2'), true)
})

for (const honours of [true, false]) {
  test(`S3-105: readOnly of a volume, by default false, reaches ControllerPublishVolume of a driver that ${honours ? 'honours' : 'does not honour'} it`, async (context) => {
    const { api, script, settled } = await start(context, { driver: { features: { publishReadonly: honours } } })
    const asked = new Map<string, boolean>()
    const { publish } = script
    script.publish = (request, call) => {
      asked.set(request.volumeId, request.readonly)
      return publish(request, call)
    }
    await createVolume(api, 'v1', { readOnly: true })
    await createVolume(api, 'v2', { readOnly: false })
    await createVolume(api, 'v3')
    for (const number of [1, 2, 3])
      await createAttachment(api, `a${number}`, { source: { persistentVolumeName: `v${number}` } })
    const inLine = (volumeHandle: string, more = {}) => ({
      source: {
        inlineVolumeSpec: { accessModes: ['ReadWriteOnce' as const], csi: { driver: DRIVER, volumeHandle, ...more } },
      },
    })
    await createAttachment(api, 'a4', inLine('in-line-read-only', { readOnly: true }))
    await createAttachment(api, 'a5', inLine('in-line'))
    await settled()
    deepEqual(
      asked,
      new Map([
        ['handle-v1', honours],
        ['handle-v2', false],
        ['handle-v3', false],
        ['in-line-read-only', honours],
        ['in-line', false],
      ]),
    )
  })
}

test('S2-13: in-line volumes of several namespaces are attached with the secrets of their own', async (context) => {
  const { api, script, settled } = await start(context, {
    before: ({ api: admin }) => applyManifest(admin, 'examples/sidecar/secrets-all-namespaces.yaml'),
  })
  const used = new Map<string, unknown>()
  const { publish, unpublish } = script
  script.publish = (request, call) => (used.set(`publish ${request.volumeId}`, request.secrets), publish(request, call))
  script.unpublish = (request, call) => (
    used.set(`unpublish ${request.volumeId}`, request.secrets),
    unpublish(request, call)
  )
  for (const namespace of ['team-red', 'team-blue']) {
    await api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
    await api.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name: 'pass' },
      stringData: { key: namespace },
    })
    const csi = {
      driver: DRIVER,
      volumeHandle: `of-${namespace}`,
      controllerPublishSecretRef: { name: 'pass', namespace },
    }
    await createAttachment(api, namespace, { source: { inlineVolumeSpec: { accessModes: ['ReadWriteOnce'], csi } } })
  }
  await settled()
  for (const namespace of ['team-red', 'team-blue']) await deleteAttachment(api, namespace)
  await settled()
  deepEqual(
    used,
    new Map(
      ['team-red', 'team-blue'].flatMap((namespace) =>
        ['publish', 'unpublish'].map((call) => [`${call} of-${namespace}`, { key: namespace }]),
      ),
    ),
  )
})
