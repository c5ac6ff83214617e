import type { ObjectMeta } from '../../api/object.ts'
import { objectResponse, writeRequest } from '../core/perform-request.ts'
import type { Handle } from '../core/perform-request.ts'
import { draftOf, metaOf } from '../core/drafts.ts'
import { changeObject } from '../core/update-object.ts'
import { readBody } from './read-body.ts'

type NamespaceBody = { metadata: ObjectMeta; spec?: { finalizers?: string[] } }

/** PUT namespaces/NAME/finalize: changes only `spec.finalizers`; removing the last one removes a deleted namespace. */
export const finalizeNamespace: Handle<'update'> = async (request, parts) => {
  const body = readBody<NamespaceBody>(request, 'Namespace')
  const finalizers = body.spec?.finalizers ?? []
  const write = { ...writeRequest(request, request.options), isServerStep: true }
  const stored = await changeObject(parts, write, (current) => {
    const draft = draftOf(current)
    return {
      ...draft,
      metadata: { ...metaOf(draft), ...preconditionsOf(body) },
      spec: { ...(draft['spec'] as object), finalizers },
    }
  })
  return objectResponse(stored)
}

// A version or uid in the body is a precondition.
function preconditionsOf({ metadata: { resourceVersion, uid } }: NamespaceBody): {
  resourceVersion?: string
  uid?: string
} {
  return { ...(resourceVersion === undefined ? {} : { resourceVersion }), ...(uid === undefined ? {} : { uid }) }
}
