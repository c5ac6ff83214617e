import { formatReason } from '../../api/reason.ts'
import type { Reason } from '../../api/reason.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { NoServerError } from './ask-registrar.ts'
import { REASONS } from './reasons.ts'

/** What is wrong with a plugin, as far as it can be told. */
export class PluginRefusal extends Error {
  readonly reason: Reason
  constructor(reason: Reason) {
    super(formatReason(reason))
    this.reason = reason
  }
}

/** The reason in anything that went wrong with a plugin. */
export function reasonOf(error: unknown): Reason {
  if (error instanceof PluginRefusal) return error.reason
  if (error instanceof NoServerError) return REASONS.noServer
  return error instanceof CsiError ? REASONS.noAnswer(messageOf(error)) : REASONS.unexpected(messageOf(error))
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
