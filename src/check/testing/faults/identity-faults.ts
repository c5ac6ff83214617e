import { CsiError } from '../../../csi/csi-error.ts'
import { ControllerCapability } from '../../../csi/index.ts'
import type { Fault } from '../fault.ts'

export const IDENTITY_FAULTS: readonly Fault[] = [
  {
    id: 'name-with-underscores',
    does: 'calls itself by a name that is no domain name',
    handlers: ({ real }) => ({
      getPluginInfo: async () => ({ ...(await real.getPluginInfo({})), name: '_my_driver_' }),
    }),
  },
  {
    id: 'no-version',
    does: 'reports no vendor_version',
    handlers: ({ real }) => ({ getPluginInfo: async () => ({ ...(await real.getPluginInfo({})), vendorVersion: '' }) }),
  },
  {
    id: 'probe-answers-with-wrong-code',
    does: 'answers Probe with NOT_FOUND',
    handlers: () => ({ probe: () => Promise.reject(new CsiError('NOT_FOUND', 'no backend')) }),
  },
  {
    id: 'announces-call-without-implementing-it',
    does: 'announces GET_CAPACITY and answers GetCapacity with UNIMPLEMENTED',
    issue: 'https://github.com/piraeusdatastore/linstor-csi/pull/126',
    handlers: () => ({ getCapacity: () => Promise.reject(new CsiError('UNIMPLEMENTED', 'unknown service')) }),
  },
  {
    id: 'unknown-capability',
    does: 'announces a controller capability of type UNKNOWN',
    handlers: ({ real }) => ({
      controllerGetCapabilities: async () => ({
        capabilities: [
          ...(await real.controllerGetCapabilities({})).capabilities,
          { type: { $case: 'rpc', value: { type: ControllerCapability.UNKNOWN } } },
        ],
      }),
    }),
  },
  {
    id: 'no-node-id',
    does: 'reports no node_id',
    handlers: ({ real }) => ({ nodeGetInfo: async () => ({ ...(await real.nodeGetInfo({})), nodeId: '' }) }),
  },
  {
    id: 'node-id-changes',
    does: 'reports another node_id in every call',
    handlers: ({ real }) => {
      let calls = 0
      return {
        nodeGetInfo: async () => {
          calls += 1
          const info = await real.nodeGetInfo({})
          return { ...info, nodeId: calls === 1 ? info.nodeId : `${info.nodeId}-${calls}` }
        },
      }
    },
  },
  {
    id: 'negative-attach-limit',
    does: 'reports a negative max_volumes_per_node',
    issue: 'https://github.com/kubernetes/kubernetes/issues/126921',
    handlers: ({ real }) => ({
      nodeGetInfo: async () => ({ ...(await real.nodeGetInfo({})), maxVolumesPerNode: -1n }),
    }),
  },
  {
    id: 'topology-promised-but-missing',
    does: 'announces VOLUME_ACCESSIBILITY_CONSTRAINTS and reports no accessible_topology of the node',
    handlers: ({ real }) => ({
      nodeGetInfo: async () => ({ ...(await real.nodeGetInfo({})), accessibleTopology: undefined }),
    }),
  },
]
