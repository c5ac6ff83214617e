import { isForbidden, isNotFound } from '../../../api/api-error.ts'
import { hasFinalizer } from '../../../api/finalizers.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../../api/kinds/persistent-volume.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../../api/kinds/volume-snapshot.ts'
import type { VolumeSnapshot } from '../../../api/kinds/volume-snapshot.ts'
import { listAll } from '../../../api/list-all.ts'
import { keyOfRef } from '../../../api/object-key.ts'
import { backoffOf } from '../../../base/backoff.ts'
import { ControllerServiceCapability_RPC_Type as Capability } from '../../../csi/generated/csi/v1/csi.ts'
import { after, defineController, definePeriodic, DONE } from '../../../kube/controller/index.ts'
import type { ControllerRole, Pass, WorkResult } from '../../../kube/controller/index.ts'
import type { DriverFacts } from '../../discover-driver.ts'
import { provisionerOf } from '../claim-eligibility.ts'
import { CLONE_SOURCE_FINALIZER, SNAPSHOT_SOURCE_FINALIZER } from '../names.ts'
import type { ProvisionerConfig } from '../provisioner-options.ts'
import { readIfAllowed } from '../uncached-objects.ts'
import { findSourceKey, isWithoutVolume, nextSourceStep, parseSourceKey, sourceKeyOf } from './next-source-step.ts'
import type { Source, SourceStep, SourceView } from './next-source-step.ts'

/** An unused claim keeps our finalizer for the next copy. Snapshots are not watched, so the user who deletes one would have to wait. */
const KEPT_MS = 60_000
const BY_SOURCE = 'sources/source'

type Reads = { snapshot: VolumeSnapshot | null }

/**
 * Removes our finalizer from claims and snapshots once their last copy is created. A pass that removes it holds the key of the source, so that
 * nothing new relies on the source. `isInUse`: whether a call that needs it is in progress or in doubt, even if its claim is deleted.
 */
export function defineSources(
  role: ControllerRole,
  config: ProvisionerConfig,
  facts: DriverFacts,
  isInUse: (sourceKey: string) => boolean,
) {
  const { api, clock } = role
  const kinds = {
    PersistentVolumeClaim: facts.controller.has(Capability.CLONE_VOLUME),
    VolumeSnapshot: facts.controller.has(Capability.CREATE_DELETE_SNAPSHOT),
  }
  const claims = role.follow(PERSISTENT_VOLUME_CLAIMS, {
    indexes: { [BY_SOURCE]: (claim) => [findSourceKey(claim) ?? ''] },
  })
  const volumes = role.follow(PERSISTENT_VOLUMES)
  const lanes = { default: config.cloningProtectionThreads }
  const queue = role.createQueue({ name: 'sources', lanes, backoff: backoffOf(config) })
  const add = (sourceKey: string): void => {
    const source = parseSourceKey(sourceKey)
    if (source && kinds[source.kind]) queue.add(sourceKey)
  }
  claims.onChange(({ before, after: now }) => {
    if (now && hasFinalizer(now, CLONE_SOURCE_FINALIZER)) add(sourceKeyOf(now))
    const user = now ?? before
    const key = user && findSourceKey(user)
    if (!key) return
    const isClone = key.startsWith('PersistentVolumeClaim/')
    // Reading a snapshot takes a request, so this happens only when it may have become unused.
    const becameFree = before !== undefined && isWithoutVolume(before) && !(now && isWithoutVolume(now))
    if (isClone || (becameFree && provisionerOf(user) === facts.name)) add(key)
  })
  const { snapshotOrphanSweepIntervalMs: intervalMs } = config
  const sweep = kinds.VolumeSnapshot && intervalMs > 0 ? [defineSnapshotSweep(role, intervalMs, add)] : []

  const release = releaseStep(
    role,
    facts.name,
    (key) => claims.byIndex(BY_SOURCE, key).some(isWithoutVolume) || isInUse(key),
  )
  const controller = defineController<SourceView, SourceStep, number, Reads>({
    name: 'sources',
    queue,
    watch: [],
    view: (key, { memory = clock.monotonicMs(), reads }) => {
      const ref = parseSourceKey(key)
      const isClone = ref?.kind === 'PersistentVolumeClaim'
      const claim = isClone ? claims.get(keyOfRef(ref)) : undefined
      const source = isClone ? claim : reads.snapshot
      // The finalizer is the same for all drivers, but only the provisioner of its driver knows which calls are in progress.
      const driverName = claim && (volumes.get(claim.spec.volumeName ?? '')?.spec.csi?.driver ?? provisionerOf(claim))
      const isOurs = driverName === undefined || driverName === facts.name
      if (!ref || source === null || (isClone && !(claim && isOurs))) return undefined
      const keptForMs = isClone ? memory + KEPT_MS - clock.monotonicMs() : 0
      return { seen: { source, claims: claims.byIndex(BY_SOURCE, key) }, held: { isInUse: isInUse(key), keptForMs } }
    },
    decide: nextSourceStep,
    lifeOf: ({ seen }) => [seen.source?.metadata.uid],
    perform: {
      wait: (_step, pass) => void (pass.memory = undefined),
      keep: ({ forMs }, pass) => {
        pass.memory ??= clock.monotonicMs()
        return after(forMs)
      },
      'read-snapshot': async (_step, pass) => {
        const { namespace = '', name = '' } = parseSourceKey(pass.key) ?? {}
        pass.reads = { snapshot: await readIfAllowed(api, VOLUME_SNAPSHOTS, { namespace, name }) }
      },
      release,
    },
  })
  return { controllers: [controller, ...sweep], sourceReleased: add }
}

