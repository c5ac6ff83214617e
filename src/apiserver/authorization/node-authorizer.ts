import { parseFieldSelector } from '../../api/field-selector.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { quoteGo } from '../../api/quote-go.ts'
import type { Authorizer, RequestAttributes } from '../core/request.ts'
import type { Change, StateView } from '../core/stored-object.ts'
import type { RuleResolver } from './authorizer-chain.ts'
import { NODE_RULES } from './bootstrap-roles.ts'
import { allow, noOpinion } from './decision.ts'
import type { Opinion } from './decision.ts'
import { createNodeGraph } from './node-graph.ts'
import type { RelatedKind } from './node-graph.ts'
import { findNodeName } from './node-identity.ts'
import { rulesAllow } from './policy-rule.ts'
import { findObject } from './typed-view.ts'

/** Allows a node to read what its pods need, and nothing else. It never denies: a role may still allow the request. */
export interface NodeAuthorizer extends Authorizer, RuleResolver {
  /** Must be called for every change that becomes visible, in order. */
  onChange(change: Change): void
}

type ResourceAttributes = Extract<RequestAttributes, { isResource: true }>

const LEASE_NAMESPACE = 'kube-node-lease'
const OWN_VERBS = ['get', 'create', 'update', 'patch', 'delete']
const READ_VERBS = ['get', 'list', 'watch']

export function createNodeAuthorizer(view: StateView): NodeAuthorizer {
  const graph = createNodeGraph(view)

  const related = (nodeName: string, kind: RelatedKind, { namespace, name }: ResourceAttributes): Opinion => {
    if (name === '') return noOpinion('No Object name found')
    return graph.isRelated(nodeName, kind, namespace, name) ? allow() : unrelated(nodeName)
  }
  const get = (attributes: ResourceAttributes, isMine: () => Opinion): Opinion => {
    if (attributes.verb !== 'get') return noOpinion('can only get individual resources of this type')
    if (attributes.subresource !== '') return noOpinion('cannot get subresource')
    if (attributes.name === '') return noOpinion('No Object name found')
    return isMine()
  }
  // A list or watch is allowed if it selects one object: that is how an agent follows a secret.
  const readNamed = (nodeName: string, kind: RelatedKind, attributes: ResourceAttributes): Opinion => {
    if (!READ_VERBS.includes(attributes.verb)) return noOpinion('can only read resources of this type')
    if (attributes.subresource !== '') return noOpinion('cannot read subresource')
    if (attributes.namespace === '') return noOpinion('can only read namespaced object of this type')
    return related(nodeName, kind, attributes)
  }
  const claim = (nodeName: string, attributes: ResourceAttributes): Opinion => {
    if (attributes.subresource !== 'status') return get(attributes, () => related(nodeName, 'claim', attributes))
    if (attributes.verb !== 'update' && attributes.verb !== 'patch')
      return noOpinion('can only get/update/patch this type')
    return related(nodeName, 'claim', attributes)
  }
  const serviceAccount = (nodeName: string, attributes: ResourceAttributes): Opinion => {
    const { verb, subresource, name } = attributes
    if (verb === 'get' && subresource === '') return readNamed(nodeName, 'serviceAccount', attributes)
    if (verb !== 'create' || name === '') return noOpinion('can only create tokens for individual service accounts')
    if (subresource !== 'token') return noOpinion('can only create token subresource of serviceaccount')
    return related(nodeName, 'serviceAccount', attributes)
  }
  const pod = (nodeName: string, attributes: ResourceAttributes): Opinion => {
    const { verb, subresource, namespace, name } = attributes
    const isMine = (): Opinion =>
      findObject(view, PODS, { namespace, name })?.spec.nodeName === nodeName ? allow() : unrelated(nodeName)
    if (subresource === 'status') return verb === 'update' || verb === 'patch' ? allow() : noOpinion()
    if (subresource === 'eviction') return verb === 'create' ? allow() : noOpinion()
    if (subresource !== '') return noOpinion()
    switch (verb) {
      case 'get':
        return get(attributes, isMine)
      case 'list':
      case 'watch':
        if (selectsNode(attributes.fieldSelector, nodeName)) return allow()
        return name === '' ? noOpinion('can only list/watch pods with spec.nodeName field selector') : isMine()
      // Mirror pods; admission checks which.
      case 'create':
      case 'delete':
        return allow()
      default:
        return noOpinion()
    }
  }
  const attachment = (nodeName: string, attributes: ResourceAttributes): Opinion =>
    get(attributes, () =>
      findObject(view, VOLUME_ATTACHMENTS, attributes)?.spec.nodeName === nodeName ? allow() : unrelated(nodeName),
    )

  const authorizeResource = (nodeName: string, attributes: ResourceAttributes): Opinion => {
    const { group, resource } = attributes
    switch (group === '' ? resource : `${resource}.${group}`) {
      case 'secrets':
        return readNamed(nodeName, 'secret', attributes)
      case 'configmaps':
        return readNamed(nodeName, 'configMap', attributes)
      case 'persistentvolumeclaims':
        return claim(nodeName, attributes)
      case 'persistentvolumes':
        return get(attributes, () => related(nodeName, 'volume', { ...attributes, namespace: '' }))
      case 'volumeattachments.storage.k8s.io':
        return attachment(nodeName, attributes)
      case 'serviceaccounts':
        return serviceAccount(nodeName, attributes)
      case 'leases.coordination.k8s.io':
        return ownLease(nodeName, attributes)
      case 'csinodes.storage.k8s.io':
        return ownObject('CSINode', nodeName, attributes)
      case 'csinodeinfos.csi.storage.k8s.io':
        return ownObject('CSINodeInfo', nodeName, attributes)
      case 'nodes':
        return ownNode(nodeName, attributes)
      case 'pods':
        return pod(nodeName, attributes)
      default:
        return rulesAllow(NODE_RULES, attributes) ? allow() : noOpinion()
    }
  }

  const authorize = (attributes: RequestAttributes): Opinion => {
    const nodeName = findNodeName(attributes.user)
    if (nodeName === undefined) return noOpinion()
    if (nodeName === '') return noOpinion(`unknown node for user ${quoteGo(attributes.user.name)}`)
    return attributes.isResource ? authorizeResource(nodeName, attributes) : noOpinion()
  }
  const rulesFor: RuleResolver['rulesFor'] = (user) =>
    findNodeName(user) === undefined
      ? { rules: [], incomplete: false }
      : { rules: [], incomplete: true, error: 'node authorizer does not support user rule resolution' }

  return { authorize, rulesFor, onChange: (change) => graph.onChange(change) }
}

