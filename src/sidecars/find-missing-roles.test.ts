import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { ControllerCapability, GroupControllerCapability, PluginService } from '../csi/index.ts'
import type { DriverFacts } from './discover-driver.ts'
import { findMissingRoles } from './find-missing-roles.ts'

const factsOf = (more: Partial<DriverFacts>): DriverFacts => ({
  name: 'd',
  version: '1',
  services: new Set(),
  controller: new Set(),
  group: new Set(),
  expandsOnNodeOnly: false,
  ...more,
})
const {
  CREATE_DELETE_VOLUME,
  PUBLISH_UNPUBLISH_VOLUME,
  EXPAND_VOLUME,
  MODIFY_VOLUME,
  CREATE_DELETE_SNAPSHOT,
  VOLUME_CONDITION,
  LIST_VOLUMES,
  GET_VOLUME_HEALTH,
} = ControllerCapability

const cases: [behaviour: string, facts: DriverFacts, roles: string[]][] = [
  [
    'a driver that only makes and publishes volumes lacks nothing',
    factsOf({ controller: new Set([CREATE_DELETE_VOLUME, PUBLISH_UNPUBLISH_VOLUME]) }),
    [],
  ],
  [
    'one that expands and modifies volumes lacks nothing',
    factsOf({ controller: new Set([EXPAND_VOLUME, MODIFY_VOLUME]) }),
    [],
  ],
  ['one that takes snapshots lacks nothing', factsOf({ controller: new Set([CREATE_DELETE_SNAPSHOT]) }), []],
  [
    'one that knows the health of volumes lacks nothing',
    factsOf({ controller: new Set([VOLUME_CONDITION, LIST_VOLUMES, GET_VOLUME_HEALTH]) }),
    [],
  ],
  [
    'one that takes group snapshots lacks nothing, and metadata is a service of its own',
    factsOf({
      group: new Set([GroupControllerCapability.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT]),
      services: new Set([PluginService.SNAPSHOT_METADATA_SERVICE]),
    }),
    ['snapshot metadata (the driver can SNAPSHOT_METADATA_SERVICE)'],
  ],
]
for (const [behaviour, facts, roles] of cases)
  test(behaviour, () =>
    deepEqual(
      findMissingRoles(facts).map(({ role, because }) => `${role} (${because})`),
      roles,
    ),
  )
