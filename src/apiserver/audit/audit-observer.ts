import { createUuid } from '../../base/random.ts'
import type { Random } from '../../base/random.ts'
import type { Clock } from '../../base/clock.ts'
import type { RequestObserver } from '../core/core.ts'
import type { RequestAttributes } from '../core/request.ts'
import type { ResourceRequest, ResourceResponse } from '../core/resource-request.ts'
import { buildAuditEvent } from './audit-event.ts'

/** Writes one line for each request that ended, and for each watch that began. */
export function createAuditObserver({ clock, random, writeLine }: { clock: Clock; random: Random; writeLine(line: string): void }): RequestObserver {
  return ({ request, attributes, decision, response, error, startedMs }) => {
    const { impersonator } = request.source
    const event = buildAuditEvent({
      auditId: request.source.auditId ?? createUuid(random),
      stage: response?.kind === 'watch' ? 'ResponseStarted' : 'ResponseComplete',
      requestUri: request.source.requestUri,
      attributes: withName(attributes, request),
      ...(impersonator ? { impersonator } : {}),
      sourceIps: request.source.sourceIps,
      userAgent: request.source.userAgent,
      response: error ? { code: error.code, reason: error.reason, message: error.message } : { code: codeOf(response) },
      decision,
      receivedMs: startedMs,
      nowMs: clock.nowMs(),
    })
    writeLine(`${JSON.stringify(event)}\n`)
  }
}

// Whoever creates something names it in the body.
function withName(attributes: RequestAttributes, request: ResourceRequest): RequestAttributes {
  if (!attributes.isResource || attributes.name !== '' || request.verb !== 'create') return attributes
  const { name } = (request.body as { metadata?: { name?: unknown } | null } | null | undefined)?.metadata ?? {}
  return typeof name === 'string' ? { ...attributes, name } : attributes
}

const codeOf = (response: ResourceResponse | undefined): number => (response && 'code' in response ? response.code : 200)