const unrelated = (nodeName: string): Opinion =>
  noOpinion(`no relationship found between node '${nodeName}' and this object`)

// The name of a new object is in the body, which only admission sees, so a creation is allowed here.
function ownObject(kind: string, nodeName: string, { verb, subresource, name }: ResourceAttributes): Opinion {
  if (!OWN_VERBS.includes(verb)) return noOpinion(`can only get, create, update, patch, or delete a ${kind}`)
  if (subresource !== '') return noOpinion(`cannot authorize ${kind} subresources`)
  if (verb !== 'create' && name !== nodeName)
    return noOpinion(`can only access ${kind} with the same name as the requesting node`)
  return allow()
}

function ownLease(nodeName: string, { verb, namespace, name }: ResourceAttributes): Opinion {
  if (!OWN_VERBS.includes(verb)) return noOpinion('can only get, create, update, patch, or delete a node lease')
  if (namespace !== LEASE_NAMESPACE)
    return noOpinion(`can only access leases in the ${quoteGo(LEASE_NAMESPACE)} system namespace`)
  if (verb !== 'create' && name !== nodeName)
    return noOpinion('can only access node lease with the same name as the requesting node')
  return allow()
}

function ownNode(nodeName: string, { verb, subresource, name }: ResourceAttributes): Opinion {
  if (subresource === 'status') return verb === 'update' || verb === 'patch' ? allow() : noOpinion()
  if (subresource !== '') return noOpinion()
  // Admission checks which node is written: for a creation, only the body has its name.
  if (verb === 'create' || verb === 'update' || verb === 'patch') return allow()
  if (!READ_VERBS.includes(verb)) return noOpinion()
  if (name === nodeName) return allow()
  return noOpinion(
    `node '${nodeName}' cannot read ${name === '' ? 'all nodes' : `'${name}'`}, only its own Node object`,
  )
}

function selectsNode(fieldSelector: string | undefined, nodeName: string): boolean {
  try {
    return parseFieldSelector(fieldSelector ?? '').some(
      ({ field, operator, value }) => field === 'spec.nodeName' && operator === '=' && value === nodeName,
    )
  } catch {
    // Rejected later, when it is decoded; here it selects nothing.
    return false
  }
}
