import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  ControllerServiceCapability_RPC_Type as ControllerRpc,
  NodeServiceCapability_RPC_Type as NodeRpc,
} from '../generated/csi/v1/csi.ts'
import { createIdleHandlers } from '../testing/valid-calls.ts'
import { deriveCapabilities } from './derive-capabilities.ts'
import type { Capabilities } from './derive-capabilities.ts'
import type { CsiHandlers, DriverFeatures } from './handlers.ts'

const idle = createIdleHandlers()
const NOTHING: Capabilities = { services: [], expansion: undefined, controller: [], group: [], node: [] }

/** Idle handlers for these methods only. */
const only = (...methods: (keyof CsiHandlers)[]): CsiHandlers =>
  Object.fromEntries(methods.map((method) => [method, idle[method]]))

describe('deriveCapabilities', () => {
  const {
    CREATE_DELETE_VOLUME,
    PUBLISH_UNPUBLISH_VOLUME,
    PUBLISH_READONLY,
    CLONE_VOLUME,
    LIST_VOLUMES,
    LIST_VOLUMES_PUBLISHED_NODES,
  } = ControllerRpc
  const cases: [what: string, handlers: CsiHandlers, features: DriverFeatures, capabilities: Partial<Capabilities>][] =
    [
      ['a driver without calls', {}, {}, {}],
      ['a driver with Probe alone', only('probe'), {}, {}],
      ['a driver of a node', only('nodePublishVolume', 'nodeUnpublishVolume', 'nodeGetInfo'), {}, {}],
      [
        'a driver of a node that stages, measures and expands',
        only(
          'nodePublishVolume',
          'nodeUnpublishVolume',
          'nodeGetInfo',
          'nodeStageVolume',
          'nodeUnstageVolume',
          'nodeGetVolumeStats',
          'nodeExpandVolume',
        ),
        {},
        { expansion: 1, node: [NodeRpc.STAGE_UNSTAGE_VOLUME, NodeRpc.GET_VOLUME_STATS, NodeRpc.EXPAND_VOLUME] },
      ],
      [
        'a driver that makes volumes',
        only('createVolume', 'deleteVolume'),
        {},
        { services: [1], controller: [CREATE_DELETE_VOLUME] },
      ],
      ['a driver that only validates', only('validateVolumeCapabilities'), {}, { services: [1] }],
      [
        'a driver that attaches, clones and knows places',
        only('createVolume', 'deleteVolume', 'controllerPublishVolume', 'controllerUnpublishVolume', 'listVolumes'),
        { topology: true, cloneVolume: true, publishReadonly: true, publishedNodes: true },
        {
          services: [1, 2],
          controller: [
            CREATE_DELETE_VOLUME,
            PUBLISH_UNPUBLISH_VOLUME,
            LIST_VOLUMES,
            CLONE_VOLUME,
            PUBLISH_READONLY,
            LIST_VOLUMES_PUBLISHED_NODES,
          ],
        },
      ],
      [
        'a driver that expands offline',
        only('controllerExpandVolume'),
        { expansion: 'offline' },
        { services: [1], expansion: 2, controller: [ControllerRpc.EXPAND_VOLUME] },
      ],
      ['a driver that names an expansion it does not have', {}, { expansion: 'offline' }, {}],
      [
        'a driver that tells the condition of volumes on its node only',
        only('nodeGetVolumeStats'),
        { volumeCondition: true, singleNodeMultiWriter: true },
        { node: [NodeRpc.GET_VOLUME_STATS, NodeRpc.VOLUME_CONDITION, NodeRpc.SINGLE_NODE_MULTI_WRITER] },
      ],
      [
        'a driver that tells the condition of volumes in its controller only',
        only('controllerGetVolume'),
        { volumeCondition: true, singleNodeMultiWriter: true },
        {
          services: [1],
          controller: [
            ControllerRpc.VOLUME_CONDITION,
            ControllerRpc.GET_VOLUME,
            ControllerRpc.SINGLE_NODE_MULTI_WRITER,
          ],
        },
      ],
      ['a driver that reads snapshots', only('getMetadataAllocated', 'getMetadataDelta'), {}, { services: [4] }],
      [
        'a driver of group snapshots',
        only('createVolumeGroupSnapshot', 'deleteVolumeGroupSnapshot', 'getVolumeGroupSnapshot'),
        {},
        { services: [3], group: [1] },
      ],
      [
        'a driver that does everything',
        idle,
        {
          topology: true,
          snapshotTopology: true,
          cloneVolume: true,
          publishReadonly: true,
          publishedNodes: true,
          volumeCondition: true,
          singleNodeMultiWriter: true,
          volumeMountGroup: true,
        },
        {
          services: [1, 2, 3, 4, 5],
          expansion: 1,
          controller: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17],
          group: [1],
          node: [1, 2, 3, 4, 5, 6, 7, 8],
        },
      ],
    ]
  for (const [what, handlers, features, capabilities] of cases) {
    it(`announces exactly what it has, for ${what}`, () =>
      assert.deepEqual(deriveCapabilities(handlers, features), { ...NOTHING, ...capabilities }))
  }

  const halves: [handlers: CsiHandlers, message: string][] = [
    [only('createVolume'), 'a driver with createVolume needs deleteVolume too'],
    [
      only('controllerListVolumeHealth'),
      'a driver with controllerListVolumeHealth needs controllerGetVolumeHealth too',
    ],
    [only('deleteVolume'), 'a driver with deleteVolume needs createVolume too'],
    [only('controllerPublishVolume'), 'a driver with controllerPublishVolume needs controllerUnpublishVolume too'],
    [only('createSnapshot'), 'a driver with createSnapshot needs deleteSnapshot too'],
    [only('nodeStageVolume'), 'a driver with nodeStageVolume needs nodeUnstageVolume too'],
    [
      only('nodePublishVolume', 'nodeUnpublishVolume'),
      'a driver with nodePublishVolume and nodeUnpublishVolume needs nodeGetInfo too',
    ],
    [
      only('createVolumeGroupSnapshot'),
      'a driver with createVolumeGroupSnapshot needs deleteVolumeGroupSnapshot and getVolumeGroupSnapshot too',
    ],
  ]
  for (const [handlers, message] of halves) {
    it(`refuses half a driver: ${message}`, () => assert.throws(() => deriveCapabilities(handlers, {}), { message }))
  }
})
