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

/** Keeps what requests cost within limits: how much memory they hold, and how long they hold it without any progress. */
export interface RequestCosts {
  /** Begins to count what a request of this user holds. */
  open(user: User): Holding
  /** For the body of a request: what is read of it is held. */
  bodyLimits(holding: Holding): BodyLimits
  /** Answers that are cut off when nothing was read of them for too long. */
  readonly unreadAnswers: IdleTimeouts<Exchange>
  /** The whole answer was handed over: now it has to be read. */
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

/** Counts the request itself. False where its user, or all together, hold too much already. */
export function admitRequest(holding: Holding, info: RequestInfo): boolean {
  // A watch keeps nothing that its client does not read; whether the server is well is answered however busy it is.
  const isFree = info.isResource ? info.verb === 'watch' : HEALTH_PATH.test(info.path)
  return isFree || holding.take(REQUEST_BYTES)
}
