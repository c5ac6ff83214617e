import type { Logger } from '../../base/logger.ts'
import { TEXT_TYPE } from './answer.ts'
import type { Answer } from './answer.ts'

/** One health check. */
export type HealthCheck = {
  readonly name: string
  /** Used by `readyz` only: a temporary problem must not cause a restart of the process. Default false. */
  readonly onlyReady?: boolean
  /** The problem; undefined if there is none. It is logged, not sent to the client. */
  findProblem(): string | undefined
}

const PING: HealthCheck = { name: 'ping', findProblem: () => undefined }
const PROBES = new Set(['healthz', 'livez', 'readyz'])

/** Answers `/healthz`, `/livez`, `/readyz` and `/livez/NAME`; undefined for any other path. */
export function answerHealth(
  segments: readonly string[],
  query: URLSearchParams,
  { checks, log }: { checks: readonly HealthCheck[]; log: Logger },
): Answer | undefined {
  const [probe = '', name, ...more] = segments
  if (!PROBES.has(probe) || more.length > 0) return undefined
  const all = [PING, ...checks].filter(({ onlyReady }) => probe === 'readyz' || !onlyReady)
  if (name !== undefined) {
    const check = all.find((candidate) => candidate.name === name)
    return check && report(probe, [check], query, log)
  }
  const excluded = new Set(query.getAll('exclude'))
  return report(
    probe,
    all.filter((check) => !excluded.has(check.name)),
    query,
    log,
  )
}

function report(probe: string, checks: readonly HealthCheck[], query: URLSearchParams, log: Logger): Answer {
  let failed = false
  const lines = checks.map((check) => {
    const problem = findProblem(check)
    if (problem === undefined) return `[+]${check.name} ok`
    failed = true
    log.warn('health check failed', { probe, check: check.name, problem })
    return `[-]${check.name} failed: reason withheld`
  })
  const headers = { 'x-content-type-options': 'nosniff' }
  if (failed)
    return { status: 500, contentType: TEXT_TYPE, headers, body: `${lines.join('\n')}\n${probe} check failed\n` }
  if (!query.has('verbose')) return { status: 200, contentType: TEXT_TYPE, headers, body: 'ok' }
  return { status: 200, contentType: TEXT_TYPE, headers, body: `${lines.join('\n')}\n${probe} check passed\n` }
}

function findProblem(check: HealthCheck): string | undefined {
  try {
    return check.findProblem()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