/** `isNeeded`: whether anything relies on the source now. */
function releaseStep({ api, log }: ControllerRole, driverName: string, isNeeded: (sourceKey: string) => boolean) {
  const isOfOtherDriver = async (source: Source): Promise<boolean> => {
    const name = source.kind === 'VolumeSnapshot' ? source.status?.boundVolumeSnapshotContentName : undefined
    const content = name ? await readIfAllowed(api, VOLUME_SNAPSHOT_CONTENTS, { name }) : null
    return content !== null && content.spec.driver !== driverName
  }
  let isForbiddenKnown = false
  return async (
    { object }: { readonly object: Source },
    pass: Pass<SourceView, number, Reads>,
  ): Promise<WorkResult> => {
    if (await isOfOtherDriver(object)) return DONE
    // A claim that was created meanwhile relies on the source. Its change brings the key back.
    if (isNeeded(pass.key) || !pass.hold(pass.key)) return DONE
    try {
      if (object.kind === 'VolumeSnapshot') await api.update(VOLUME_SNAPSHOTS, object)
      else await api.update(PERSISTENT_VOLUME_CLAIMS, object)
      pass.memory = undefined
      pass.log.info('source released')
    } catch (error) {
      if (isNotFound(error)) return DONE
      if (!isForbidden(error)) throw error
      if (!isForbiddenKnown)
        log.warn('sources cannot be released: allow update of persistentvolumeclaims and volumesnapshots', { error })
      isForbiddenKnown = true
    }
    return DONE
  }
}

/**
 * Looks for snapshots with our finalizer at the start and then at intervals: an earlier process may have left it there. They are listed and
 * not watched, because the upstream provisioner's RBAC does not allow that everywhere.
 */
function defineSnapshotSweep({ api }: ControllerRole, intervalMs: number, onHeld: (sourceKey: string) => void) {
  let isMissingKnown = false
  return definePeriodic({
    name: 'snapshot-sweep',
    intervalMs,
    problem: 'snapshots could not be listed',
    act: async ({ log }) => {
      try {
        for await (const snapshot of listAll(api, VOLUME_SNAPSHOTS))
          if (hasFinalizer(snapshot, SNAPSHOT_SOURCE_FINALIZER)) onHeld(sourceKeyOf(snapshot))
        isMissingKnown = false
      } catch (error) {
        if (isForbidden(error)) {
          log.warn('unused snapshots are not released: allow list of volumesnapshots', { error })
          return DONE
        }
        if (!isNotFound(error)) throw error
        if (!isMissingKnown) log.info('the server has no snapshots')
        isMissingKnown = true
      }
      return undefined
    },
  })
}
