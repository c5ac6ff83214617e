import { CsiError } from '../../csi/csi-error.ts'
import type { LockTable } from '../../csi/kit/index.ts'

/** Keeps something to itself, or as it is, until it is let go; ABORTED when it is taken. For what a request doesn't tell the kit. */
export function hold(locks: LockTable, key: string, { exclusive = true }: { exclusive?: boolean } = {}): Disposable {
  const acquired = locks.tryAcquire([{ key, exclusive }])
  if ('taken' in acquired) throw new CsiError('ABORTED', `an operation is already pending for ${acquired.taken}`)
  return { [Symbol.dispose]: () => acquired.release() }
}

/** What a restore from one member keeps as it is, and what deleting the group needs to itself. */
export const groupContentKey = (groupId: string): string => `content of group snapshot ${groupId}`
