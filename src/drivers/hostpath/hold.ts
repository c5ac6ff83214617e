import { CsiError } from '../../csi/csi-error.ts'
import type { LockTable } from '../../csi/kit/index.ts'

/** Locks something exclusively or shared until it is released; ABORTED if it is locked. For locks that the kit cannot derive from the request. */
export function hold(locks: LockTable, key: string, { exclusive = true }: { exclusive?: boolean } = {}): Disposable {
  const acquired = locks.tryAcquire([{ key, exclusive }])
  if ('taken' in acquired) throw new CsiError('ABORTED', `an operation is already pending for ${acquired.taken}`)
  return { [Symbol.dispose]: () => acquired.release() }
}

/** Shared by a restore from one member, and exclusive for deleting the group. */
export const groupContentKey = (groupId: string): string => `content of group snapshot ${groupId}`
