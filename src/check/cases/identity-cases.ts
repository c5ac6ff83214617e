import { CSI_RPCS } from '../../csi/rpc.ts'
import { isCsiError } from '../../csi/index.ts'
import type { CsiMethod, Driver } from '../../csi/index.ts'
import type { Case, Need } from '../case.ts'
import type { CaseContext } from '../case-context.ts'
import { readFeatures } from '../features.ts'

const NAME =
  'The name MUST follow domain name notation format … It MUST be 63 characters or less, beginning and ending with an alphanumeric character ([a-z0-9A-Z]) with dashes (-), dots (.), and alphanumerics between. This field is REQUIRED.'

// Every socket of the driver, the controller's first.
const everySocket = (check: CaseContext): Driver[] => [check.driver, ...check.nodes.map(({ driver }) => driver)]

export const IDENTITY_CASES: readonly Case[] = [
  {
    id: 'identity/name',
    title: 'GetPluginInfo returns a name in domain name notation',
    clause: NAME,
    section: 'GetPluginInfo',
    needs: [],
    run: async (check) => {
      for (const driver of everySocket(check)) {
        const { name } = await driver.getPluginInfo({})
        const isValid = name.length <= 63 && /^[a-zA-Z0-9]([-a-zA-Z0-9.]*[a-zA-Z0-9])?$/.test(name)
        check.expect(isValid, 'a name of letters, digits, dashes and dots', JSON.stringify(name))
      }
    },
  },
  {
    id: 'identity/same-name',
    title: 'every socket reports the same name',
    clause: 'All Plugins SHALL implement the REQUIRED Identity service RPCs.',
    section: 'Configuration and Operation',
    needs: ['node'],
    run: async (check) => {
      const names = new Set<string>()
      for (const driver of everySocket(check)) names.add((await driver.getPluginInfo({})).name)
      check.expect(names.size === 1, 'one name', [...names].join(', '))
    },
  },
  {
    id: 'identity/version',
    title: 'GetPluginInfo returns a vendor_version',
    clause: 'This field is REQUIRED. Value of this field is opaque to the CO.',
    section: 'GetPluginInfo',
    needs: [],
    run: async (check) => {
      const { vendorVersion } = await check.driver.getPluginInfo({})
      check.expect(vendorVersion !== '', 'a vendor_version', 'an empty string')
    },
  },
  {
    id: 'identity/probe',
    title: 'Probe succeeds, or fails with FAILED_PRECONDITION if the driver is not healthy',
    clause:
      'If the plugin is unable to complete the Probe call successfully, it MUST return a non-ok gRPC code in the gRPC status. If the conditions defined below are encountered, the plugin MUST return the specified gRPC error code. … Plugin not healthy | 9 FAILED_PRECONDITION',
    section: 'Probe',
    needs: [],
    run: async (check) => {
      for (const driver of everySocket(check))
        await check.mayRefuse('Probe', ['FAILED_PRECONDITION'], () => driver.probe({}))
    },
  },
  {
    id: 'identity/stable-capabilities',
    title: 'capabilities are the same in every call and on every socket',
    clause:
      'All instances of the same version (see `vendor_version` of `GetPluginInfoResponse`) of the Plugin SHALL return the same set of capabilities',
    section: 'GetPluginCapabilities',
    needs: [],
    run: async (check) => {
      const first = JSON.stringify(announced(await readFeatures(check.driver)))
      const again = JSON.stringify(announced(await readFeatures(check.driver)))
      check.expect(first === again, `the same as before: ${first}`, again)
      for (const { driver } of check.nodes) {
        const { capabilities } = await driver.getPluginCapabilities({})
        const { capabilities: own } = await check.driver.getPluginCapabilities({})
        check.expect(capabilities.length === own.length, `${own.length} plugin capabilities`, `${capabilities.length}`)
      }
    },
  },
]

const announced = (features: Awaited<ReturnType<typeof readFeatures>>) =>
  [features.plugin, features.controller, features.group, features.expansion].map((set) => [...set].sort())

type Promised = readonly [need: Need, method: CsiMethod, section: string, clause: string]

const CONTROLLER = (capability: string): string =>
  `A Controller Plugin MUST implement this RPC call if it has \`${capability}\` controller capability.`

