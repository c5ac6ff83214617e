import type { Registry } from 'prom-client'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import type { VolumeSnapshot, VolumeSnapshotClass, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import { keyOf, keyOfRef } from '../../api/object-key.ts'
import { keyIfPresent, on, startControllers } from '../../kube/controller/index.ts'
import { untilServed } from '../../kube/cache/optional-cache.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import { findAnnotation } from '../../storage/names.ts'
import { DEFAULT_SNAPSHOT_CLASS } from '../../storage/snapshot-names.ts'
import type { StartClusterController } from '../cluster-controller.ts'
import { createOperationMetrics } from './operation-metrics.ts'
import { defineContentProtection, defineSourceClaimController } from './protection-controllers.ts'
import { claimResource, defineSnapshotController } from './snapshot-controller.ts'
import type { SnapshotConfig } from './snapshot-options.ts'
import { contentNameOf } from './snapshot-view.ts'
import type { SnapshotSources } from './snapshot-view.ts'
import { timeOperations } from './time-operations.ts'

const BY_CLAIM = 'snapshot/claim'
const BY_CONTENT = 'snapshot/content'
const BY_CLASS = 'snapshot/class'
const BY_SOURCE = 'snapshot/source'

/** The snapshot-controller: binds VolumeSnapshots and contents, for all drivers. The driver's own snapshotter takes the snapshots. */
export const startSnapshot: StartClusterController<SnapshotConfig> = (config, world, signal) =>
  startControllers(world, signal, async (role) => {
    await untilServed(VOLUME_SNAPSHOTS, role, signal)
    return assemble(config, role, world.registry)
  })

function assemble(config: SnapshotConfig, role: ControllerRole, registry: Registry | undefined) {
  const { follow } = role
  const snapshots = follow(VOLUME_SNAPSHOTS, {
    indexes: {
      [BY_CLAIM]: (snapshot) => (snapshot.spec.source.persistentVolumeClaimName ? [claimResource(snapshot)] : []),
      [BY_CONTENT]: (snapshot) => [contentNameOf(snapshot)],
      [BY_CLASS]: ({ spec }) => [spec.volumeSnapshotClassName ?? ''],
    },
  })
  const contents = follow(VOLUME_SNAPSHOT_CONTENTS)
  const classes = follow(VOLUME_SNAPSHOT_CLASSES)
  const claims = follow(PERSISTENT_VOLUME_CLAIMS, { indexes: { [BY_SOURCE]: sourceSnapshotsOf } })
  const volumes = follow(PERSISTENT_VOLUMES)
  const sources: SnapshotSources = {
    snapshot: (key) => snapshots.get(key),
    content: (name) => contents.get(name),
    snapshotClass: (name) => classes.get(name),
    defaultClasses: () => Array.from(classes.all()).filter(isDefaultClass),
    claim: (key) => claims.get(key),
    volume: (name) => volumes.get(name),
    claimsFrom: (key) => claims.byIndex(BY_SOURCE, key),
  }
  const backoff = { initialMs: config.retryIntervalStartMs, maximumMs: config.retryIntervalMaxMs }
  const queueOf = (name: string) => role.createQueue({ name, lanes: { default: config.workerThreads }, backoff })
  const snapshotsIn = (index: string, value: string): string[] => snapshots.byIndex(index, value).map(keyOf)
  const readClaim = (key: string) => {
    const claim = claims.get(key)
    const uses = snapshots
      .byIndex(BY_CLAIM, key)
      .map((snapshot) => ({ snapshot, content: contents.get(contentNameOf(snapshot)) }))
    return claim && { claim, uses }
  }
  if (registry) {
    const describe = (snapshot: VolumeSnapshot) => ({
      of: 'Snapshot' as const,
      driver: (contents.get(contentNameOf(snapshot))?.spec ?? classes.get(snapshot.spec.volumeSnapshotClassName ?? ''))
        ?.driver,
      isStatic: snapshot.spec.source.volumeSnapshotContentName !== undefined,
    })
    role.onStop(timeOperations(createOperationMetrics(registry, role.clock), snapshots, describe))
  }
  const onContent = on(contents, ({ key }) => snapshotsIn(BY_CONTENT, key))
  return [
    defineSnapshotController(role, sources, {
      queue: queueOf('snapshot-controller-snapshot'),
      passesVolumeMode: config.preventVolumeModeConversion,
      watch: [
        on(snapshots, keyIfPresent),
        onContent,
        on(classes, ({ key }) => [...snapshotsIn(BY_CLASS, key), ...snapshotsIn(BY_CLASS, '')]),
      ],
    }),
    defineSourceClaimController(role, readClaim, {
      queue: queueOf('snapshot-controller-claim'),
      watch: [
        on(claims, keyIfPresent),
        on(contents, ({ before, after }) => claimsOf((after ?? before) as VolumeSnapshotContent)),
        on(snapshots, ({ before, after }) => (before && !after ? claimResource(before) : undefined)),
      ],
    }),
    defineContentProtection(role, (name) => contents.get(name), {
      queue: queueOf('snapshot-controller-content'),
      watch: [on(contents, keyIfPresent)],
    }),
  ]

  function claimsOf({ spec: { volumeSnapshotRef: ref } }: VolumeSnapshotContent): string[] {
    const snapshot = snapshots.get(keyOfRef({ namespace: ref.namespace ?? '', name: ref.name ?? '' }))
    return snapshot ? [claimResource(snapshot)] : []
  }
}

const isDefaultClass = (each: VolumeSnapshotClass): boolean => findAnnotation(each, DEFAULT_SNAPSHOT_CLASS) === 'true'

/** The snapshot that a claim is restored from, as a key. */
function sourceSnapshotsOf({ metadata, spec }: PersistentVolumeClaim): string[] {
  const source = spec.dataSourceRef ?? spec.dataSource
  if (source?.kind !== 'VolumeSnapshot' || source.apiGroup !== 'snapshot.storage.k8s.io') return []
  const namespace = spec.dataSourceRef?.namespace ?? metadata.namespace ?? ''
  return [keyOfRef({ namespace, name: source.name })]
}
