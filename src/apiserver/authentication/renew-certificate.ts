import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { KeyPair } from './certificates.ts'

export type RenewalParts = {
  readonly clock: Clock
  readonly log: Logger
  issue(): Promise<KeyPair>
  /** Used by connections from now on. */
  use(pair: KeyPair): void
}

const DAY_MS = 24 * 3600 * 1000
/** Half of the life of a certificate: what fails for months can still be noticed. */
export const RENEW_AFTER_MS = 182 * DAY_MS

/** Replaces the certificate of a running server long before it expires. Looked at once a day, since timers stop while a machine sleeps. */
export function startCertificateRenewal({ clock, log, issue, use }: RenewalParts): { stop(): void } {
  let issuedMs = clock.nowMs()
  const look = (): void => {
    timer = clock.setTimer(DAY_MS, look)
    if (clock.nowMs() - issuedMs >= RENEW_AFTER_MS) void renew()
  }
  const renew = async (): Promise<void> => {
    try {
      use(await issue())
      issuedMs = clock.nowMs()
      log.info('server certificate renewed')
    } catch (error) {
      log.error('server certificate not renewed, trying again tomorrow', { error })
    }
  }
  let timer = clock.setTimer(DAY_MS, look)
  return { stop: () => timer.cancel() }
}
