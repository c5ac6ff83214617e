import { isForbidden, isInvalid, isNotFound } from '../../../api/api-error.ts'
import type { Api } from '../../../api/api.ts'
import { CSI_STORAGE_CAPACITIES } from '../../../api/kinds/csi-storage-capacity.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import { formatObject } from '../../../api/object-key.ts'
import type { KubeObject, ObjectRef, OwnerReference } from '../../../api/object.ts'
import { findControllerReference, ownerReferenceTo } from '../../../api/owner-references.ts'
import { parseApiVersion } from '../../../api/resource-type.ts'
import type { ResourceType } from '../../../api/resource-type.ts'

const CENTRAL = 'external-provisioner'
const LONGEST = 63
const HASH = 8

export const MANAGED_BY_LABEL = 'csi.storage.k8s.io/managed-by'

/**
 * The value of the label that identifies the manager of an object: one for the cluster, or one for each node. Shortened as upstream does, so that
 * either continues with the objects of the other: first our own name is replaced by its hash, then the node's.
 */
export function managedBy(nodeName?: string): string {
  if (nodeName === undefined) return CENTRAL
  const whole = `${CENTRAL}-${nodeName}`
  if (whole.length <= LONGEST) return whole
  const rest = LONGEST - nodeName.length - HASH - 2
  return rest > 0 ? `${CENTRAL.slice(0, rest)}-${hashOf(CENTRAL)}-${nodeName}` : `${CENTRAL}-${hashOf(whole)}`
}

/** 32-bit FNV-1a, in hexadecimal. */
function hashOf(text: string): string {
  let hash = 2166136261
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 16777619) >>> 0
  return hash.toString(16).padStart(HASH, '0')
}

/**
 * The owner of the objects, so that they are deleted with the deployment. `level` is the number of steps up from the pod: 0 the pod itself, 1
 * its StatefulSet or DaemonSet, 2 its Deployment, below 0 none. Only objects below the owner are read: they name it.
 */
export async function findOwner(
  api: Api,
  level: number,
  pod: ObjectRef | undefined,
  signal: AbortSignal,
): Promise<OwnerReference | undefined> {
  if (level < 0) return undefined
  if (!pod)
    throw new Error(`--capacity-ownerref-level=${level} needs to know its pod: set POD_NAME and NAMESPACE, or use -1`)
  let object: KubeObject = await api.get(PODS, pod, { signal })
  if (level === 0) return ownerReferenceTo(object, { controller: true })
  for (let step = 1; ; step++) {
    const reference = findControllerReference(object)
    if (!reference)
      throw new Error(`--capacity-ownerref-level=${level} goes too far: ${formatObject(object)} has no controller`)
    const { apiVersion, kind, name, uid } = reference
    if (step === level) return { apiVersion, kind, name, uid, controller: true }
    object = await api.get(workloadTypeOf(apiVersion, kind), { ...pod, name }, { signal })
  }
}

// The resource of each workload kind is its kind in lower case and an s: replicasets, jobs.
const workloadTypeOf = (apiVersion: string, kind: string): ResourceType => ({
  ...parseApiVersion(apiVersion),
  kind,
  plural: `${kind.toLowerCase()}s`,
  namespaced: true,
})

// No server accepts it, so nothing is created.
const ILLEGAL_NAME = '%'

/** Resolves if objects can be published in the namespace. Checked before any work, because a server that rejects them does so each time. */
export async function probeCapacityApi(api: Api, namespace: string, signal: AbortSignal): Promise<void> {
  try {
    const object = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIStorageCapacity',
      metadata: { namespace, name: ILLEGAL_NAME },
      storageClassName: ILLEGAL_NAME,
    } as const
    await api.create(CSI_STORAGE_CAPACITIES, object, { dryRun: true, signal })
  } catch (cause) {
    if (isInvalid(cause)) return
    const problem = isForbidden(cause)
      ? ` in namespace ${namespace}: allow get, list, watch, create, update and delete of csistoragecapacities there`
      : `: the server has no storage.k8s.io/v1 csistoragecapacities, or no namespace ${namespace}`
    if (isForbidden(cause) || isNotFound(cause)) throw new Error(`capacity can't be published${problem}`, { cause })
    throw cause
  }
}
