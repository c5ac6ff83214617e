import { formatExactJson } from '../../api/exact-json.ts'
import { createUuid } from '../../base/random.ts'
import type { Random } from '../../base/random.ts'
import type { Clock } from '../../base/clock.ts'
import type { EndedRequest, RequestObserver } from '../core/core.ts'
import type { RequestAttributes } from '../core/request.ts'
import { buildAuditEvent } from './audit-event.ts'

/** Writes one line for each request that has ended, and for each watch that has started. */
export function createAuditObserver({
  clock,
  random,
  writeLine,
}: {
  clock: Clock
  random: Random
  writeLine(line: string): void
}): RequestObserver {
  return (ended) => {
    const { source, request, decision, code, error, startedMs } = ended
    const event = buildAuditEvent({
      ...source,
      auditId: source.auditId ?? createUuid(random),
      stage: request?.verb === 'watch' && !error ? 'ResponseStarted' : 'ResponseComplete',
      attributes: withName(ended),
      response: error ? { code, reason: error.reason, message: error.message } : { code },
      ...(decision ? { decision } : {}),
      receivedMs: startedMs,
      nowMs: clock.nowMs(),
    })
    writeLine(`${formatExactJson(event)}\n`)
  }
}

// The name of a new object is in the body.
function withName({ attributes, request }: EndedRequest): RequestAttributes {
  if (!attributes.isResource || attributes.name !== '' || request?.verb !== 'create') return attributes
  const { name } = (request.body as { metadata?: { name?: unknown } | null } | null | undefined)?.metadata ?? {}
  return typeof name === 'string' ? { ...attributes, name } : attributes
}
