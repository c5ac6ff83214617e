import type { UserInfo } from '../../api/kinds/authentication.ts'
import { formatMicroTimestamp } from '../../api/timestamps.ts'
import { userInfoOf } from '../authentication/identity-reviews.ts'
import { reasonOf } from '../authorization/decision.ts'
import type { AuthorizationDecision, RequestAttributes } from '../core/request.ts'
import type { User } from '../core/user.ts'

export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic'

/** One line of an audit log, in the format of `audit.k8s.io/v1`. */
export type AuditEvent = {
  readonly kind: 'Event'
  readonly apiVersion: 'audit.k8s.io/v1'
  readonly level: 'Metadata'
  readonly auditID: string
  readonly stage: AuditStage
  readonly requestURI: string
  readonly verb: string
  readonly user: UserInfo
  readonly impersonatedUser?: UserInfo
  readonly sourceIPs?: readonly string[]
  readonly userAgent?: string
  readonly objectRef?: AuditObjectRef
  readonly responseStatus?: AuditStatus
  readonly requestReceivedTimestamp: string
  readonly stageTimestamp: string
  readonly annotations?: Readonly<Record<string, string>>
}

export type AuditObjectRef = {
  readonly resource?: string
  readonly namespace?: string
  readonly name?: string
  readonly uid?: string
  readonly apiGroup?: string
  readonly apiVersion?: string
  readonly resourceVersion?: string
  readonly subresource?: string
}

export type AuditStatus = {
  readonly metadata: object
  readonly status?: 'Failure'
  readonly message?: string
  readonly reason?: string
  readonly code: number
}

/** What is known about a request at one stage. */
export type AuditedRequest = {
  /** The same for all stages of a request. */
  readonly auditId: string
  readonly stage: AuditStage
  readonly requestUri: string
  readonly attributes: RequestAttributes
  /** The real user, if `attributes.user` is impersonated. */
  readonly impersonator?: User
  readonly sourceIps: readonly string[]
  readonly userAgent?: string
  /** From the object in the request's body. */
  readonly object?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly response?: { readonly code: number; readonly reason?: string; readonly message?: string }
  readonly decision?: AuthorizationDecision
  readonly receivedMs: number
  readonly nowMs: number
  /** From admission and authentication. */
  readonly annotations?: Readonly<Record<string, string>>
}

const LONGEST_USER_AGENT = 1024

/** The event of one stage, at level Metadata: no bodies, so no secrets. */
export function buildAuditEvent(request: AuditedRequest): AuditEvent {
  const {
    auditId,
    stage,
    requestUri,
    attributes,
    impersonator,
    sourceIps,
    userAgent = '',
    response,
    decision,
    receivedMs,
    nowMs,
  } = request
  const annotations = { ...(decision ? decisionAnnotations(decision) : {}), ...request.annotations }
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: auditId,
    stage,
    requestURI: requestUri,
    verb: attributes.verb,
    user: userInfoOf(impersonator ?? attributes.user),
    ...(impersonator ? { impersonatedUser: userInfoOf(attributes.user) } : {}),
    ...(sourceIps.length === 0 ? {} : { sourceIPs: sourceIps }),
    ...(userAgent === '' ? {} : { userAgent: userAgent.slice(0, LONGEST_USER_AGENT) }),
    ...(attributes.isResource ? { objectRef: objectRefOf(attributes, request.object ?? {}) } : {}),
    ...(response ? { responseStatus: statusOf(response) } : {}),
    requestReceivedTimestamp: formatMicroTimestamp(receivedMs),
    stageTimestamp: formatMicroTimestamp(nowMs),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  }
}

function decisionAnnotations(decision: AuthorizationDecision): Record<string, string> {
  return {
    'authorization.k8s.io/decision': decision.kind === 'allow' ? 'allow' : 'forbid',
    'authorization.k8s.io/reason': reasonOf(decision),
  }
}

type ResourceAttributes = Extract<RequestAttributes, { isResource: true }>

function objectRefOf(
  attributes: ResourceAttributes,
  { uid, resourceVersion }: NonNullable<AuditedRequest['object']>,
): AuditObjectRef {
  const { resource, namespace, name, group: apiGroup, version: apiVersion, subresource } = attributes
  const all = { resource, namespace, name, uid, apiGroup, apiVersion, resourceVersion, subresource }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== ''))
}

function statusOf({ code, reason, message }: NonNullable<AuditedRequest['response']>): AuditStatus {
  if (code < 400) return { metadata: {}, code }
  return {
    metadata: {},
    status: 'Failure',
    ...(message === undefined ? {} : { message }),
    ...(reason === undefined ? {} : { reason }),
    code,
  }
}
