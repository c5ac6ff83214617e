import type { Registry } from 'prom-client'
import { VOLUME_GROUP_SNAPSHOT_CONTENTS, VOLUME_GROUP_SNAPSHOTS } from '../../api/kinds/volume-group-snapshot.ts'
import type { VolumeGroupSnapshot, VolumeGroupSnapshotContent } from '../../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import type { VolumeSnapshot, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import { keyOf, keyOfRef } from '../../api/object-key.ts'
import { takesGroups } from '../../api/snapshot-gates.ts'
import { backoffOf } from '../../base/backoff.ts'
import { failWhenServed, isServed, untilServed } from '../../kube/cache/optional-cache.ts'
import { keyIfPresent, on, startControllers } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import { CONTENT_FINALIZER, GROUP_CONTENT_FINALIZER } from '../../storage/snapshot-names.ts'
import type { StartRole } from '../../kube/process/role-world.ts'
import {
  BY_CLAIM,
  BY_CLASS,
  BY_CONTENT,
  BY_GROUP,
  BY_GROUP_HANDLE,
  BY_NAMESPACE,
  BY_VOLUME,
  followGroups,
  followNodes,
  followSnapshots,
  groupSourcesOf,
  handleKey,
  snapshotSourcesOf,
} from './follow-snapshots.ts'
import type { FollowedGroups, FollowedSnapshots } from './follow-snapshots.ts'
import { defineDisabledGroups, defineGroupController } from './group-controller.ts'
import { groupContentNameOf } from './group-view.ts'
import { createOperationMetrics } from './operation-metrics.ts'
import { createRecentCreations } from './recent-creations.ts'
import { defineContentProtection, defineSourceClaimController } from './protection-controllers.ts'
import { claimResource, defineSnapshotController } from './snapshot-controller.ts'
import type { SnapshotConfig } from './snapshot-options.ts'
import { contentNameOf } from './snapshot-view.ts'
import { timeOperations } from './time-operations.ts'

/** The snapshot-controller: binds snapshots, groups and contents, for all drivers. The driver's own snapshotter takes the snapshots. */
export const startSnapshot: StartRole<SnapshotConfig> = (config, world, signal) => {
  const wantsGroups = takesGroups(config.gates ?? {})
  return startControllers(world, signal, async (role) => {
    await untilServed(VOLUME_SNAPSHOTS, role)
    const areGroupsServed = await isServed(VOLUME_GROUP_SNAPSHOTS, role)
    if (wantsGroups && !areGroupsServed) failWhenServed(VOLUME_GROUP_SNAPSHOTS, role)
    const followed = followSnapshots(role)
    const groups = wantsGroups && areGroupsServed ? followGroups(role) : undefined
    if (world.registry) measure(role, world.registry, followed, groups)
    const disabled = !wantsGroups && areGroupsServed ? [defineDisabledGroups(role.follow(VOLUME_GROUP_SNAPSHOTS))] : []
    return [...assemble(config, role, followed, groups), ...disabled]
  })
}

