import { ApiError } from '../api/api-error.ts'
import type { Api, WatchEvent } from '../api/api.ts'
import type { KubeObject, ObjectRef } from '../api/object.ts'
import type { ResourceType } from '../api/resource-type.ts'
import { sleep } from '../base/clock.ts'
import type { Clock } from '../base/clock.ts'
import type { Random } from '../base/random.ts'
import type { Life } from '../base/life.ts'
import type { Transcript } from './transcript.ts'

/** How often what goes wrong, as shares of 1. */
export type ApiFaults = {
  /** The call takes up to `longestDelayMs`. */
  delay: number
  longestDelayMs: number
  /** Refused before it has any effect. */
  conflict: number
  tooManyRequests: number
  serverError: number
  /** The effect happens and the answer does not arrive. */
  lostReply: number
  /** A watch ends after an event. */
  watchCut: number
  /** A watch can't be resumed: the reader has to list again. */
  watchExpired: number
  /** An event of a watch comes up to `longestDelayMs` late: whoever reads the cache sees the past. */
  watchDelay: number
}

export const NO_API_FAULTS: ApiFaults = {
  delay: 0,
  longestDelayMs: 0,
  conflict: 0,
  tooManyRequests: 0,
  serverError: 0,
  lostReply: 0,
  watchCut: 0,
  watchExpired: 0,
  watchDelay: 0,
}

/** A bit of everything, seldom enough that work gets done. */
export const SOME_API_FAULTS: ApiFaults = {
  delay: 0.3,
  longestDelayMs: 500,
  conflict: 0.03,
  tooManyRequests: 0.02,
  serverError: 0.02,
  lostReply: 0.03,
  watchCut: 0.02,
  watchExpired: 0.02,
  watchDelay: 0.2,
}

export type FaultyApiParts = {
  api: Api
  life: Life
  clock: Clock
  random: Random
  faults: ApiFaults
  transcript: Transcript
}

const NO_ANSWER = (): ApiError => new ApiError('ServiceUnavailable', 'simulated: the answer was lost', { code: 0 })

/** An API between which and its user things go wrong, as the seed has it. */
export function createFaultyApi({ api, life, clock, random, faults, transcript }: FaultyApiParts): Api {
  const happens = (share: number): boolean => share > 0 && random.fraction() < share
  const pause = async (share: number): Promise<void> => {
    if (happens(share)) await sleep(clock, random.below(faults.longestDelayMs + 1))
  }
  const refuse = (isWrite: boolean): void => {
    if (isWrite && happens(faults.conflict)) throw new ApiError('Conflict', 'simulated: the object has been modified')
    if (happens(faults.tooManyRequests))
      throw new ApiError('TooManyRequests', 'simulated: too many requests', { details: { retryAfterSeconds: 1 } })
    if (happens(faults.serverError)) throw new ApiError('InternalError', 'simulated: internal error')
  }
  const perform = <T>(what: string, isWrite: boolean, act: () => Promise<T>): Promise<T> =>
    life.call(async () => {
      await pause(faults.delay)
      try {
        refuse(isWrite)
        const result = await act()
        if (isWrite && happens(faults.lostReply)) throw NO_ANSWER()
        transcript.add(life.name, `${what} ok`)
        return result
      } catch (error) {
        transcript.add(life.name, `${what} ${error instanceof ApiError ? error.reason : String(error)}`)
        throw error
      }
    })
  const read = <T>(what: string, act: () => Promise<T>): Promise<T> => perform(what, false, act)
  const write = <T>(what: string, act: () => Promise<T>): Promise<T> => perform(what, true, act)

  const watch = async function* <T extends KubeObject>(
    type: ResourceType<T>,
    options: Parameters<Api['watch']>[1] = {},
  ): AsyncGenerator<WatchEvent<T>, void> {
    const ended = new AbortController()
    const signal = options.signal ? AbortSignal.any([options.signal, ended.signal]) : ended.signal
    life.onEnd(() => ended.abort(new Error('the process was killed')))
    await life.call(() => pause(faults.delay))
    if (options.resourceVersion && happens(faults.watchExpired))
      throw new ApiError('Expired', 'simulated: too old resource version')
    for await (const event of api.watch(type, { ...options, signal })) {
      await pause(faults.watchDelay)
      if (life.isOver()) return
      yield event
      if (happens(faults.watchCut)) return
    }
  }
  return {
    get: (type, ref, options) => read(`get ${describe(type, ref)}`, () => api.get(type, ref, options)),
    list: (type, options) => read(`list ${type.plural}`, () => api.list(type, options)),
    watch,
    create: (type, object, options) =>
      write(`create ${describe(type, object.metadata)}`, () => api.create(type, object, options)),
    update: (type, object, options) =>
      write(`update ${describe(type, object.metadata)}${sub(options)}`, () => api.update(type, object, options)),
    patch: (type, ref, patch, options) =>
      write(`patch ${describe(type, ref)}${sub(options)}`, () => api.patch(type, ref, patch, options)),
    delete: (type, ref, options) => write(`delete ${describe(type, ref)}`, () => api.delete(type, ref, options)),
    deleteCollection: (type, options) => write(`delete all ${type.plural}`, () => api.deleteCollection(type, options)),
    createSubresource: (type, ref, subresource, body, options) =>
      write(`create ${describe(type, ref)}/${subresource}`, () =>
        api.createSubresource(type, ref, subresource, body, options),
      ),
    review: (type, body, options) => read(`review ${type.plural}`, () => api.review(type, body, options)),
  }
}

const describe = ({ plural }: ResourceType, { namespace, name = '' }: Partial<ObjectRef>): string =>
  `${plural} ${namespace ? `${namespace}/` : ''}${name}`
const sub = (options: { subresource?: string } | undefined): string =>
  options?.subresource ? `/${options.subresource}` : ''
