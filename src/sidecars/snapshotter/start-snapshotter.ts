import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOT_CONTENTS } from '../../api/kinds/volume-snapshot.ts'
import { keyOf } from '../../api/object-key.ts'
import { ControllerServiceCapability_RPC_Type as Capability } from '../../csi/generated/csi/v1/csi.ts'
import { on, startControllers } from '../../kube/controller/index.ts'
import { untilServed } from '../../kube/cache/optional-cache.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import type { RoleParts, StartRole } from '../role.ts'
import { defineContentController } from './content-controller.ts'
import type { SnapshotterConfig } from './snapshotter-options.ts'

const BY_CLASS = 'snapshotter/class'

/** The external snapshotter: every VolumeSnapshotContent of the driver gets its snapshot, and loses it before the object goes. */
export const startSnapshotter: StartRole<SnapshotterConfig> = (config, parts, signal) => {
  const world = { ...parts, log: parts.log.with({ driver: parts.facts.name }) }
  return startControllers(world, signal, async (role) => {
    await untilServed(VOLUME_SNAPSHOT_CONTENTS, role, signal)
    return [assemble(config, world, role)]
  })
}

function assemble(config: SnapshotterConfig, { driver, facts }: RoleParts, role: ControllerRole) {
  const contents = role.follow(VOLUME_SNAPSHOT_CONTENTS, {
    indexes: { [BY_CLASS]: ({ spec }) => (spec.volumeSnapshotClassName ? [spec.volumeSnapshotClassName] : []) },
  })
  const classes = role.follow(VOLUME_SNAPSHOT_CLASSES)
  const backoff = { initialMs: config.retryIntervalStartMs, maximumMs: config.retryIntervalMaxMs }
  return defineContentController(role, {
    driver,
    driverName: facts.name,
    config,
    canList: facts.controller.has(Capability.LIST_SNAPSHOTS),
    queue: role.createQueue({ name: 'csi-snapshotter-content', lanes: { default: config.workerThreads }, backoff }),
    watch: [
      on(contents, ({ key, before, after }) => ((after ?? before)?.spec.driver === facts.name ? key : undefined)),
      // A class that appears may be what a content waits for.
      on(classes, ({ key, before }) => (before ? undefined : contents.byIndex(BY_CLASS, key).map(keyOf))),
    ],
    contents,
    classes,
  })
}
