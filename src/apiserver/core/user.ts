/** The user of a request. */
export type User = {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** The server itself: garbage collection, namespace deletion, default objects. May do everything. */
export const SYSTEM_USER: User = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] }

export const ANONYMOUS: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] }

/** For the log only: a request that was rejected before its user was identified. */
export const NOBODY: User = { name: '', groups: [] }
