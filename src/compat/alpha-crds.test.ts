import { deepEqual, equal, match, rejects } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { isForbidden } from '../api/api-error.ts'
import type { KubeObject } from '../api/object.ts'
import type { ResourceType } from '../api/resource-type.ts'
import { SYSTEM_USER } from '../apiserver/core/user.ts'
import { openTestCore } from '../apiserver/testing/open-test-core.ts'
import { openRawClient } from '../apiserver/testing/raw-client.ts'
import { startTestServer } from '../apiserver/testing/start-test-server.ts'
import { ALPHA_CSI_DRIVER_CRD, ALPHA_CSI_NODE_INFO_CRD, ALPHA_GROUP, ALPHA_VERSION } from './alpha-crds.ts'

const DRIVERS: ResourceType = {
  group: ALPHA_GROUP,
  version: ALPHA_VERSION,
  kind: 'CSIDriver',
  plural: 'csidrivers',
  namespaced: false,
}
const NODE_INFOS: ResourceType = {
  group: ALPHA_GROUP,
  version: ALPHA_VERSION,
  kind: 'CSINodeInfo',
  plural: 'csinodeinfos',
  namespaced: false,
}

type RawList = {
  kind: string
  apiVersion: string
  metadata: { resourceVersion?: string }
  items: { spec: { driver: string } }[]
}

const driver = (spec: object): KubeObject =>
  ({ apiVersion: `${ALPHA_GROUP}/${ALPHA_VERSION}`, kind: 'CSIDriver', metadata: { name: 'one' }, spec }) as KubeObject
const specOf = (object: KubeObject): unknown => (object as unknown as { spec: unknown }).spec

