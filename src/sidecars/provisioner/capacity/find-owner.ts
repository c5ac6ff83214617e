import type { Api } from '../../../api/api.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import { formatObject } from '../../../api/object-key.ts'
import type { KubeObject, OwnerReference } from '../../../api/object.ts'
import { findControllerReference, ownerReferenceTo } from '../../../api/owner-references.ts'
import { parseApiVersion } from '../../../api/resource-type.ts'
import type { ResourceType } from '../../../api/resource-type.ts'

export type OwnerQuestion = {
  /** Steps up from the pod: 0 the pod itself, 1 its StatefulSet or DaemonSet, 2 its Deployment. */
  readonly level: number
  readonly podNamespace: string
  readonly podName: string
}

/** Who is to own the objects, so that they go with the deployment. Only what lies below the owner is read: its own name stands there. */
export async function findOwner(
  api: Api,
  { level, podNamespace, podName }: OwnerQuestion,
  signal: AbortSignal,
): Promise<OwnerReference> {
  let object: KubeObject = await api.get(PODS, { namespace: podNamespace, name: podName }, { signal })
  if (level === 0) return ownerReferenceTo(object, { controller: true })
  for (let step = 1; ; step++) {
    const reference = findControllerReference(object)
    if (!reference)
      throw new Error(`--capacity-ownerref-level=${level} goes too far: ${formatObject(object)} is managed by nobody`)
    const { apiVersion, kind, name, uid } = reference
    if (step === level) return { apiVersion, kind, name, uid, controller: true }
    object = await api.get(workloadTypeOf(apiVersion, kind), { namespace: podNamespace, name }, { signal })
  }
}

// What manages pods is called in paths by its kind in small letters and an s: replicasets, jobs.
const workloadTypeOf = (apiVersion: string, kind: string): ResourceType => ({
  ...parseApiVersion(apiVersion),
  kind,
  plural: `${kind.toLowerCase()}s`,
  namespaced: true,
})
