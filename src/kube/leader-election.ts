import { isAlreadyExists, isConflict, isNotFound } from '../api/api-error.ts'
import type { Api } from '../api/api.ts'
import { LEASES } from '../api/kinds/lease.ts'
import type { Lease } from '../api/kinds/lease.ts'
import { formatMicroTimestamp } from '../api/timestamps.ts'
import { startDeadline } from '../base/abort.ts'
import { sleep } from '../base/clock.ts'
import type { Clock, Timer } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'

export type LeaderElectionOptions = {
  /** On a connection of its own, so that other requests can't hold up renewals. */
  api: Api
  clock: Clock
  random: Random
  log: Logger
  namespace: string
  name: string
  identity: string
  labels?: Readonly<Record<string, string>>
  /** Default 15 s. */
  leaseDurationMs?: number
  /** A leader that could not renew for this long has lost. Default 10 s. */
  renewDeadlineMs?: number
  /** Default 5 s. */
  retryPeriodMs?: number
}

export type LeaderState = { readonly kind: 'following'; readonly holder: string } | { readonly kind: 'leading'; readonly term: number } | { readonly kind: 'stopped' }

/** One of several processes leads at a time. */
export interface LeaderElection {
  state(): LeaderState
  /** May work be started now? False some time before the lease could expire, judged by our own clock alone. */
  isLeading(): boolean
  onChange(listener: (state: LeaderState) => void): () => void
  /** Gives the lease back, so that the next leader need not wait for it to expire. */
  stop(): Promise<void>
}

// Followers ask at different times.
const JITTER = 1.2

/** A name for a lease or a holder as upstream makes it: whatever is not a letter, digit or dash becomes a dash. */
export function leaseName(text: string): string {
  const name = text.replaceAll(/[^A-Za-z0-9-]/g, '-')
  return name.endsWith('-') ? `${name}X` : name
}

/** Starts to try at once. */
export function startLeaderElection(options: LeaderElectionOptions): LeaderElection {
  const { api, clock, random, namespace, identity } = options
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 5_000 } = options
  if (leaseDurationMs <= renewDeadlineMs) throw new Error('the lease duration has to be longer than the renew deadline')
  if (renewDeadlineMs <= JITTER * retryPeriodMs) throw new Error(`the renew deadline has to be longer than ${JITTER} times the retry period`)
  const name = leaseName(options.name)
  const log = options.log.with({ lease: `${namespace}/${name}`, identity })
  const stopping = new AbortController()
  const listeners = new Set<(state: LeaderState) => void>()
  let state: LeaderState = { kind: 'following', holder: '' }
  // The lease as last seen, and when we first saw it so: only our own clock tells when it has expired.
  let seen: { lease: Lease; sinceMs: number } | undefined
  let renewedMs = Number.NEGATIVE_INFINITY
  let expiry: Timer | undefined
  let term = 0

  const move = (next: LeaderState): void => {
    state = next
    for (const listener of [...listeners]) listener(next)
  }
  const notice = (lease: Lease): void => {
    if (seen?.lease.metadata.resourceVersion !== lease.metadata.resourceVersion) seen = { lease, sinceMs: clock.monotonicMs() }
  }
  const isHeldByOther = ({ lease, sinceMs }: { lease: Lease; sinceMs: number }): boolean => {
    const { holderIdentity = '', leaseDurationSeconds = 0 } = lease.spec ?? {}
    return holderIdentity !== '' && holderIdentity !== identity && clock.monotonicMs() < sinceMs + leaseDurationSeconds * 1000
  }

  /** One try to get or keep the lease. */
  const tryLease = async (signal: AbortSignal): Promise<boolean> => {
    const startedMs = clock.monotonicMs()
    const lease = await findLease(signal)
    if (lease) notice(lease)
    if (lease && seen && isHeldByOther(seen)) {
      const holder = lease.spec?.holderIdentity ?? ''
      if (state.kind === 'leading' || (state.kind === 'following' && state.holder !== holder)) follow(holder)
      return false
    }
    const written = await writeLease(lease, signal)
    if (!written) return false
    notice(written)
    // Counted from before the request: the server's clock for the lease can't have begun earlier.
    renewedMs = startedMs
    lead()
    return true
  }
  const findLease = async (signal: AbortSignal): Promise<Lease | undefined> => {
    try {
      return await api.get(LEASES, { namespace, name }, { signal })
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }
  const writeLease = async (lease: Lease | undefined, signal: AbortSignal): Promise<Lease | undefined> => {
    const now = formatMicroTimestamp(clock.nowMs())
    const mine = lease?.spec?.holderIdentity === identity
    const spec = {
      ...lease?.spec,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
      acquireTime: mine ? (lease?.spec?.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: (lease?.spec?.leaseTransitions ?? 0) + (lease && !mine ? 1 : 0),
    }
    const labels = { ...lease?.metadata.labels, ...options.labels }
    const metadata = { ...(lease?.metadata ?? { namespace, name }), ...(Object.keys(labels).length > 0 ? { labels } : {}) }
    const next: Lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec }
    try {
      return lease ? await api.update(LEASES, next, { signal }) : await api.create(LEASES, next, { signal })
    } catch (error) {
      // Somebody was faster.
      if (isConflict(error) || isAlreadyExists(error)) return undefined
      throw error
    }
  }

  const lead = (): void => {
    expiry?.cancel()
    // Fires also while a renewal hangs: being leader never outlives what we know.
    expiry = clock.setTimer(renewedMs + renewDeadlineMs - clock.monotonicMs(), () => {
      log.error('the lease could not be renewed in time: no longer leading')
      follow('')
    })
    if (state.kind === 'leading') return
    log.info('leading')
    move({ kind: 'leading', term: ++term })
  }
  const follow = (holder: string): void => {
    expiry?.cancel()
    if (holder !== '') log.info('following', { holder })
    move({ kind: 'following', holder })
  }

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        using deadline = startDeadline(clock, renewDeadlineMs, () => new Error('the lease request took too long'), stopping.signal)
        await tryLease(deadline.signal)
      } catch (error) {
        if (stopping.signal.aborted) break
        log.warn('lease request failed', { error })
      }
      const waitMs = state.kind === 'leading' ? retryPeriodMs : retryPeriodMs * (1 + JITTER * random.fraction())
      await sleep(clock, waitMs, stopping.signal).catch(() => {})
    }
  }
  const running = run()

  const release = async (): Promise<void> => {
    if (state.kind !== 'leading' || !seen) return
    const spec = { ...seen.lease.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: formatMicroTimestamp(clock.nowMs()) }
    // Whoever changed it meanwhile is the new holder: then there is nothing to give back.
    await api.update(LEASES, { ...seen.lease, spec }).catch((error: unknown) => log.warn('the lease was not given back', { error }))
  }
  const stop = async (): Promise<void> => {
    if (state.kind === 'stopped') return
    stopping.abort(new Error('leader election was stopped'))
    await running
    expiry?.cancel()
    const wasLeading = release()
    move({ kind: 'stopped' })
    await wasLeading
  }
  return {
    state: () => state,
    isLeading: () => state.kind === 'leading' && clock.monotonicMs() < renewedMs + renewDeadlineMs,
    onChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    stop,
  }
}
