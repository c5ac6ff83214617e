import { formatTimestamp } from '../../api/timestamps.ts'
import type { ObjectMeta, Status } from '../../api/object.ts'
import { writeRequest } from '../core/perform-request.ts'
import type { Handle } from '../core/perform-request.ts'
import type { Draft, FieldProblem } from '../core/kind-definition.ts'
import { draftOf, metaOf } from '../core/drafts.ts'
import { badRequest, conflict, invalid } from '../core/refusals.ts'
import type { ServerParts } from '../core/server-parts.ts'
import { changeObject } from '../core/update-object.ts'
import type { WriteRequest } from '../core/write-request.ts'
import { readBody } from './read-body.ts'

type Binding = { metadata: Readonly<ObjectMeta>; target: { kind?: string; name?: string } }
type Condition = { type: string; status: string; lastTransitionTime?: string }

const SUCCESS: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }

/** POST pods/NAME/binding: a scheduler assigns a pod to a node, once. */
export const bindPod: Handle<'create'> = async (request, parts) => {
  const binding = readBody<Binding>(request, 'Binding')
  const node = binding.target.name
  if (!node) throw refuse('target.name', 'FieldValueRequired', '')
  if (binding.target.kind && binding.target.kind !== 'Node')
    throw refuse('target.kind', 'FieldValueNotSupported', 'supported values: "Node", "<empty>"')
  const write: WriteRequest = { ...writeRequest(request, request.options), isServerStep: true }
  await changeObject(parts, write, (pod) => bound(write, draftOf(pod), binding, node, parts))
  return { kind: 'value', code: 201, value: SUCCESS, warnings: [] }
}

/** POST bindings: the same, with the name of the pod in the body. */
export const createBinding: Handle<'create'> = (request, parts) => {
  const pods = parts.kinds.findByResource('', 'v1', 'pods')
  const name = (request.body as Partial<Binding> | null | undefined)?.metadata?.name
  if (!pods || !name || typeof name !== 'string') throw badRequest('binding: metadata.name is required')
  return bindPod({ ...request, kind: pods, name, subresource: 'binding' }, parts)
}

const refuse = (field: string, type: FieldProblem['type'], detail: string) =>
  invalid({ group: '', kind: 'Binding' }, '', [{ field, type, detail }])

function bound(
  { kind, name }: WriteRequest,
  pod: Draft,
  { metadata }: Binding,
  node: string,
  { clock }: ServerParts,
): Draft {
  const meta = metaOf(pod)
  const spec = pod['spec'] as { nodeName?: string; schedulingGates?: unknown[] }
  const status = (pod['status'] ?? {}) as { conditions?: Condition[]; nominatedNodeName?: string }
  if (metadata.uid && metadata.uid !== meta.uid) {
    throw conflict(
      kind.type,
      name,
      `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${meta.uid}`,
    )
  }
  if (meta.deletionTimestamp)
    throw conflict(kind.type, name, `pod ${name} is being deleted, cannot be assigned to a host`)
  if (spec.nodeName)
    throw conflict(kind.type, name, `pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`)
  if (spec.schedulingGates && spec.schedulingGates.length > 0)
    throw conflict(kind.type, name, `pod ${name} has non-empty .spec.schedulingGates`)
  const scheduled: Condition = {
    type: 'PodScheduled',
    status: 'True',
    lastTransitionTime: formatTimestamp(clock.nowMs()),
  }
  const { nominatedNodeName: _cleared, ...rest } = status
  return {
    ...pod,
    metadata: {
      ...meta,
      ...(metadata.resourceVersion ? { resourceVersion: metadata.resourceVersion } : {}),
      ...(metadata.annotations ? { annotations: { ...meta.annotations, ...metadata.annotations } } : {}),
      ...(metadata.labels ? { labels: { ...meta.labels, ...metadata.labels } } : {}),
    },
    spec: { ...spec, nodeName: node },
    status: {
      ...rest,
      conditions: [...(status.conditions ?? []).filter(({ type }) => type !== 'PodScheduled'), scheduled],
    },
  }
}
