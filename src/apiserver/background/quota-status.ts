import { isEqualJson } from '../../api/equal-json.ts'
import type { Clock } from '../../base/clock.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { RESOURCE_QUOTAS } from '../../api/kinds/resource-quota.ts'
import type { ResourceQuota } from '../../api/kinds/resource-quota.ts'
import { SERVICES } from '../../api/kinds/service.ts'
import type { Draft } from '../core/kind-definition.ts'
import type { KindRegistry } from '../core/kind-registry.ts'
import type { Store } from '../core/store.ts'
import { storageOf } from '../core/stored-object.ts'
import type { Change } from '../core/stored-object.ts'
import { usedBy } from '../quota/check-quotas.ts'
import type { BackgroundTasks } from './background-tasks.ts'
import { distinctByStorage } from './namespaced-kinds.ts'

const QUOTAS = storageOf(RESOURCE_QUOTAS)
const PODS_STORAGE = storageOf(PODS)
// Kinds whose updates change what they use. All others only count.
const MEASURED = [PERSISTENT_VOLUME_CLAIMS, SERVICES].map(storageOf)
// Deletions in quick succession are counted together.
const DELAY_MS = 50
// A write that was charged and then failed is rare: everything is counted again once no more writes are charged.
const CHECK_MS = 5_000

/**
 * Computes the status of quotas from the objects of their namespace: when a quota is written, after deletions, and after a charged write that failed.
 * Admission charges each write by itself, so that this is never needed to reject one.
 */
export function startQuotaStatus({
  store,
  kinds,
  tasks,
  clock,
}: {
  store: Store
  kinds: KindRegistry
  tasks: BackgroundTasks
  clock: Clock
}): void {
  const compute = async (namespace: string): Promise<void> => {
    await Promise.all(
      store.visible.list(QUOTAS, namespace).map(({ key }) =>
        // Decided on the newest state of everything, so that no charge is lost.
        store.write(QUOTAS, key, (current) => {
          if (!current) return { kind: 'keep' }
          const quota = current.object as ResourceQuota
          const status = statusOf(quota, namespace)
          return isEqualJson(status, quota.status) ? { kind: 'keep' } : { kind: 'put', object: { ...quota, status } }
        }),
      ),
    )
  }
  const statusOf = (quota: ResourceQuota, namespace: string): NonNullable<ResourceQuota['status']> => {
    const objects = distinctByStorage(kinds).map(({ type, storage }) => ({
      type,
      objects: () => store.decided.list(storage, namespace).map(({ object }) => object as unknown as Draft),
    }))
    const used = usedBy(quota, objects, clock.nowMs())
    return { ...(quota.spec?.hard && { hard: quota.spec.hard }), ...(Object.keys(used).length > 0 && { used }) }
  }
  const nameOf = (namespace: string): string => `quota status of ${namespace}`
  store.onChange((change) => {
    const namespace = change.after.object.metadata.namespace
    if (!namespace) return
    if (change.storage === QUOTAS && change.type === 'put') {
      if (isNewLimit(change)) tasks.schedule(nameOf(namespace), () => compute(namespace))
      else tasks.after(`${nameOf(namespace)}, once more`, CHECK_MS, () => compute(namespace))
    } else if (freesQuota(change) && store.visible.list(QUOTAS, namespace).length > 0)
      tasks.after(nameOf(namespace), DELAY_MS, () => compute(namespace))
  })
  const namespaces = new Set(store.visible.list(QUOTAS).map(({ object }) => object.metadata.namespace ?? ''))
  for (const namespace of namespaces) tasks.schedule(nameOf(namespace), () => compute(namespace))
}

const isNewLimit = ({ before, after }: Change): boolean => {
  const specOf = (object: object): unknown => (object as ResourceQuota).spec
  return before === undefined || !isEqualJson(specOf(before.object), specOf(after.object))
}

function freesQuota({ storage, type, after, before }: Change): boolean {
  if (type === 'delete') return true
  if (before === undefined) return false
  if (storage !== PODS_STORAGE) return MEASURED.includes(storage)
  // Of pods, only their end matters, and a change of scope.
  const phaseOf = (object: object): string => (object as { status?: { phase?: string } }).status?.phase ?? ''
  return phaseOf(after.object) !== phaseOf(before.object)
}
