import { isForbidden, isNotFound } from '../../../api/api-error.ts'
import type { Api } from '../../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../../api/kinds/volume-snapshot.ts'
import type { VolumeSnapshot } from '../../../api/kinds/volume-snapshot.ts'
import { keyOfRef } from '../../../api/object-key.ts'
import type { KubeObject, ObjectRef } from '../../../api/object.ts'
import type { ResourceType } from '../../../api/resource-type.ts'
import { unreachable } from '../../../base/abort.ts'
import type { Clock } from '../../../base/clock.ts'
import { after, DONE } from '../../../kube/controller.ts'
import type { Reconciler } from '../../../kube/controller.ts'
import type { OwnWrites } from '../../../kube/own-writes.ts'
import { within } from '../../../kube/within.ts'
import { isWithoutVolume, nextSourceStep, parseSourceKey } from './next-source-step.ts'

export type SourceParts = {
  readonly api: Api
  readonly clock: Clock
  readonly driverName: string
  readonly claims: OwnWrites<PersistentVolumeClaim>
  usersOf(sourceKey: string): readonly PersistentVolumeClaim[]
  isOurs(source: PersistentVolumeClaim): boolean
  isInUse(sourceKey: string): boolean
  /** Nothing new may rely on a source while it is in here. */
  readonly releasing: Set<string>
  onReleased(sourceKey: string): void
}

// A claim that is copied again and again keeps its finalizer in between. Snapshots are not watched, so whoever deletes one would wait.
const KEPT_MS = 60_000

/** Takes our finalizer off one source when nobody needs it any more. */
export function createSourceReconciler({
  api,
  clock,
  driverName,
  claims,
  usersOf,
  isOurs,
  isInUse,
  releasing,
  onReleased,
}: SourceParts): Reconciler {
  const unusedSinceMs = new Map<string, number>()
  let isForbiddenKnown = false

  const readSource = async (
    key: string,
    signal: AbortSignal,
  ): Promise<PersistentVolumeClaim | VolumeSnapshot | undefined> => {
    const source = parseSourceKey(key)
    if (!source) return undefined
    const { kind, ...ref } = source
    if (kind === 'PersistentVolumeClaim') {
      const claim = claims.get(keyOfRef(ref))
      return claim && isOurs(claim) ? claim : undefined
    }
    // Whatever ends their need brings the key back: no request before that.
    if (usersOf(key).some(isWithoutVolume) || isInUse(key)) return undefined
    return readIfPresent(VOLUME_SNAPSHOTS, ref, signal)
  }
  const readIfPresent = async <T extends KubeObject>(
    type: ResourceType<T>,
    ref: ObjectRef,
    signal: AbortSignal,
  ): Promise<T | undefined> => {
    try {
      return await within(clock, signal, (until) => api.get(type, ref, { signal: until }))
    } catch (error) {
      if (isNotFound(error) || isForbidden(error)) return undefined
      throw error
    }
  }
  const isOfOther = async (source: PersistentVolumeClaim | VolumeSnapshot, signal: AbortSignal): Promise<boolean> => {
    const name = source.kind === 'VolumeSnapshot' ? source.status?.boundVolumeSnapshotContentName : undefined
    const content = name ? await readIfPresent(VOLUME_SNAPSHOT_CONTENTS, { name }, signal) : undefined
    return content !== undefined && content.spec.driver !== driverName
  }
  const write = async (object: PersistentVolumeClaim | VolumeSnapshot, signal: AbortSignal): Promise<void> => {
    try {
      if (object.kind === 'VolumeSnapshot')
        await within(clock, signal, (until) => api.update(VOLUME_SNAPSHOTS, object, { signal: until }))
      else
        claims.remember(
          await within(clock, signal, (until) => api.update(PERSISTENT_VOLUME_CLAIMS, object, { signal: until })),
        )
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  return async (key, { log, signal }) => {
    const source = await readSource(key, signal)
    if (!source) {
      unusedSinceMs.delete(key)
      return DONE
    }
    const sinceMs = unusedSinceMs.get(key) ?? clock.monotonicMs()
    const keptForMs = source.kind === 'VolumeSnapshot' ? 0 : sinceMs + KEPT_MS - clock.monotonicMs()
    const step = nextSourceStep({ seen: { source, claims: usersOf(key) }, held: { isInUse: isInUse(key), keptForMs } })
    log.debug('source step', { step: step.kind, ...('reason' in step ? { reason: step.reason } : {}) })
    switch (step.kind) {
      case 'wait':
        unusedSinceMs.delete(key)
        return DONE
      case 'keep':
        unusedSinceMs.set(key, sinceMs)
        return after(step.forMs)
      case 'release':
        if (await isOfOther(source, signal)) return DONE
        // Whoever came meanwhile relies on it: the next look is at what there is then.
        if (usersOf(key).some(isWithoutVolume) || isInUse(key)) return DONE
        releasing.add(key)
        try {
          await write(step.object, signal)
          unusedSinceMs.delete(key)
          log.info('source let go')
        } catch (error) {
          if (!isForbidden(error)) throw error
          if (!isForbiddenKnown)
            log.warn('sources can not be let go: allow update of persistentvolumeclaims and volumesnapshots', { error })
          isForbiddenKnown = true
        } finally {
          releasing.delete(key)
          onReleased(key)
        }
        return DONE
      default:
        return unreachable(step)
    }
  }
}
