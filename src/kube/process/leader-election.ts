import { isAlreadyExists, isConflict, isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { LEASES } from '../../api/kinds/lease.ts'
import type { Lease } from '../../api/kinds/lease.ts'
import { leaseName } from '../../api/lease-name.ts'
import { formatMicroTimestamp } from '../../api/timestamps.ts'
import { abandonOnAbort, startDeadline } from '../../base/abort.ts'
import { sleep } from '../../base/clock.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'

export type LeaderElectionOptions = {
  /** On a separate connection, so that other requests cannot delay renewals. */
  api: Api
  clock: Clock
  random: Random
  log: Logger
  namespace: string
  /** Converted to names as upstream does: see `leaseName`. Two processes with the same identity both lead. */
  name: string
  identity: string
  labels?: Readonly<Record<string, string>>
  /** Default 15 s. */
  leaseDurationMs?: number
  /** A leader that could not renew for this long has lost the lease. Default 10 s. */
  renewDeadlineMs?: number
  /** Default 5 s. */
  retryPeriodMs?: number
}

export type LeaderState =
  | { readonly kind: 'following'; readonly holder: string }
  | { readonly kind: 'leading'; readonly term: number }
  | { readonly kind: 'stopped' }

/** One of several processes leads at a time. */
export interface LeaderElection {
  state(): LeaderState
  /** Whether work may be started now. False some time before the lease could expire, measured only with our own clock. */
  isLeading(): boolean
  /** When the lease was last acquired or renewed, by the monotonic clock; undefined if we do not lead. */
  renewedMs(): number | undefined
  onChange(listener: (state: LeaderState) => void): () => void
  /** Releases the lease, so that the next leader need not wait until it expires. The work must have ended before. */
  stop(): Promise<void>
}

// Makes followers ask at different times.
const JITTER = 1.2
// After a failed renewal, a leader does not wait for the whole period: the deadline may come before a second attempt.
const FAILED_RENEWALS_PER_PERIOD = 5

/** Starts to campaign immediately. */
export function startLeaderElection(options: LeaderElectionOptions): LeaderElection {
  const { api, clock, random, namespace } = options
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 5_000 } = options
  if (leaseDurationMs <= renewDeadlineMs) throw new Error('the lease duration has to be longer than the renew deadline')
  if (renewDeadlineMs <= JITTER * retryPeriodMs)
    throw new Error(`the renew deadline has to be longer than ${JITTER} times the retry period`)
  const name = leaseName(options.name)
  const identity = leaseName(options.identity)
  const log = options.log.with({ lease: `${namespace}/${name}`, identity })
  const stopping = new AbortController()
  const listeners = new Set<(state: LeaderState) => void>()
  let state: LeaderState = { kind: 'following', holder: '' }
  // The lease as last seen, and when we first saw it in this state: only our own clock decides when it has expired.
  let seen: { lease: Lease; sinceMs: number } | undefined
  let renewedMs = Number.NEGATIVE_INFINITY
  let expiry: Timer | undefined
  let term = 0
  let isTrying = false

  const move = (next: LeaderState): void => {
    state = next
    for (const listener of [...listeners]) {
      try {
        listener(next)
      } catch (error) {
        log.error('a listener failed', { error })
      }
    }
  }
  const notice = (lease: Lease): void => {
    if (seen?.lease.metadata.resourceVersion !== lease.metadata.resourceVersion)
      seen = { lease, sinceMs: clock.monotonicMs() }
  }
  const isHeldByOther = ({ lease, sinceMs }: { lease: Lease; sinceMs: number }): boolean => {
    const { holderIdentity = '', leaseDurationSeconds = leaseDurationMs / 1000 } = lease.spec ?? {}
    return (
      holderIdentity !== '' &&
      holderIdentity !== identity &&
      clock.monotonicMs() < sinceMs + leaseDurationSeconds * 1000
    )
  }

  /** One attempt to acquire or renew the lease. True: we hold it. */
  const tryLease = async (signal: AbortSignal): Promise<boolean> => {
    // Measured from before the first request: others cannot have started to measure earlier.
    const startedMs = clock.monotonicMs()
    const renewed = state.kind === 'leading' && seen ? await writeLease(seen.lease, signal) : undefined
    if (renewed) return hold(renewed, startedMs)
    const lease = await findLease(signal)
    if (lease) notice(lease)
    if (lease && seen && isHeldByOther(seen)) {
      const holder = lease.spec?.holderIdentity ?? ''
      if (state.kind === 'leading' || (state.kind === 'following' && state.holder !== holder)) follow(holder)
      return false
    }
    const written = await writeLease(lease, signal)
    return written !== undefined && hold(written, startedMs)
  }
  const hold = (lease: Lease, startedMs: number): boolean => {
    if (stopping.signal.aborted) return false
    notice(lease)
    renewedMs = startedMs
    lead()
    return true
  }
  const findLease = async (signal: AbortSignal): Promise<Lease | undefined> => {
    try {
      const lease = await api.get(LEASES, { namespace, name }, { signal })
      // A late response must not change anything.
      signal.throwIfAborted()
      return lease
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
    const metadata = {
      ...(lease?.metadata ?? { namespace, name }),
      ...(Object.keys(labels).length > 0 ? { labels } : {}),
    }
    const next: Lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec }
    try {
      const written = lease ? await api.update(LEASES, next, { signal }) : await api.create(LEASES, next, { signal })
      signal.throwIfAborted()
      return written
    } catch (error) {
      // Another process was faster, or the lease was deleted.
      if (isConflict(error) || isAlreadyExists(error) || isNotFound(error)) return undefined
      throw error
    }
  }

  const lead = (): void => {
    expiry?.cancel()
    // Fires even while a renewal hangs: we never lead longer than we know to be safe.
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

  // An API that ignores the signal must not block anything.
  const withinDeadline = async <T>(act: (signal: AbortSignal) => Promise<T>, parent?: AbortSignal): Promise<T> => {
    using deadline = startDeadline(
      clock,
      renewDeadlineMs / 2,
      () => new Error('the lease request took too long'),
      parent,
    )
    return await abandonOnAbort(act(deadline.signal), deadline.signal)
  }
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      let holds = false
      isTrying = true
      try {
        holds = await withinDeadline(tryLease, stopping.signal)
      } catch (error) {
        if (stopping.signal.aborted) break
        log.warn('lease request failed', { error })
      }
      isTrying = false
      const waitMs =
        state.kind === 'leading'
          ? retryPeriodMs / (holds ? 1 : FAILED_RENEWALS_PER_PERIOD)
          : retryPeriodMs * (1 + JITTER * random.fraction())
      await sleep(clock, waitMs, stopping.signal).catch(() => {})
    }
  }
  const running = run()

  const release = async (signal: AbortSignal): Promise<void> => {
    const lease = await findLease(signal)
    if (lease?.spec?.holderIdentity !== identity) return
    const spec = {
      ...lease.spec,
      holderIdentity: '',
      leaseDurationSeconds: 1,
      renewTime: formatMicroTimestamp(clock.nowMs()),
    }
    await api.update(LEASES, { ...lease, spec }, { signal })
  }
  const stopOnce = async (): Promise<void> => {
    stopping.abort(new Error('leader election was stopped'))
    await running
    expiry?.cancel()
    // A request in flight when we stopped may have acquired it.
    const mayHold = state.kind === 'leading' || isTrying
    // Must be first: as soon as the lease is released, another process may lead.
    move({ kind: 'stopped' })
    if (mayHold)
      await withinDeadline(release).catch((error: unknown) => log.warn('the lease was not given back', { error }))
  }
  let stopped: Promise<void> | undefined
  return {
    state: () => state,
    isLeading: () => state.kind === 'leading' && clock.monotonicMs() < renewedMs + renewDeadlineMs,
    renewedMs: () => (state.kind === 'leading' ? renewedMs : undefined),
    onChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    stop: () => (stopped ??= stopOnce()),
  }
}
