import type { TokenRequest } from '../../api/kinds/authentication.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { NODES } from '../../api/kinds/node.ts'
import type { Node } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { MIRROR_POD_ANNOTATION, PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { qualifiedResource } from '../../api/resource-type.ts'
import { quoteGo } from '../../api/quote-go.ts'
import { claimNameOf } from '../../storage/pod-claims.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { metaOf } from '../core/drafts.ts'
import { forbidden, notFound } from '../core/refusals.ts'
import type { Authorizer } from '../core/request.ts'
import type { StateView } from '../core/stored-object.ts'
import { findNodeName } from './node-identity.ts'
import { findForbiddenLabels } from './node-labels.ts'
import { findApiReference } from './pod-references.ts'
import { equalIgnoring } from './semantic-equality.ts'
import { findObject } from './typed-view.ts'

export type NodeRestrictionParts = {
  /** Decides whether a node may request tokens for an audience that neither the pod nor its drivers name. */
  readonly authorizer: Authorizer
  /** Label prefixes below kubernetes.io and k8s.io that nodes may set, in addition to those of upstream: topology keys of drivers. */
  readonly allowedLabelPrefixes?: readonly string[]
}

type Refuse = (why: string) => Error

/** Restricts writes of a node to its own objects: authorization sees only names, admission sees the objects. */
export function createNodeRestriction({
  authorizer,
  allowedLabelPrefixes = [],
}: NodeRestrictionParts): AdmissionPlugin {
  return {
    name: 'NodeRestriction',
    validate(request) {
      const nodeName = findNodeName(request.user)
      if (nodeName === undefined) return
      const refuse: Refuse = (why) => forbidden(request.kind.type, request.name || 'Unknown', why)
      if (nodeName === '') throw refuse(`could not determine node from user ${quoteGo(request.user.name)}`)
      switch (qualifiedResource(request.kind.type)) {
        case 'pods':
          return admitPod(nodeName, request, refuse)
        case 'nodes':
          return admitNode(nodeName, request, refuse, allowedLabelPrefixes)
        case 'persistentvolumeclaims':
          return admitClaim(nodeName, request, refuse)
        case 'serviceaccounts':
          return admitToken(nodeName, request, refuse, authorizer)
        case 'leases.coordination.k8s.io':
          return admitLease(nodeName, request, refuse)
        case 'csinodes.storage.k8s.io':
          return admitOwn('CSINode', nodeName, request, refuse)
        case 'csinodeinfos.csi.storage.k8s.io':
          return admitOwn('CSINodeInfo', nodeName, request, refuse)
        default:
          return
      }
    },
  }
}

function admitPod(nodeName: string, request: AdmissionRequest, refuse: Refuse): void {
  const { subresource, operation } = request
  const node = quoteGo(nodeName)
  switch (subresource) {
    case '':
      if (operation === 'CREATE') return admitMirrorPod(nodeName, request, refuse)
      if (operation !== 'DELETE')
        throw refuse(`unexpected operation ${quoteGo(operation)}, node ${node} can only create and delete mirror pods`)
      if (podOf(request).spec.nodeName !== nodeName)
        throw refuse(`node ${node} can only delete pods with spec.nodeName set to itself`)
      return
    case 'status':
      return admitPodStatus(nodeName, request, refuse)
    case 'eviction':
      if (operation !== 'CREATE') throw refuse(`unexpected operation ${operation}`)
      if (podOf(request).spec.nodeName !== nodeName)
        throw refuse(`node ${nodeName} can only evict pods with spec.nodeName set to itself`)
      return
    default:
      throw refuse(`unexpected pod subresource ${quoteGo(subresource)}, only 'status' and 'eviction' are allowed`)
  }
}

/** The current state of the pod in a request. */
function podOf({ view, namespace, name }: AdmissionRequest): Pod {
  const pod = findObject(view, PODS, { namespace, name })
  if (!pod) throw notFound(PODS, name)
  return pod
}

// A node may only create a mirror of a pod that it runs anyway; references to other objects would give the node access to them.
function admitMirrorPod(nodeName: string, { object, view }: AdmissionRequest, refuse: Refuse): void {
  const node = quoteGo(nodeName)
  const { metadata, spec } = object as unknown as Pod
  if (!Object.hasOwn(metadata.annotations ?? {}, MIRROR_POD_ANNOTATION)) {
    throw refuse(
      `pod does not have ${quoteGo(MIRROR_POD_ANNOTATION)} annotation, node ${node} can only create mirror pods`,
    )
  }
  if (spec.nodeName !== nodeName) throw refuse(`node ${node} can only create pods with spec.nodeName set to itself`)
  const [owner, ...others] = metadata.ownerReferences ?? []
  if (others.length > 0) throw refuse(`node ${node} can only create pods with a single owner reference set to itself`)
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== nodeName) {
    throw refuse(`node ${node} can only create pods with an owner reference set to itself`)
  }
  if (!owner.controller)
    throw refuse(`node ${node} can only create pods with a controller owner reference set to itself`)
  if (owner.blockOwnerDeletion) throw refuse(`node ${node} must not set blockOwnerDeletion on an owner reference`)
  const known = findObject(view, NODES, { name: nodeName })
  if (!known) throw notFound(NODES, nodeName)
  if (owner.uid !== known.metadata.uid)
    throw refuse(`node ${nodeName} UID mismatch: expected ${owner.uid} got ${known.metadata.uid}`)
  const referenced = findApiReference({ metadata, spec })
  if (referenced !== undefined) throw refuse(`node ${node} can not create pods that reference ${referenced}`)
}