const PROMISED: readonly Promised[] = [
  ['controller:CREATE_DELETE_VOLUME', 'createVolume', 'CreateVolume', CONTROLLER('CREATE_DELETE_VOLUME')],
  [
    'controller:CREATE_DELETE_VOLUME',
    'deleteVolume',
    'DeleteVolume',
    'A Controller Plugin MUST implement this RPC call if it has `CREATE_DELETE_VOLUME` capability.',
  ],
  [
    'controller:PUBLISH_UNPUBLISH_VOLUME',
    'controllerPublishVolume',
    'ControllerPublishVolume',
    CONTROLLER('PUBLISH_UNPUBLISH_VOLUME'),
  ],
  [
    'controller:PUBLISH_UNPUBLISH_VOLUME',
    'controllerUnpublishVolume',
    'ControllerUnpublishVolume',
    'Controller Plugin MUST implement this RPC call if it has `PUBLISH_UNPUBLISH_VOLUME` controller capability.',
  ],
  [
    'plugin:CONTROLLER_SERVICE',
    'validateVolumeCapabilities',
    'ValidateVolumeCapabilities',
    'A Controller Plugin MUST implement this RPC call.',
  ],
  [
    'controller:LIST_VOLUMES',
    'listVolumes',
    'ListVolumes',
    'A Controller Plugin MUST implement this RPC call if it has `LIST_VOLUMES` capability.',
  ],
  [
    'controller:GET_VOLUME',
    'controllerGetVolume',
    'ControllerGetVolume',
    'A Controller Plugin MUST implement this `ControllerGetVolume` RPC call if it has `GET_VOLUME` capability.',
  ],
  [
    'controller:GET_VOLUME_HEALTH',
    'controllerGetVolumeHealth',
    'ControllerGetVolumeHealth',
    'A Controller Plugin MUST implement this RPC call if it has `GET_VOLUME_HEALTH` or `LIST_VOLUME_HEALTH` controller capability.',
  ],
  [
    'controller:LIST_VOLUME_HEALTH',
    'controllerListVolumeHealth',
    'ControllerListVolumeHealth',
    CONTROLLER('LIST_VOLUME_HEALTH'),
  ],
  ['controller:GET_CAPACITY', 'getCapacity', 'GetCapacity', CONTROLLER('GET_CAPACITY')],
  ['controller:CREATE_DELETE_SNAPSHOT', 'createSnapshot', 'CreateSnapshot', CONTROLLER('CREATE_DELETE_SNAPSHOT')],
  [
    'controller:CREATE_DELETE_SNAPSHOT',
    'deleteSnapshot',
    'DeleteSnapshot',
    'A Controller Plugin MUST implement this RPC call if it has `CREATE_DELETE_SNAPSHOT` capability.',
  ],
  [
    'controller:LIST_SNAPSHOTS',
    'listSnapshots',
    'ListSnapshots',
    'A Controller Plugin MUST implement this RPC call if it has `LIST_SNAPSHOTS` capability.',
  ],
  [
    'controller:GET_SNAPSHOT',
    'getSnapshot',
    'GetSnapshot',
    'A Controller Plugin MUST implement this `GetSnapshot` RPC call if it has `GET_SNAPSHOT` capability.',
  ],
  [
    'controller:EXPAND_VOLUME',
    'controllerExpandVolume',
    'ControllerExpandVolume',
    'A Controller plugin MUST implement this RPC call if plugin has `EXPAND_VOLUME` controller capability.',
  ],
  [
    'controller:MODIFY_VOLUME',
    'controllerModifyVolume',
    'ControllerModifyVolume',
    'A Controller plugin MUST implement this RPC call if the plugin has the MODIFY_VOLUME controller capability.',
  ],
  [
    'group:CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT',
    'createVolumeGroupSnapshot',
    'CreateVolumeGroupSnapshot',
    'A Group Controller Plugin MUST implement this RPC call if it has `CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT` controller capability.',
  ],
  [
    'group:CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT',
    'deleteVolumeGroupSnapshot',
    'DeleteVolumeGroupSnapshot',
    'A Controller Plugin MUST implement this RPC call if it has `CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT` capability.',
  ],
  [
    'group:CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT',
    'getVolumeGroupSnapshot',
    'GetVolumeGroupSnapshot',
    'A Controller Plugin MUST implement this `GetVolumeGroupSnapshot` RPC call if it has `CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT` capability.',
  ],
  [
    'node:STAGE_UNSTAGE_VOLUME',
    'nodeStageVolume',
    'NodeStageVolume',
    'A Node Plugin MUST implement this RPC call if it has `STAGE_UNSTAGE_VOLUME` node capability.',
  ],
  [
    'node:STAGE_UNSTAGE_VOLUME',
    'nodeUnstageVolume',
    'NodeUnstageVolume',
    'A Node Plugin MUST implement this RPC call if it has `STAGE_UNSTAGE_VOLUME` node capability.',
  ],
  ['node', 'nodePublishVolume', 'Interface', 'The Node Plugin MUST implement this sets of RPCs.'],
  ['node', 'nodeUnpublishVolume', 'NodeUnpublishVolume', 'A Node Plugin MUST implement this RPC call.'],
  [
    'node:GET_VOLUME_STATS',
    'nodeGetVolumeStats',
    'NodeGetVolumeStats',
    'A Node plugin MUST implement this RPC call if it has GET_VOLUME_STATS node capability.',
  ],
  [
    'node:EXPAND_VOLUME',
    'nodeExpandVolume',
    'NodeExpandVolume',
    'A Node Plugin MUST implement this RPC call if it has `EXPAND_VOLUME` node capability.',
  ],
  [
    'node:GET_VOLUME_HEALTH',
    'nodeGetVolumeHealth',
    'NodeGetVolumeHealth',
    'A Node Plugin MUST implement this RPC call if it has `GET_VOLUME_HEALTH` node capability.',
  ],
  [
    'node:GET_STORAGE_HEALTH',
    'nodeGetStorageHealth',
    'NodeGetStorageHealth',
    'A Node Plugin MUST implement this RPC call if it has `GET_STORAGE_HEALTH` node capability.',
  ],
]

/** An announced call answers something else than UNIMPLEMENTED, even to an empty request. */
export const PROMISE_CASES: readonly Case[] = PROMISED.map(([need, method, section, clause]) => {
  const rpc = CSI_RPCS.get(method)?.name ?? method
  return {
    id: `promise/${kebab(rpc)}`,
    title: `${rpc} is implemented, because the driver announces it`,
    clause,
    section,
    needs: [need],
    run: async (check) => {
      const isNodeCall = need.startsWith('node')
      const driver = isNodeCall ? check.node.driver : check.driver
      try {
        await (driver[method] as (request: object) => Promise<unknown>)({})
      } catch (error) {
        const isMissing = isCsiError(error, 'UNIMPLEMENTED', 'UNAVAILABLE', 'CANCELLED', 'DEADLINE_EXCEEDED')
        check.expect(!isMissing, `${rpc} is implemented`, error instanceof Error ? error.message : String(error))
      }
    },
  }
})

function kebab(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()
}
