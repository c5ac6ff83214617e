import { formatReason } from '../../api/reason.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { NoServerError } from './ask-registrar.ts'
import { REASONS } from './reasons.ts'
import type { RegistrationReason } from './reasons.ts'

/** Why a plugin is not registered. */
export type PluginFailure = {
  readonly reason: RegistrationReason
  /** The plugin may still be one that was registered before: it did not answer, or could not be notified. */
  readonly isUnanswered?: true
  /** Another plugin is registered under this driver name. */
  readonly duplicateOf?: string
}

export class PluginRefusal extends Error {
  readonly failure: PluginFailure
  constructor(reason: RegistrationReason, rest: Omit<PluginFailure, 'reason'> = {}) {
    super(formatReason(reason))
    this.failure = { reason, ...rest }
  }
}

/** What an error that a plugin caused means for it. */
export function failureOf(error: unknown): PluginFailure {
  if (error instanceof PluginRefusal) return error.failure
  if (error instanceof NoServerError) return { reason: REASONS.noServer, isUnanswered: true }
  const reason = error instanceof CsiError ? REASONS.noAnswer(error.message) : REASONS.unexpected(messageOf(error))
  return { reason, isUnanswered: true }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
