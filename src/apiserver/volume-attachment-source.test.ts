import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import type { Api } from '../api/api.ts'
import { VOLUME_ATTACHMENTS } from '../api/kinds/volume-attachment.ts'
import type { VolumeAttachment } from '../api/kinds/volume-attachment.ts'
import { KUBERNETES_TABLE } from './schema/generated/kubernetes.ts'
import { readSchemaTable } from './schema/read-schema-table.ts'
import { grantRules } from './testing/grant-rules.ts'
import { openTestCore } from './testing/open-test-core.ts'

const IN_LINE = { accessModes: ['ReadWriteOnce' as const], csi: { driver: 'd.example.com', volumeHandle: 'h' } }
const create = (api: Api, name: string, source: object): Promise<VolumeAttachment> =>
  api.create(VOLUME_ATTACHMENTS, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name },
    spec: { attacher: 'd.example.com', nodeName: 'node-1', source },
  } as VolumeAttachment)

test('S3-94: the source of an attachment names a volume or holds an in-line one, exactly one of them, and stays as it is', async (context) => {
  const { api: admin, server } = await openTestCore(context)
  await grantRules(admin, 'attach-detach', [
    { apiGroups: ['storage.k8s.io'], resources: ['volumeattachments'], verbs: ['get', 'create', 'patch'] },
  ])
  const api = server.core.as({ name: 'attach-detach', groups: ['system:authenticated'] })

  deepEqual((await create(api, 'by-name', { persistentVolumeName: 'v1' })).spec.source, { persistentVolumeName: 'v1' })
  const { source } = (await create(api, 'in-line', { inlineVolumeSpec: IN_LINE })).spec
  equal(source.persistentVolumeName, undefined)
  deepEqual(source.inlineVolumeSpec?.csi, IN_LINE.csi)

  const ONE = /spec\.source: .*must specify exactly one of inlineVolumeSpec and persistentVolumeName/
  await rejects(create(api, 'none', {}), ONE)
  await rejects(create(api, 'both', { persistentVolumeName: 'v1', inlineVolumeSpec: IN_LINE }), ONE)
  await rejects(create(api, 'empty', { persistentVolumeName: '' }), /must specify non empty persistentVolumeName/)
  await rejects(create(api, 'no-text', { persistentVolumeName: 7 }), /persistentVolumeName|unmarshal|string/)
  const change = (name: string, value: object): Promise<unknown> =>
    api.patch(VOLUME_ATTACHMENTS, { name }, { type: 'merge', value: { spec: { source: value } } })
  await rejects(change('by-name', { persistentVolumeName: 'v2' }), /field is immutable/)
  await rejects(change('by-name', { inlineVolumeSpec: IN_LINE }), ONE)
  await rejects(change('in-line', { inlineVolumeSpec: null, persistentVolumeName: 'v1' }), /field is immutable/)
})

test('S3-94: the name is an optional text with the protobuf tag 1', () => {
  const field = readSchemaTable(KUBERNETES_TABLE)
    .findDefinition('io.k8s.api.storage.v1.VolumeAttachmentSource')
    ?.properties.get('persistentVolumeName')
  equal(field?.number, 1)
})
