import { ApiError, isAlreadyExists, isNotFound } from '../../src/api/api-error.ts'
import type { Api } from '../../src/api/api.ts'
import { refOf } from '../../src/api/object-key.ts'

const TIMES = 5

/**
 * The same API for a user who sends a write again if its connection was lost: on a busy machine, a server closes connections that it takes for idle.
 * Each time is reported, because it costs time that is measured.
 */
export function retryUnanswered(api: Api): Api {
  const again = async <T>(act: (isRepeated: boolean) => Promise<T>): Promise<T> => {
    for (let time = 1; ; time++) {
      try {
        return await act(time > 1)
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 0 || time === TIMES) throw error
        process.stderr.write(`sent again: ${error.message}\n`)
      }
    }
  }
  const create: Api['create'] = (type, object, options) =>
    again(async (isRepeated) => {
      try {
        return await api.create(type, object, options)
      } catch (error) {
        if (isRepeated && isAlreadyExists(error)) return api.get(type, refOf(object))
        throw error
      }
    })
  const remove: Api['delete'] = (type, ref, options) =>
    again(async (isRepeated) => {
      try {
        return await api.delete(type, ref, options)
      } catch (error) {
        if (isRepeated && isNotFound(error)) return undefined as never
        throw error
      }
    })
  const patch: Api['patch'] = (type, ref, change, options) => again(() => api.patch(type, ref, change, options))
  return { ...api, create, patch, delete: remove }
}