function admitPodStatus(nodeName: string, { operation, object, old }: AdmissionRequest, refuse: Refuse): void {
  if (operation !== 'UPDATE' || !object || !old) throw refuse(`unexpected operation ${quoteGo(operation)}`)
  if ((old as unknown as Pod).spec.nodeName !== nodeName) {
    throw refuse(`node ${quoteGo(nodeName)} can only update pod status for pods with spec.nodeName set to itself`)
  }
  if (!equalIgnoring(metaOf(old).labels ?? {}, metaOf(object).labels ?? {})) {
    throw refuse(`node ${quoteGo(nodeName)} cannot update labels through pod status`)
  }
}

function admitNode(
  nodeName: string,
  request: AdmissionRequest,
  refuse: Refuse,
  allowedPrefixes: readonly string[],
): void {
  const { operation, object, old, name } = request
  const node = quoteGo(nodeName)
  if (name !== nodeName) throw refuse(`node ${node} is not allowed to modify node ${quoteGo(name)}`)
  if (!object) return
  const labels = metaOf(object).labels ?? {}
  if (operation === 'CREATE' || !old) {
    const wrong = findForbiddenLabels(labels, {}, allowedPrefixes)
    if (wrong.length > 0) throw refuse(`node ${node} is not allowed to set the following labels: ${wrong.join(', ')}`)
    return
  }
  // Taints, owners and labels determine what runs on a node: a node that changed its own could attract workloads.
  const taintsOf = (draft: unknown): object => (draft as Node).spec?.taints ?? []
  if (!equalIgnoring({ taints: taintsOf(object) }, { taints: taintsOf(old) }))
    throw refuse(`node ${node} is not allowed to modify taints`)
  if (!equalIgnoring({ owners: metaOf(object).ownerReferences }, { owners: metaOf(old).ownerReferences })) {
    throw refuse(`node ${node} is not allowed to modify ownerReferences`)
  }
  const wrong = findForbiddenLabels(labels, metaOf(old).labels ?? {}, allowedPrefixes)
  if (wrong.length > 0) throw refuse(`is not allowed to modify labels: ${wrong.join(', ')}`)
}

const CLAIM_FIELDS_OF_NODES = [
  'status.capacity',
  'status.conditions',
  'status.allocatedResources',
  'status.allocatedResourceStatuses',
  'metadata.resourceVersion',
  'metadata.managedFields',
]

