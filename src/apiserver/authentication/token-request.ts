import type { BoundObjectReference, TokenRequest } from '../../api/kinds/authentication.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { SECRETS } from '../../api/kinds/secret.ts'
import { SERVICE_ACCOUNTS } from '../../api/kinds/service-account.ts'
import type { KubeObject } from '../../api/object.ts'
import { quoteGo } from '../../api/quote-go.ts'
import { parseApiVersion } from '../../api/resource-type.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { formatTimestamp } from '../../api/timestamps.ts'
import type { Clock } from '../../base/clock.ts'
import { createUuid } from '../../base/random.ts'
import type { Random } from '../../base/random.ts'
import { findObject } from '../authorization/typed-view.ts'
import type { FieldProblem } from '../core/kind-definition.ts'
import { badRequest, conflict, invalid, notFound } from '../core/refusals.ts'
import type { StateView } from '../core/stored-object.ts'
import type { BoundObject, NamedRef, TokenIssuer } from './service-account-tokens.ts'

export type TokenRequestParts = {
  readonly view: StateView
  readonly issuer: TokenIssuer
  readonly clock: Clock
  readonly random: Random
}

/** Answers a POST to an account's `token`, after admission. */
export type TokenRequestHandler = (namespace: string, accountName: string, body: TokenRequest) => TokenRequest

// Messages use its kind, because it has no resource of its own.
const TOKEN_REQUESTS: ResourceType = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenRequest',
  plural: 'TokenRequest',
  namespaced: true,
}
const DEFAULT_SECONDS = 3600
const SHORTEST_SECONDS = 600
const LONGEST_SECONDS = 2 ** 32

export function createTokenRequest({ view, issuer, clock, random }: TokenRequestParts): TokenRequestHandler {
  return (namespace, accountName, body) => {
    refuseProblems(accountName, identityProblems(body, namespace, accountName))
    const account = findObject(view, SERVICE_ACCOUNTS, { namespace, name: accountName })
    if (!account) throw notFound(SERVICE_ACCOUNTS, accountName)
    const uid = account.metadata.uid ?? ''
    if (body.metadata.uid && body.metadata.uid !== uid) {
      const why = `the UID in the token request (${body.metadata.uid}) does not match the UID of the service account (${uid})`
      throw conflict(TOKEN_REQUESTS, accountName, why)
    }
    const { boundObjectRef, expirationSeconds: asked } = body.spec
    const expirationSeconds = asked ?? DEFAULT_SECONDS
    refuseProblems('', expirationProblems(expirationSeconds))
    const boundObject = boundObjectRef ? findBoundObject(view, namespace, accountName, boundObjectRef) : undefined
    const audiences = body.spec.audiences?.length ? body.spec.audiences : issuer.apiAudiences

    const nowMs = clock.nowMs()
    const order = {
      account: { namespace, name: accountName, uid },
      audiences,
      expirationSeconds,
      nowMs,
      jti: createUuid(random),
    }
    const { token, expiresAtMs } = issuer.issueToken(boundObject ? { ...order, boundObject } : order)
    return {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { ...body.metadata, name: accountName, namespace, uid, creationTimestamp: formatTimestamp(nowMs) },
      spec: { ...body.spec, audiences, expirationSeconds },
      status: { token, expirationTimestamp: formatTimestamp(expiresAtMs) },
    }
  }
}

function refuseProblems(name: string, problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalid(TOKEN_REQUESTS, name, problems)
}

function identityProblems({ metadata }: TokenRequest, namespace: string, accountName: string): FieldProblem[] {
  const differs = (field: 'name' | 'namespace', expected: string): FieldProblem[] => {
    const value = metadata[field]
    const detail = `must match the service account ${field} if specified`
    return value && value !== expected ? [{ field: `metadata.${field}`, type: 'FieldValueInvalid', value, detail }] : []
  }
  return [...differs('name', accountName), ...differs('namespace', namespace)]
}

function expirationProblems(value: number): FieldProblem[] {
  const problem = (detail: string): FieldProblem[] => [
    { field: 'spec.expirationSeconds', type: 'FieldValueInvalid', value, detail },
  ]
  if (value < SHORTEST_SECONDS) return problem('may not specify a duration less than 10 minutes')
  return value > LONGEST_SECONDS ? problem('may not specify a duration larger than 2^32 seconds') : []
}

function findBoundObject(
  view: StateView,
  namespace: string,
  accountName: string,
  reference: BoundObjectReference,
): BoundObject {
  const { apiVersion = '', kind = '', name = '' } = reference
  const { group, version } = parseApiVersion(apiVersion)
  const read = <T extends KubeObject>(type: ResourceType<T>): T => {
    const found = findObject(view, type, { namespace, name })
    if (!found) throw notFound(type, name)
    return found
  }
  switch (group === '' ? kind : '') {
    case 'Pod': {
      const pod = read(PODS)
      if (pod.spec.serviceAccountName !== accountName) {
        throw badRequest(
          `cannot bind token for serviceaccount ${quoteGo(accountName)} to pod running with different serviceaccount name.`,
        )
      }
      const node = pod.spec.nodeName ? nodeRef(view, pod.spec.nodeName) : undefined
      return { kind: 'Pod', pod: checkedRef(pod, reference), ...(node ? { node } : {}) }
    }
    case 'Secret':
      return { kind: 'Secret', secret: checkedRef(read(SECRETS), reference) }
    case 'Node':
      return { kind: 'Node', node: checkedRef(read(NODES), reference) }
    default:
      throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`)
  }
}

function checkedRef({ kind, metadata }: KubeObject, { name = '', uid }: BoundObjectReference): NamedRef {
  if (uid && uid !== metadata.uid) {
    const differs = `the UID in the bound object reference (${uid}) does not match the UID in record`
    const why = `${differs}. The object might have been deleted and then recreated`
    throw conflict({ group: '', version: 'v1', kind, plural: kind, namespaced: true }, name, why)
  }
  return { name, ...(metadata.uid === undefined ? {} : { uid: metadata.uid }) }
}

// If the node does not exist (any more), only its name is set.
function nodeRef(view: StateView, name: string): NamedRef {
  const uid = findObject(view, NODES, { name })?.metadata.uid
  return { name, ...(uid === undefined ? {} : { uid }) }
}
