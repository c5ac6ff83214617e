import { deepEqual, equal, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { KubeObject } from '../api/object.ts'
import type { ResourceType } from '../api/resource-type.ts'
import { openTestCore } from '../apiserver/testing/open-test-core.ts'
import { SEED_GROUP, SEED_VERSION } from './seed-crds.ts'

const DRIVERS: ResourceType = { group: SEED_GROUP, version: SEED_VERSION, kind: 'CSIDriver', plural: 'csidrivers', namespaced: false }
const NODE_INFOS: ResourceType = { group: SEED_GROUP, version: SEED_VERSION, kind: 'CSINodeInfo', plural: 'csinodeinfos', namespaced: false }

const driver = (spec: object): KubeObject => ({ apiVersion: `${SEED_GROUP}/${SEED_VERSION}`, kind: 'CSIDriver', metadata: { name: 'one' }, spec }) as KubeObject
const specOf = (object: KubeObject): unknown => (object as unknown as { spec: unknown }).spec

describe('CRDs of the first design documents', () => {
  test('S1-6, S1-7, S1-8, S1-10, S1-14, S1-19: the embedded server has CSIDriver from the start', async (context) => {
    const { api } = await openTestCore(context)
    const created = await api.create(DRIVERS, driver({ driver: 'csi.example.com', attachRequired: false, podInfoRequiredOnMount: true }))
    deepEqual(specOf(created), { driver: 'csi.example.com', attachRequired: false, podInfoRequiredOnMount: true })
    equal((await api.list(DRIVERS)).items.length, 1)
  })

  test('S1-17: null is accepted for what is unset', async (context) => {
    const { api } = await openTestCore(context)
    const created = await api.create(DRIVERS, driver({ driver: 'd', attachRequired: null, podInfoRequiredOnMount: null }))
    deepEqual(specOf(created), { driver: 'd', attachRequired: null, podInfoRequiredOnMount: null })
  })

  test('skipAttach and attachRequired must not contradict each other', async (context) => {
    const { api } = await openTestCore(context)
    await rejects(api.create(DRIVERS, driver({ driver: 'd', attachRequired: true, skipAttach: true })), /contradict each other/)
    await api.create(DRIVERS, driver({ driver: 'd', attachRequired: false, skipAttach: true }))
  })

  test('S3-26, S3-27, S3-28, S3-29, S3-30, S3-32: CSINodeInfo keeps what drivers said about a node', async (context) => {
    const { api } = await openTestCore(context)
    const csiDrivers = [{ name: 'd', nodeID: 'n', topologyKeys: ['zone'] }]
    const created = await api.create(NODE_INFOS, { apiVersion: `${SEED_GROUP}/${SEED_VERSION}`, kind: 'CSINodeInfo', metadata: { name: 'node-1' }, csiDrivers } as KubeObject)
    deepEqual((created as unknown as { csiDrivers: unknown }).csiDrivers, csiDrivers)
  })
})