function assemble(
  config: SnapshotConfig,
  role: ControllerRole,
  followed: FollowedSnapshots,
  groups: FollowedGroups | undefined,
) {
  const { snapshots, contents, classes, claims } = followed
  const backoff = backoffOf(config)
  const queueOf = (name: string) => role.createQueue({ name, lanes: { default: config.workerThreads }, backoff })
  const snapshotsIn = (index: string, value: string): string[] => snapshots.byIndex(index, value).map(keyOf)
  const creations = createRecentCreations(role.clock)
  const rules = {
    creations,
    passesVolumeMode: config.preventVolumeModeConversion,
    ...(config.enableDistributedSnapshotting ? { nodeOf: followNodes(role) } : {}),
  }
  return [
    defineSnapshotController(role, snapshotSourcesOf(followed, groups), {
      ...rules,
      queue: queueOf('snapshot-controller-snapshot'),
      followsGroups: groups !== undefined,
      watch: [
        on(snapshots, keyIfPresent),
        on(contents, ({ key }) => snapshotsIn(BY_CONTENT, key)),
        on(classes, ({ key }) => [...snapshotsIn(BY_CLASS, key), ...snapshotsIn(BY_CLASS, '')]),
        ...(groups
          ? [
              on(groups.groups, ({ key }) => snapshotsIn(BY_GROUP, key)),
              on(groups.groupContents, ({ before, after }) =>
                membersOf((after ?? before) as VolumeGroupSnapshotContent),
              ),
            ]
          : []),
      ],
    }),
    defineSourceClaimController(role, readClaim, {
      queue: queueOf('snapshot-controller-claim'),
      watch: [
        on(claims, keyIfPresent),
        on(contents, ({ before, after }) => seen(claimsOf((after ?? before) as VolumeSnapshotContent))),
        on(snapshots, ({ before, after }) => (before && !after ? claimResource(before) : undefined)),
        ...(groups
          ? [
              on(groups.groupContents, ({ before, after }) =>
                seen(claimsOfGroup((after ?? before) as VolumeGroupSnapshotContent)),
              ),
            ]
          : []),
      ],
    }),
    defineContentProtection(role, {
      name: 'snapshot-content',
      type: VOLUME_SNAPSHOT_CONTENTS,
      finalizer: CONTENT_FINALIZER,
      contents,
      uidOf: ({ spec }) => spec.volumeSnapshotRef.uid,
      queue: queueOf('snapshot-controller-content'),
    }),
    ...(groups ? assembleGroups(groups) : []),
  ]

  function assembleGroups({ groups: followedGroups, groupContents, groupClasses }: FollowedGroups) {
    const groupsIn = (index: string, value: string): string[] => followedGroups.byIndex(index, value).map(keyOf)
    /** Groups that have no content yet may be waiting for a claim, whatever its labels are. */
    const unboundIn = (namespace: string): string[] =>
      followedGroups
        .byIndex(BY_NAMESPACE, namespace)
        .filter((group) => !groupContents.get(groupContentNameOf(group)))
        .map(keyOf)
    return [
      defineGroupController(role, groupSourcesOf(followed, { groups: followedGroups, groupContents, groupClasses }), {
        ...rules,
        queue: queueOf('snapshot-controller-group-snapshot'),
        watch: [
          on(followedGroups, keyIfPresent),
          on(groupContents, ({ key }) => groupsIn(BY_CONTENT, key)),
          on(groupClasses, ({ key }) => [...groupsIn(BY_CLASS, key), ...groupsIn(BY_CLASS, '')]),
          on(claims, ({ before, after }) => unboundIn((after ?? before)?.metadata.namespace ?? '')),
          on(snapshots, ({ before, after }) => ownersOf((after ?? before) as VolumeSnapshot)),
        ],
      }),
      defineContentProtection(role, {
        name: 'group-snapshot-content',
        type: VOLUME_GROUP_SNAPSHOT_CONTENTS,
        finalizer: GROUP_CONTENT_FINALIZER,
        contents: groupContents,
        uidOf: ({ spec }) => spec.volumeGroupSnapshotRef.uid,
        queue: queueOf('snapshot-controller-group-content'),
      }),
    ]
  }

  function readClaim(key: string) {
    const claim = claims.get(key)
    if (!claim) return undefined
    const uses = snapshots
      .byIndex(BY_CLAIM, key)
      .map((snapshot) => ({ snapshot, content: contents.get(contentNameOf(snapshot)) }))
    const { csi } = followed.volumes.get(claim.spec.volumeName ?? '')?.spec ?? {}
    const groupUses =
      csi && groups ? groups.groupContents.byIndex(BY_VOLUME, handleKey(csi.driver, csi.volumeHandle)) : []
    return {
      claim,
      uses,
      groupUses,
      lagsMs: creations.leftMs(key),
    }
  }

  function seen(claimKeys: readonly string[]): readonly string[] {
    claimKeys.forEach(creations.seen)
    return claimKeys
  }

  function claimsOf({ spec: { volumeSnapshotRef: ref } }: VolumeSnapshotContent): string[] {
    const snapshot = snapshots.get(keyOfRef({ namespace: ref.namespace ?? '', name: ref.name ?? '' }))
    return snapshot ? [claimResource(snapshot)] : []
  }

  function claimsOfGroup({ spec }: VolumeGroupSnapshotContent): string[] {
    return (spec.source.volumeHandles ?? [])
      .flatMap((handle) => followed.volumes.byIndex(BY_VOLUME, handleKey(spec.driver, handle)))
      .flatMap(({ spec: { claimRef } }) =>
        claimRef ? [keyOfRef({ namespace: claimRef.namespace ?? '', name: claimRef.name ?? '' })] : [],
      )
  }

  /** Snapshots whose content has the handle of the group snapshot: they may not have their group yet. */
  function membersOf({ spec, status }: VolumeGroupSnapshotContent): string[] {
    const handle = status?.volumeGroupSnapshotHandle
    if (handle === undefined) return []
    return contents
      .byIndex(BY_GROUP_HANDLE, handleKey(spec.driver, handle))
      .flatMap((content) => snapshotsIn(BY_CONTENT, keyOf(content)))
  }
}

const ownersOf = ({ metadata }: VolumeSnapshot): string[] =>
  (metadata.ownerReferences ?? [])
    .filter(({ kind }) => kind === 'VolumeGroupSnapshot')
    .map(({ name }) => keyOfRef({ namespace: metadata.namespace ?? '', name }))

function measure(
  role: ControllerRole,
  registry: Registry,
  { snapshots, contents, classes }: FollowedSnapshots,
  followed: FollowedGroups | undefined,
): void {
  const metrics = createOperationMetrics(registry, role.clock)
  const describe = (snapshot: VolumeSnapshot) => ({
    of: 'Snapshot' as const,
    driver: (contents.get(contentNameOf(snapshot))?.spec ?? classes.get(snapshot.spec.volumeSnapshotClassName ?? ''))
      ?.driver,
    isStatic: snapshot.spec.source.volumeSnapshotContentName !== undefined,
  })
  role.onStop(timeOperations(metrics, snapshots, describe))
  if (!followed) return
  const { groups, groupContents, groupClasses } = followed
  const describeGroup = (group: VolumeGroupSnapshot) => ({
    of: 'GroupSnapshot' as const,
    driver: (
      groupContents.get(groupContentNameOf(group))?.spec ??
      groupClasses.get(group.spec.volumeGroupSnapshotClassName ?? '')
    )?.driver,
    isStatic: group.spec.source.volumeGroupSnapshotContentName !== undefined,
  })
  role.onStop(timeOperations(metrics, groups, describeGroup))
}
