import { isAlreadyExists, isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { refOf } from '../../api/object-key.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { within } from '../../kube/within.ts'
import { NODE_ACCESS } from './node-access.ts'
import type { AccessObject } from './node-access.ts'

/** Makes what is missing of the nodes' access, and changes nothing that is there. Where the limit can't be set, no right is given. */
export async function ensureNodeAccess({ api, clock, log }: { api: Api; clock: Clock; log: Logger }, signal: AbortSignal): Promise<'granted' | 'not-limited'> {
  const isThere = async ({ type, object }: AccessObject): Promise<boolean> => {
    try {
      await within(clock, signal, (until) => api.get(type, refOf(object), { signal: until }))
      return true
    } catch (error) {
      if (isNotFound(error)) return false
      throw error
    }
  }
  for (const each of NODE_ACCESS) {
    if (await isThere(each)) continue
    const { type, object } = each
    try {
      await within(clock, signal, (until) => api.create(type, object, { signal: until }))
      log.info('access of nodes set up', { kind: type.kind, name: object.metadata.name })
    } catch (error) {
      if (isAlreadyExists(error)) continue
      // The server has no such kind.
      if (!isNotFound(error)) throw error
      log.warn('nodes are given no right to write CSINodeInfo: the server can not limit it to their own', { kind: type.kind })
      return 'not-limited'
    }
  }
  return 'granted'
}