describe('CRDs of the first design documents', () => {
  test('S1-6, S1-10, S1-14, S1-19: the embedded server has CSIDriver from the start', async (context) => {
    const { api } = await openTestCore(context)
    const created = await api.create(
      DRIVERS,
      driver({ driver: 'csi.example.com', attachRequired: false, podInfoRequiredOnMount: true }),
    )
    deepEqual(specOf(created), { driver: 'csi.example.com', attachRequired: false, podInfoRequiredOnMount: true })
    await rejects(
      api.create(DRIVERS, {
        apiVersion: `${ALPHA_GROUP}/${ALPHA_VERSION}`,
        kind: 'CSIDriver',
        metadata: { name: 'two' },
      }),
      /spec: Required value/,
    )
  })

  test('S1-8: an object has to say which driver it is about, whatever its own name', async (context) => {
    const { api } = await openTestCore(context)
    for (const spec of [{}, { attachRequired: false }])
      await rejects(api.create(DRIVERS, driver(spec)), /spec\.driver: Required value/)
    await rejects(api.create(DRIVERS, driver({ driver: '' })), /spec\.driver: Invalid value: "".*at least 1 chars long/)
    await rejects(api.create(DRIVERS, driver({ driver: 7 })), /spec\.driver: Invalid value.*must be of type string/)
    await api.create(DRIVERS, driver({ driver: 'csi.example.com' }))
    await rejects(
      api.patch(DRIVERS, { name: 'one' }, { type: 'merge', value: { spec: { driver: null } } }),
      /spec\.driver: Required value/,
    )
  })

  test('S1-7: a list is a CSIDriverList with metadata and items', async (context) => {
    await using server = await startTestServer()
    const client = await openRawClient(server, { user: 'system:node:node-1', groups: ['system:nodes'] })
    context.after(() => client.close())
    const list = async (query = ''): Promise<RawList> =>
      JSON.parse(
        (await client.ask({ path: `/apis/${ALPHA_GROUP}/${ALPHA_VERSION}/csidrivers${query}` })).text,
      ) as RawList
    const namesOf = ({ items }: RawList) => items.map(({ spec }) => spec.driver)
    deepEqual(Object.keys(await list()).toSorted(), ['apiVersion', 'items', 'kind', 'metadata'])
    deepEqual((await list()).items, [])
    const admin = server.server.core.as(SYSTEM_USER)
    for (const name of ['one', 'two'])
      await admin.create(DRIVERS, { ...driver({ driver: `${name}.example.com` }), metadata: { name } })
    const all = await list()
    deepEqual(
      [all.kind, all.apiVersion, namesOf(all)],
      ['CSIDriverList', 'csi.storage.k8s.io/v1alpha1', ['one.example.com', 'two.example.com']],
    )
    match(all.metadata.resourceVersion ?? '', /^\d+$/)
    deepEqual(namesOf(await list('?fieldSelector=metadata.name%3Dtwo')), ['two.example.com'])
  })

  test('S1-17: null is accepted for what is unset', async (context) => {
    const { api } = await openTestCore(context)
    const created = await api.create(
      DRIVERS,
      driver({ driver: 'd', attachRequired: null, podInfoRequiredOnMount: null }),
    )
    deepEqual(specOf(created), { driver: 'd', attachRequired: null, podInfoRequiredOnMount: null })
  })

  test('skipAttach and attachRequired must not contradict each other', async (context) => {
    const { api } = await openTestCore(context)
    await rejects(
      api.create(DRIVERS, driver({ driver: 'd', attachRequired: true, skipAttach: true })),
      /contradict each other/,
    )
    await api.create(DRIVERS, driver({ driver: 'd', attachRequired: false, skipAttach: true }))
  })

  test('S1-17: null contradicts nothing', async (context) => {
    const { api } = await openTestCore(context)
    await api.create(DRIVERS, driver({ driver: 'd', attachRequired: null, skipAttach: true }))
  })

  test('H40, H63: lifecycle modes, and an audience as a text or as a list, are kept', async (context) => {
    const { api } = await openTestCore(context)
    const spec = {
      driver: 'd',
      serviceAccountTokens: [{ audience: 'a' }, { audience: ['b'], expirationSeconds: null }],
      volumeLifecycleModes: ['Ephemeral'],
    }
    deepEqual(specOf(await api.create(DRIVERS, driver(spec))), spec)
  })

  test('S1-30: nodes read about drivers, and can say nothing about them themselves', async (context) => {
    const { api, server } = await openTestCore(context)
    await api.create(DRIVERS, driver({ driver: 'd' }))
    const node = server.core.as({ name: 'system:node:node-1', groups: ['system:nodes', 'system:authenticated'] })
    equal((await node.list(DRIVERS)).items.length, 1)
    await rejects(node.create(DRIVERS, { ...driver({ driver: 'd' }), metadata: { name: 'two' } }), isForbidden)
    await rejects(
      node.patch(DRIVERS, { name: 'one' }, { type: 'merge', value: { spec: { attachRequired: false } } }),
      isForbidden,
    )
    await rejects(
      node.patch(
        DRIVERS,
        { name: 'one' },
        { type: 'merge', value: { status: { ready: true } } },
        { subresource: 'status' },
      ),
      isForbidden,
    )
  })

  test('S3-36, H25: a node writes the CSINodeInfo of its own name, and no other', async (context) => {
    const { server } = await openTestCore(context)
    const node = server.core.as({ name: 'system:node:node-1', groups: ['system:nodes', 'system:authenticated'] })
    const info = (name: string): KubeObject =>
      ({
        apiVersion: `${ALPHA_GROUP}/${ALPHA_VERSION}`,
        kind: 'CSINodeInfo',
        metadata: { name },
        csiDrivers: [],
      }) as KubeObject
    await node.create(NODE_INFOS, info('node-1'))
    await node.patch(
      NODE_INFOS,
      { name: 'node-1' },
      { type: 'merge', value: { csiDrivers: [{ name: 'd', nodeID: 'n' }] } },
    )
    await rejects(node.create(NODE_INFOS, info('node-2')), isForbidden)
    const other = server.core.as({ name: 'system:node:node-2', groups: ['system:nodes', 'system:authenticated'] })
    for (const attempt of [
      other.get(NODE_INFOS, { name: 'node-1' }),
      other.delete(NODE_INFOS, { name: 'node-1' }),
      other.list(NODE_INFOS),
    ])
      await rejects(attempt, isForbidden)
    await node.delete(NODE_INFOS, { name: 'node-1' })
  })

  test('S3-26, S3-27, S3-28, S3-29, S3-30, S3-32: CSINodeInfo keeps what drivers said about a node', async (context) => {
    const { api } = await openTestCore(context)
    const csiDrivers = [{ name: 'd', nodeID: 'n', topologyKeys: ['zone'] }]
    const created = await api.create(NODE_INFOS, {
      apiVersion: `${ALPHA_GROUP}/${ALPHA_VERSION}`,
      kind: 'CSINodeInfo',
      metadata: { name: 'node-1' },
      csiDrivers,
    } as KubeObject)
    deepEqual((created as unknown as { csiDrivers: unknown }).csiDrivers, csiDrivers)
  })

  for (const [file, crd] of [
    ['csidriver', ALPHA_CSI_DRIVER_CRD],
    ['csinodeinfo', ALPHA_CSI_NODE_INFO_CRD],
  ] as const) {
    test(`S1-18: examples/storage-crds/${file}.yaml is what the registry installs`, () => {
      deepEqual(
        parse(readFileSync(join(import.meta.dirname, '../../examples/storage-crds', `${file}.yaml`), 'utf8')),
        crd,
      )
    })
  }
})
