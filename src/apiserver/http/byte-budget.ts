/** The memory of one request. */
export interface Holding {
  /** Whether both its user and all users together are below their limits. */
  readonly hasRoom: boolean
  /** Counts bytes that are about to be stored. False if there is no room: then they are not counted. */
  take(bytes: number): boolean
  /** Counts bytes that are already stored. */
  add(bytes: number): void
  release(): void
}

export type ByteBudget = {
  /** Exempt users are counted, but never rejected. */
  open(user: string, options: { isExempt: boolean }): Holding
  /** Total of all users. */
  readonly heldBytes: number
}

/** Counts the memory of requests, for each user and for all together. */
export function createByteBudget({
  heldPerUserBytes,
  heldBytes,
}: {
  readonly heldPerUserBytes: number
  readonly heldBytes: number
}): ByteBudget {
  const byUser = new Map<string, number>()
  let total = 0

  const count = (user: string, bytes: number): void => {
    const sum = (byUser.get(user) ?? 0) + bytes
    if (sum > 0) byUser.set(user, sum)
    else byUser.delete(user)
    total += bytes
  }
  const open: ByteBudget['open'] = (user, { isExempt }) => {
    let own = 0
    const add = (bytes: number): void => {
      own += bytes
      count(user, bytes)
    }
    const fits = (bytes: number): boolean =>
      isExempt || ((byUser.get(user) ?? 0) + bytes <= heldPerUserBytes && total + bytes <= heldBytes)
    const release = (): void => {
      count(user, -own)
      own = 0
    }
    return {
      get hasRoom() {
        return fits(1)
      },
      take: (bytes) => {
        if (!fits(bytes)) return false
        add(bytes)
        return true
      },
      add,
      release,
    }
  }
  return {
    open,
    get heldBytes() {
      return total
    },
  }
}
