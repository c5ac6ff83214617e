import {
  ControllerServiceCapability_RPC_Type as Capability,
  PluginCapability_Service_Type as PluginService,
} from '../../../csi/generated/csi/v1/csi.ts'
import type { DriverFacts } from '../../discover-driver.ts'
import { DRIVER } from './objects.ts'

type Abilities = { topology?: boolean; controller?: readonly Capability[]; services?: readonly PluginService[] }

/** A driver that can create and delete volumes, with the given additional capabilities. */
export function testFacts({ topology = false, controller = [], services }: Abilities = {}): DriverFacts {
  const known = services ?? [
    PluginService.CONTROLLER_SERVICE,
    ...(topology ? [PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS] : []),
  ]
  return {
    name: DRIVER,
    version: '1',
    services: new Set(known),
    controller: new Set([Capability.CREATE_DELETE_VOLUME, ...controller]),
    group: new Set(),
    expandsOnNodeOnly: false,
  }
}
