import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestCore } from '../apiserver/testing/open-test-core.ts'
import { CSI_DRIVERS } from '../api/kinds/csi-driver.ts'
import { chooseAlphaDriver } from './choose-alpha-driver.ts'
import {
  createMirror,
  isMirror,
  MIRROR_ANNOTATION,
  mirroredFields,
  mirrorNameProblems,
  alphaDriverOf,
} from './mirror-csi-driver.ts'
import type { AlphaCSIDriver, AlphaCSIDriverSpec } from './alpha-csi-driver.ts'
import {
  createNodeInfo,
  driversOfCsiNode,
  driversOfNodeInfo,
  nodeInfoOf,
  withDriver,
  withNodeInfo,
  withoutDriver,
} from './alpha-csi-node-info.ts'

const alpha = (spec: AlphaCSIDriverSpec, metadata = {}): AlphaCSIDriver => ({
  apiVersion: 'csi.storage.k8s.io/v1alpha1',
  kind: 'CSIDriver',
  metadata: { name: 'one', ...metadata },
  spec,
})

describe('the mirror of an object of the registry', () => {
  test('H3, H5: bears the name of the driver and the mark of its original', () => {
    const mirror = createMirror(alpha({ driver: 'csi.example.com' }))
    deepEqual(mirror.metadata, { name: 'csi.example.com', annotations: { [MIRROR_ANNOTATION]: 'one' } })
    equal(isMirror(mirror), true)
    equal(createMirror(alpha({})).metadata.name, 'one')
  })

  test('H3: repeats what an unmodified cluster acts upon', () => {
    deepEqual(
      mirroredFields({
        attachRequired: false,
        requiresRemount: true,
        serviceAccountTokens: [{ audience: 'vault' }],
        podInfoOnMountVersion: 'v1',
        volumeLifecycleModes: ['Ephemeral'],
      }),
      {
        attachRequired: false,
        podInfoOnMount: true,
        requiresRepublish: true,
        tokenRequests: [{ audience: 'vault' }],
        volumeLifecycleModes: ['Ephemeral'],
      },
    )
  })

  test('H3: says nothing of pod data that are wanted under the document’s keys', () =>
    equal(mirroredFields({ podInfoRequiredOnMount: true }).podInfoOnMount, false))

  test('is taken by the server, and reads back as the same wishes', async (context) => {
    const { api } = await openTestCore(context)
    const original = alpha({
      driver: 'csi.example.com',
      attachRequired: false,
      podInfoOnMountVersion: 'v1',
      requiresRemount: true,
      serviceAccountTokens: [{ audience: 'vault', expirationSeconds: 600 }],
      volumeLifecycleModes: ['Persistent'],
    })
    const stored = await api.create(CSI_DRIVERS, createMirror(original))
    deepEqual(alphaDriverOf(stored).spec, original.spec)
    deepEqual(mirroredFields(alphaDriverOf(stored).spec), mirroredFields(original.spec))
  })

  test('H5: can not be where the driver has capitals or a long name', () => {
    deepEqual(mirrorNameProblems('csi.example.com'), [])
    equal(mirrorNameProblems('CSI.example.com').length, 1)
    equal(mirrorNameProblems('x'.repeat(64)).length, 1)
  })
})

describe('several objects about one driver', () => {
  const names = (driver: string, ...claims: AlphaCSIDriver[]): string[] => {
    const { chosen, ignored } = chooseAlphaDriver(driver, claims)
    return [chosen, ...ignored].map((claim) => claim?.metadata.name ?? 'none')
  }
  const early = { creationTimestamp: '2020-01-01T00:00:00Z' }
  const late = { creationTimestamp: '2030-01-01T00:00:00Z' }

  test('H5: the one with the driver’s name counts', () =>
    deepEqual(names('d', alpha({ driver: 'd' }, { name: 'a', ...early }), alpha({}, { name: 'd', ...late })), [
      'd',
      'a',
    ]))
  test('H5: else the oldest', () =>
    deepEqual(
      names('d', alpha({ driver: 'd' }, { name: 'a', ...late }), alpha({ driver: 'd' }, { name: 'z', ...early })),
      ['z', 'a'],
    ))
  test('of the same second the first by name', () =>
    deepEqual(
      names('d', alpha({ driver: 'd' }, { name: 'b', ...early }), alpha({ driver: 'd' }, { name: 'a', ...early })),
      ['a', 'b'],
    ))
  test('an object that bears the name and is about another driver does not', () =>
    deepEqual(names('d', alpha({ driver: 'other' }, { name: 'd' })), ['none']))
})

describe('what a node says of its drivers', () => {
  const registered = { name: 'd', nodeID: 'n', topologyKeys: ['zone'] }
  const info = createNodeInfo({ name: 'node-1' })

  test('S3-27 to S3-30, H7: is read in every shape that was in use', () => {
    deepEqual(driversOfNodeInfo({ ...info, csiDrivers: [registered] }), [registered])
    deepEqual(driversOfNodeInfo({ ...info, csiDrivers: [{ driver: 'd', nodeID: 'n', topologyKeys: ['zone'] }] }), [
      registered,
    ])
    deepEqual(
      driversOfNodeInfo({
        ...info,
        csiDrivers: null,
        spec: { drivers: [registered] },
        status: { drivers: [{ name: 'd' }] },
      }),
      [registered],
    )
    deepEqual(driversOfNodeInfo({ ...info, csiDrivers: [{ name: 'd' }] }), [])
  })

  test('S3-17, S3-19: an entry is replaced or removed, and the others are left alone', () => {
    const other = { name: 'other', nodeID: 'o', topologyKeys: [] }
    const before = {
      ...info,
      csiDrivers: [other, { driver: 'd', nodeID: 'old' }],
      spec: { drivers: [{ name: 'd', nodeID: 'older' }] },
    }
    deepEqual(driversOfNodeInfo(withDriver(before, registered)), [other, registered])
    deepEqual(driversOfNodeInfo(withoutDriver(before, 'd')), [other])
  })

  test('H7: CSINode comes first, and CSINodeInfo adds what it lacks', () => {
    const other = { name: 'other', nodeID: 'o', topologyKeys: [] }
    const csiNode = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name: 'node-1' },
      spec: { drivers: [registered] },
    } as const
    const both = withNodeInfo(csiNode, { ...info, csiDrivers: [{ ...registered, nodeID: 'old' }, other] })
    deepEqual(both, { ...csiNode, spec: { drivers: [registered, other] } })
    deepEqual(withNodeInfo(undefined, { ...info, csiDrivers: [registered] }), csiNode)
    equal(withNodeInfo(csiNode, undefined), csiNode)
    equal(withNodeInfo(undefined, undefined), undefined)
  })

  test('H7: is the same in both kinds', () => {
    const csiNode = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name: 'node-1' },
      spec: { drivers: [{ ...registered, allocatable: { count: 3 } }] },
    } as const
    deepEqual(driversOfNodeInfo(nodeInfoOf(csiNode)), driversOfCsiNode(csiNode))
    ok(nodeInfoOf(csiNode).metadata.name === 'node-1')
  })
})
