import { NAMESPACES } from '../../api/kinds/namespace.ts'
import type { Namespace } from '../../api/kinds/namespace.ts'
import { LOCAL_SUBJECT_ACCESS_REVIEWS } from '../../api/kinds/authorization.ts'
import { forbidden, notFound } from '../core/refusals.ts'
import { storageOf } from '../core/stored-object.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { forbid } from './forbid.ts'

const IMMORTAL = ['default', 'kube-system', 'kube-public']

/** Rejects new objects in a namespace that is missing or terminating, and the deletion of some namespaces. */
export const namespaceLifecycle: AdmissionPlugin = {
  name: 'NamespaceLifecycle',
  // Before all other plugins: problems with the object do not matter if it cannot exist there.
  mutate: check,
  validate: check,
}

function check(request: AdmissionRequest): void {
  const { operation, kind, namespace, name, view } = request
  if (kind.storage === storageOf(NAMESPACES)) {
    if (operation === 'DELETE' && IMMORTAL.includes(name))
      throw forbidden(NAMESPACES, name, 'this namespace may not be deleted')
    return
  }
  // A user who only asks for permissions must not learn whether a namespace exists.
  if (namespace === '' || operation === 'DELETE' || kind.type.kind === LOCAL_SUBJECT_ACCESS_REVIEWS.kind) return
  const found = view.find(storageOf(NAMESPACES), namespace)?.object as Namespace | undefined
  if (!found) throw notFound(NAMESPACES, namespace)
  if (operation !== 'CREATE' || found.status?.phase !== 'Terminating') return
  throw forbid(request, `unable to create new content in namespace ${namespace} because it is being terminated`, [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ])
}
