import type { Clock, Random } from 'holdfast/base'
import { CsiError } from 'holdfast/csi'
import type { Identity } from './review-token.ts'

/** Names of files, and what stands in them. */
export type Content = Readonly<Record<string, string>>

export interface Vault {
  /** What this account may know now. Throws a `CsiError` when that is nothing, or when it can't tell. */
  login(identity: Identity, signal: AbortSignal): Promise<Content>
}

export type VaultParts = {
  readonly clock: Clock
  readonly random: Random
  /** Who has a password here, each as NAMESPACE/ACCOUNT. */
  readonly accounts: readonly string[]
  /** How long a password is good. */
  readonly leaseMs: number
}

type Lease = { readonly password: string; readonly endsMs: number }

/** Stands for the store of a company: passwords that live for a while, in memory. */
export function createVault({ clock, random, accounts, leaseMs }: VaultParts): Vault {
  const leases = new Map<string, Lease>()
  const leaseOf = (account: string): Lease => {
    const present = leases.get(account)
    if (present && clock.nowMs() < present.endsMs) return present
    // A real vault makes the old password worthless here: pods may use it until they look again.
    const lease = { password: Buffer.from(random.bytes(18)).toString('base64url'), endsMs: clock.nowMs() + leaseMs }
    leases.set(account, lease)
    return lease
  }
  const login = async ({ namespace, account }: Identity): Promise<Content> => {
    const name = `${namespace}/${account}`
    if (!accounts.includes(name))
      throw new CsiError('PERMISSION_DENIED', `the vault has nothing for the account ${name}`)
    const { password, endsMs } = leaseOf(name)
    return { username: name, password, expires: new Date(endsMs).toISOString() }
  }
  return { login }
}
