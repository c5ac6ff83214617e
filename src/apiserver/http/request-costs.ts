import type { Clock } from '../../base/clock.ts'
import { PRIVILEGED_GROUP } from '../authorization/authorizer-chain.ts'
import type { User } from '../core/user.ts'
import { createByteBudget } from './byte-budget.ts'
import type { Holding } from './byte-budget.ts'
import type { BodyLimits } from './collect-body.ts'
import type { Exchange } from './exchange.ts'
import { createIdleTimeouts } from './idle-timeouts.ts'
import type { IdleTimeouts } from './idle-timeouts.ts'
import { REQUEST_BYTES } from './limits.ts'
import type { RequestLimits } from './limits.ts'
import type { RequestInfo } from './parse-request-info.ts'

/** Limits the cost of requests: how much memory they use, and how long they use it without progress. */
export interface RequestCosts {
  /** Starts counting the memory of a request of this user. */
  open(user: User): Holding
  /** For the body of a request, whose bytes count. */
  bodyLimits(holding: Holding): BodyLimits
  /** Disconnects clients that read nothing of their response for too long. */
  readonly unreadAnswers: IdleTimeouts<Exchange>
  /** The whole response was written, and now has to be read. */
  awaitReader(exchange: Exchange): void
  stop(): void
}

export function createRequestCosts(clock: Clock, limits: RequestLimits): RequestCosts {
  const budget = createByteBudget(limits)
  const stalledBodies = createIdleTimeouts<() => void>(clock, limits.stalledBodyMs, (onStalled) => onStalled())
  const unreadAnswers = createIdleTimeouts<Exchange>(clock, limits.unreadAnswerMs, (exchange) => exchange.abort())
  return {
    // Administrators are exempt, as in Kubernetes: they cannot be locked out.
    open: ({ name, groups }) => budget.open(name, { isExempt: groups.includes(PRIVILEGED_GROUP) }),
    bodyLimits: ({ take }) => ({
      limitBytes: limits.bodyBytes,
      hold: take,
      stalled: stalledBodies,
      stalledBodyMs: limits.stalledBodyMs,
    }),
    unreadAnswers,
    awaitReader: (exchange) => {
      unreadAnswers.touch(exchange)
      exchange.onClose(() => unreadAnswers.remove(exchange))
    },
    stop: () => {
      stalledBodies.stop()
      unreadAnswers.stop()
    },
  }
}

const HEALTH_PATH = /^\/(?:healthz|livez|readyz)(?:\/|$)/

/** Counts the request itself. False if its user, or all together, already use too much. */
export function admitRequest(holding: Holding, info: RequestInfo): boolean {
  // A watch stores nothing that its client does not read; health checks are answered however busy the server is.
  const isFree = info.isResource ? info.verb === 'watch' : HEALTH_PATH.test(info.path)
  return isFree || holding.take(REQUEST_BYTES)
}
