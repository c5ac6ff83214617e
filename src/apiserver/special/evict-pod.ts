import { ApiError } from '../../api/api-error.ts'
import type { KubeObject, ObjectMeta, Status } from '../../api/object.ts'
import { selectsLabels } from '../../api/label-selector.ts'
import type { PodDisruptionBudget } from '../../api/kinds/pod-disruption-budget.ts'
import { POD_DISRUPTION_BUDGETS } from '../../api/kinds/pod-disruption-budget.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { formatTimestamp } from '../../api/timestamps.ts'
import { writeRequest } from '../core/perform-request.ts'
import type { Handle } from '../core/perform-request.ts'
import { deleteObject } from '../core/delete-object.ts'
import { draftOf } from '../core/drafts.ts'
import { getObject } from '../core/read-objects.ts'
import type { ServerParts } from '../core/server-parts.ts'
import type { StateView } from '../core/stored-object.ts'
import { changeObject } from '../core/update-object.ts'
import type { WriteRequest } from '../core/write-request.ts'
import { parseDeleteOptions } from '../http/parse-delete-options.ts'
import { readBody } from './read-body.ts'

type Eviction = { metadata: ObjectMeta; deleteOptions?: object }

const SUCCESS: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }
const BUDGETS = 'policy/poddisruptionbudgets'

/** POST pods/NAME/eviction: deletes the pod unless a disruption budget forbids it. */
export const evictPod: Handle<'create'> = async (request, parts) => {
  const options = parseDeleteOptions(new URLSearchParams(), readBody<Eviction>(request, 'Eviction').deleteOptions)
  const asked = writeRequest(request, request.options)
  // A dry run may be requested in the query and in the options of the body.
  const write: WriteRequest = { ...asked, subresource: '', dryRun: asked.dryRun || (options.dryRun ?? false) }
  const pod = getObject(parts, request.kind, request.namespace, request.name).object as Pod
  // An eviction that cannot succeed must not use up a disruption.
  await deleteObject(parts, { ...write, dryRun: true }, options)
  if (!isGoingAnyway(pod)) await spendBudget(parts, write, pod)
  await deleteObject(parts, write, options)
  return { kind: 'value', code: 201, value: SUCCESS, warnings: [] }
}

// Deleting a pod that is not running disrupts nothing.
const isGoingAnyway = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined || ['Succeeded', 'Failed', 'Pending'].includes(status?.phase ?? 'Pending')

/** Takes one disruption from the pod's budget in the same step that checks it: two concurrent evictions cannot share the last one. */
async function spendBudget(parts: ServerParts, write: WriteRequest, pod: Pod): Promise<void> {
  const budgets = budgetsOf(parts.store.decided, pod)
  const [budget] = budgets
  if (!budget) return
  if (budgets.length > 1)
    throw new ApiError(
      'InternalError',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    )
  const { group, version, plural } = POD_DISRUPTION_BUDGETS
  const kind = parts.kinds.findByResource(group, version, plural)
  if (!kind) return
  const step: WriteRequest = { ...write, kind, name: budget, subresource: 'status', isServerStep: true, warnings: [] }
  await changeObject(parts, step, (current) => {
    const { status } = current as { status?: PodDisruptionBudget['status'] }
    const allowed = status?.disruptionsAllowed ?? 0
    if (allowed <= 0) throw forbidden(budget)
    // The disruption controller sees that this pod is being evicted, even while it still exists.
    const disruptedPods = { ...status?.disruptedPods, [pod.metadata.name ?? '']: formatTimestamp(parts.clock.nowMs()) }
    return { ...draftOf(current), status: { ...status, disruptionsAllowed: allowed - 1, disruptedPods } }
  })
}

const forbidden = (budget: string): ApiError =>
  new ApiError('TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    details: {
      causes: [
        {
          reason: 'DisruptionBudget',
          message: `The disruption budget ${budget} does not allow evicting pods currently`,
        },
      ],
    },
  })

function budgetsOf(view: StateView, { metadata }: KubeObject): string[] {
  const budgets = view.list(BUDGETS, metadata.namespace).map(({ object }) => object as PodDisruptionBudget)
  return budgets
    .filter(({ spec }) => spec?.selector && selectsLabels(spec.selector, metadata.labels))
    .map((budget) => budget.metadata.name ?? '')
}
