import type { Clock } from '../../base/clock.ts'
import { RESOURCE_QUOTAS } from '../../api/kinds/resource-quota.ts'
import type { ResourceQuota } from '../../api/kinds/resource-quota.ts'
import type { Store } from '../core/store.ts'
import { keyOf, storageOf } from '../core/stored-object.ts'
import { checkQuotas } from '../quota/check-quotas.ts'
import type { AdmissionPlugin } from './admission.ts'
import { forbid } from './forbid.ts'

const STORAGE = storageOf(RESOURCE_QUOTAS)

/**
 * Rejects a write that exceeds a quota of its namespace, and charges the others for it. The charge is decided in the same turn as the write itself:
 * no other write can use the same rest. Must be the last plugin, so that nothing else rejects a write that was charged.
 */
export function createResourceQuota({ store, clock }: { store: Store; clock: Clock }): AdmissionPlugin {
  return {
    name: 'ResourceQuota',
    validate(request) {
      const { operation, kind, subresource, namespace, object, old, view, dryRun } = request
      if (operation === 'DELETE' || namespace === '' || !object) return
      const quotas = view.list(STORAGE, namespace)
      if (quotas.length === 0) return
      const decision = checkQuotas(
        quotas.map((stored) => stored.object as ResourceQuota),
        { type: kind.type, subresource, object, old },
        clock.nowMs(),
      )
      if (decision.kind === 'refuse') throw forbid(request, decision.why)
      if (dryRun) return
      for (const { quota, used } of decision.charges) {
        const charged = { ...quota, status: { ...quota.status, used } }
        // The write that is charged waits for its own commit, which includes this one or follows it.
        store
          .write(STORAGE, keyOf(namespace, quota.metadata.name ?? ''), () => ({ kind: 'put', object: charged }))
          .catch(() => {})
      }
    },
  }
}