function admitClaim(nodeName: string, { operation, subresource, object, old }: AdmissionRequest, refuse: Refuse): void {
  if (subresource !== 'status') throw refuse('may only update PVC status')
  if (operation !== 'UPDATE' || !object || !old) throw refuse(`unexpected operation ${quoteGo(operation)}`)
  if (equalIgnoring(object, old, CLAIM_FIELDS_OF_NODES)) return
  throw refuse(
    `node ${quoteGo(nodeName)} is not allowed to update fields other than status.quantity and status.conditions`,
  )
}

function admitLease(nodeName: string, request: AdmissionRequest, refuse: Refuse): void {
  if (request.namespace !== 'kube-node-lease')
    throw refuse(`can only access leases in the "kube-node-lease" system namespace`)
  if (writtenName(request) !== nodeName)
    throw refuse('can only access node lease with the same name as the requesting node')
}

function admitOwn(kind: string, nodeName: string, request: AdmissionRequest, refuse: Refuse): void {
  if (writtenName(request) !== nodeName)
    throw refuse(`can only access ${kind} with the same name as the requesting node`)
}

const writtenName = ({ operation, object, name }: AdmissionRequest): string | undefined =>
  operation === 'CREATE' && object ? metaOf(object).name : name

// A token is valid as long as the pod it is bound to. So a node only gets tokens of pods that it runs, and cannot keep them.
function admitToken(nodeName: string, request: AdmissionRequest, refuse: Refuse, authorizer: Authorizer): void {
  const { operation, subresource, object, view, namespace, name, user } = request
  if (operation !== 'CREATE' || subresource !== 'token') return
  const { boundObjectRef: bound, audiences } = (object as unknown as TokenRequest).spec
  if (bound?.apiVersion !== 'v1' || bound.kind !== 'Pod' || !bound.name)
    throw refuse('node requested token not bound to a pod')
  if (!bound.uid) throw refuse('node requested token with a pod binding without a uid')
  const pod = findObject(view, PODS, { namespace, name: bound.name })
  if (!pod) throw notFound(PODS, bound.name)
  if (bound.uid !== pod.metadata.uid) {
    const differs = `the UID in the bound object reference (${bound.uid}) does not match the UID in record`
    throw refuse(`${differs}. The object might have been deleted and then recreated`)
  }
  if (pod.spec.nodeName !== nodeName) throw refuse('node requested token bound to a pod scheduled on a different node')

  const [audience = '', ...more] = audiences ?? []
  if (more.length > 0) throw refuse('node may only request 0 or 1 audiences')
  if (usesAudience(view, pod, audience)) return
  const verb = 'request-serviceaccounts-token-audience'
  const asked = {
    user,
    verb,
    isResource: true,
    group: '',
    version: 'v1',
    resource: audience,
    subresource: '',
    namespace,
    name,
  } as const
  if (authorizer.authorize(asked).kind === 'allow') return
  const missing = `audience ${quoteGo(audience)} not found in pod spec volume`
  throw refuse(`${missing}, ${user.name} is not authorized to request tokens for this audience`)
}

/** Whether a volume of the pod, or its driver, requests tokens of this audience. */
function usesAudience(view: StateView, pod: Pod, audience: string): boolean {
  return (pod.spec.volumes ?? []).some((volume) => {
    const sources = volume.projected?.sources ?? []
    if (
      sources.some(
        ({ serviceAccountToken }) => serviceAccountToken && (serviceAccountToken.audience ?? '') === audience,
      )
    )
      return true
    const driver = volume.csi?.driver ?? driverOfClaim(view, pod, claimNameOf(pod, volume))
    const requests =
      driver === undefined ? [] : (findObject(view, CSI_DRIVERS, { name: driver })?.spec.tokenRequests ?? [])
    return requests.some((request) => request.audience === audience)
  })
}

function driverOfClaim(
  view: StateView,
  { metadata: { namespace = '' } }: Pod,
  claimName: string | undefined,
): string | undefined {
  const claim =
    claimName === undefined ? undefined : findObject(view, PERSISTENT_VOLUME_CLAIMS, { namespace, name: claimName })
  const volumeName = claim?.spec.volumeName
  return volumeName ? findObject(view, PERSISTENT_VOLUMES, { name: volumeName })?.spec.csi?.driver : undefined
}
