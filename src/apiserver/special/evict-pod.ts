import type { DeleteOptions } from '../../api/api.ts'
import { ApiError } from '../../api/api-error.ts'
import type { KubeObject, Status } from '../../api/object.ts'
import { selectsLabels } from '../../api/label-selector.ts'
import { writeRequest } from '../core/core.ts'
import type { SpecialHandler } from '../core/core.ts'
import { deleteObject } from '../core/delete-object.ts'
import { getObject } from '../core/read-objects.ts'
import { badRequest } from '../core/refusals.ts'
import type { StateView } from '../core/stored-object.ts'

type Budget = KubeObject & { readonly spec?: { readonly selector?: object }; readonly status?: { readonly disruptionsAllowed?: number } }

const SUCCESS: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }
const BUDGETS = 'policy/poddisruptionbudgets'

/** POST pods/NAME/eviction: deletes the pod unless a disruption budget forbids it. */
export const evictPod: SpecialHandler = async (request, parts) => {
  if (request.verb !== 'create') throw badRequest('pods/eviction takes POST only')
  const { deleteOptions = {} } = request.body as { deleteOptions?: DeleteOptions }
  const pod = getObject(parts, request.kind, request.namespace, request.name).object
  const budget = findExhaustedBudget(parts.store.visible, pod)
  if (budget) {
    throw new ApiError('TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
      details: { causes: [{ reason: 'DisruptionBudget', message: `The disruption budget ${budget} does not allow evicting pods currently` }] },
    })
  }
  await deleteObject(parts, { ...writeRequest(request, request.options), subresource: '' }, deleteOptions)
  return { kind: 'value', code: 201, value: SUCCESS, warnings: [] }
}

function findExhaustedBudget(view: StateView, { metadata }: KubeObject): string | undefined {
  for (const { object } of view.list(BUDGETS, metadata.namespace)) {
    const { spec, status } = object as Budget
    if (!spec?.selector || !selectsLabels(spec.selector, metadata.labels)) continue
    if ((status?.disruptionsAllowed ?? 0) <= 0) return object.metadata.name
  }
  return undefined
}
