import { VOLUME_GROUP_SNAPSHOT_CLASSES, VOLUME_GROUP_SNAPSHOT_CONTENTS } from '../../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOT_CONTENTS } from '../../api/kinds/volume-snapshot.ts'
import { keyOf } from '../../api/object-key.ts'
import { takesGroups } from '../../api/snapshot-gates.ts'
import { backoffOf } from '../../base/backoff.ts'
import {
  ControllerServiceCapability_RPC_Type as Capability,
  GroupControllerServiceCapability_RPC_Type as GroupCapability,
} from '../../csi/generated/csi/v1/csi.ts'
import { on, startControllers } from '../../kube/controller/index.ts'
import { failWhenServed, isServed, untilServed } from '../../kube/cache/optional-cache.ts'
import { MANAGED_BY } from '../../storage/snapshot-names.ts'
import { limitDriver, workersOf } from '../limit-driver.ts'
import type { SidecarRole, StartRole } from '../role.ts'
import { defineContentController } from './content-controller.ts'
import { defineGroupContentController } from './group-content-controller.ts'
import type { SnapshotterConfig } from './snapshotter-options.ts'

const BY_CLASS = 'snapshotter/class'

/**
 * The external snapshotter: creates the snapshot of every content of the driver, and deletes it before the object is deleted. The same for groups.
 */
export const startSnapshotter: StartRole<SnapshotterConfig> = (config, parts, signal) =>
  startControllers(parts, signal, async (role) => {
    await untilServed(VOLUME_SNAPSHOT_CONTENTS, role)
    const contents = assembleContents(config, role)
    if (!takesGroups(config.gates ?? {})) return [contents]
    if (await isServed(VOLUME_GROUP_SNAPSHOT_CONTENTS, role)) return [contents, assembleGroups(config, role)]
    failWhenServed(VOLUME_GROUP_SNAPSHOT_CONTENTS, role)
    return [contents]
  })

/** Instances on nodes ignore the contents of other nodes. */
const scopeOf = ({ nodeDeployment, nodeName = '' }: SnapshotterConfig): { labelSelector?: string } =>
  nodeDeployment ? { labelSelector: `${MANAGED_BY}=${nodeName}` } : {}

function assembleContents(config: SnapshotterConfig, role: SidecarRole) {
  const { facts } = role
  const workers = workersOf(config.workerThreads, 10)
  const driver = limitDriver(role.driver, role.clock, workers)
  const contents = role.follow(VOLUME_SNAPSHOT_CONTENTS, {
    scope: scopeOf(config),
    indexes: { [BY_CLASS]: ({ spec }) => (spec.volumeSnapshotClassName ? [spec.volumeSnapshotClassName] : []) },
  })
  const classes = role.follow(VOLUME_SNAPSHOT_CLASSES)
  const backoff = backoffOf(config)
  return defineContentController(role, {
    driver,
    driverName: facts.name,
    config,
    canList: facts.controller.has(Capability.LIST_SNAPSHOTS),
    queue: role.createQueue({ name: 'csi-snapshotter-content', lanes: { default: workers.passes }, backoff }),
    watch: [
      on(contents, ({ key, before, after }) => ((after ?? before)?.spec.driver === facts.name ? key : undefined)),
      // A content may be waiting for a new class.
      on(classes, ({ key, before }) => (before ? undefined : contents.byIndex(BY_CLASS, key).map(keyOf))),
    ],
    contents,
    classes,
  })
}

function assembleGroups(config: SnapshotterConfig, role: SidecarRole) {
  const { facts } = role
  const workers = workersOf(config.workerThreads, 10)
  const driver = limitDriver(role.driver, role.clock, workers)
  const contents = role.follow(VOLUME_GROUP_SNAPSHOT_CONTENTS, {
    scope: scopeOf(config),
    indexes: {
      [BY_CLASS]: ({ spec }) => (spec.volumeGroupSnapshotClassName ? [spec.volumeGroupSnapshotClassName] : []),
    },
  })
  const classes = role.follow(VOLUME_GROUP_SNAPSHOT_CLASSES)
  const backoff = backoffOf(config)
  return defineGroupContentController(role, {
    driver,
    driverName: facts.name,
    config,
    canTakeGroups: facts.group.has(GroupCapability.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT),
    queue: role.createQueue({
      name: 'csi-snapshotter-groupcontent',
      lanes: { default: workers.passes },
      backoff,
    }),
    watch: [
      on(contents, ({ key, before, after }) => ((after ?? before)?.spec.driver === facts.name ? key : undefined)),
      on(classes, ({ key, before }) => (before ? undefined : contents.byIndex(BY_CLASS, key).map(keyOf))),
    ],
    contents,
    classes,
  })
}
