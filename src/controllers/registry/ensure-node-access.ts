import { isAlreadyExists, isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { refOf } from '../../api/object-key.ts'
import type { Logger } from '../../base/logger.ts'
import { NODE_ACCESS } from './node-access.ts'
import type { AccessObject } from './node-access.ts'

/** Makes what is missing of the nodes' access, and changes nothing that is there. Where the limit can't be set, no right is given. */
export async function ensureNodeAccess(api: Api, log: Logger): Promise<'granted' | 'not-limited'> {
  const isThere = async ({ type, object }: AccessObject): Promise<boolean> => {
    try {
      await api.get(type, refOf(object))
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
      await api.create(type, object)
      log.info('access of nodes set up', { kind: type.kind, name: object.metadata.name })
    } catch (error) {
      if (isAlreadyExists(error)) continue
      // The server has no such kind.
      if (!isNotFound(error)) throw error
      log.warn('nodes are given no right to write CSINodeInfo: the server can not limit it to their own', {
        kind: type.kind,
      })
      return 'not-limited'
    }
  }
  return 'granted'
}
