import { objectResponse, writeRequest } from '../core/core.ts'
import type { SpecialHandler } from '../core/core.ts'
import type { Draft } from '../core/kind-definition.ts'
import { badRequest } from '../core/refusals.ts'
import { changeObject } from '../core/update-object.ts'

/** PUT namespaces/NAME/finalize: only `spec.finalizers` changes; the last one lets a deleted namespace go. */
export const finalizeNamespace: SpecialHandler = async (request, parts) => {
  if (request.verb !== 'update') throw badRequest('namespaces/finalize takes PUT only')
  const body = request.body as Draft
  const { finalizers } = (body['spec'] ?? {}) as { finalizers?: string[] }
  const write = { ...writeRequest(request, request.options), isServerStep: true }
  const stored = await changeObject(parts, write, (current) => ({
    ...current,
    metadata: { ...(current['metadata'] as object), ...resourceVersionOf(body) },
    spec: { ...(current['spec'] as object), finalizers: finalizers ?? [] },
  }))
  return objectResponse(stored)
}

function resourceVersionOf(body: Draft): { resourceVersion?: string } {
  const { resourceVersion } = (body['metadata'] ?? {}) as { resourceVersion?: string }
  return resourceVersion === undefined ? {} : { resourceVersion }
}
