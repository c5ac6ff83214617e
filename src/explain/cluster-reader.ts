import { isForbidden, isNotFound } from '../api/api-error.ts'
import type { Api } from '../api/api.ts'
import { EVENTS } from '../api/kinds/event.ts'
import type { Event } from '../api/kinds/event.ts'
import { collectAll, listAll } from '../api/list-all.ts'
import { formatRef } from '../api/object-key.ts'
import type { KubeObject, ObjectRef } from '../api/object.ts'
import { qualifiedResource } from '../api/resource-type.ts'
import type { ResourceType } from '../api/resource-type.ts'
import type { ObjectId } from './explanation.ts'

export type Reading<T> =
  | { readonly kind: 'found'; readonly object: T }
  | { readonly kind: 'absent' }
  /** Not allowed: it may or may not exist. */
  | { readonly kind: 'unseen' }

/** Reads each object once, and remembers what it was not allowed to read. */
export interface ClusterReader {
  get<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef): Promise<Reading<T>>
  /** Undefined: not allowed. A kind that the server does not serve has no objects. */
  list<T extends KubeObject>(type: ResourceType<T>, namespace?: string): Promise<readonly T[] | undefined>
  /** Events about this object; none if they may not be read. */
  eventsOf(object: ObjectId): Promise<readonly Event[]>
  /** Events with this reason, about any object. */
  eventsWith(reason: string, namespace?: string): Promise<readonly Event[]>
  /** Objects of this name in any namespace. None if that may not be read: for what only adds to an answer. */
  findNamed<T extends KubeObject>(type: ResourceType<T>, name: string): Promise<readonly T[]>
  /** False only if the server does not have the kind, for example because its CRD is not installed. */
  isServed(type: ResourceType): Promise<boolean>
  /** Adds to `unseen`. */
  note(text: string): void
  unseen(): readonly string[]
  /** The time of the question, in milliseconds since 1970. Undefined if it is not known: then no lease has expired. */
  readonly nowMs: number | undefined
}

/** The most objects that are listed. With more, the answer says that it is incomplete. */
export const MOST_LISTED = 10_000

export function createClusterReader(api: Api, signal: AbortSignal, nowMs?: number): ClusterReader {
  const answers = new Map<string, Promise<unknown>>()
  const unseen = new Set<string>()
  const once = <T>(key: string, ask: () => Promise<T>): Promise<T> => {
    const known = answers.get(key) ?? ask()
    answers.set(key, known)
    // A key names its type, so what was stored under it is a T.
    return known as Promise<T>
  }
  const get = <T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef): Promise<Reading<T>> =>
    once(`get ${qualifiedResource(type)} ${formatRef(type.kind, ref)}`, async (): Promise<Reading<T>> => {
      try {
        return { kind: 'found', object: await api.get(type, ref, { signal }) }
      } catch (error) {
        if (isNotFound(error)) return { kind: 'absent' }
        if (!isForbidden(error)) throw error
        unseen.add(`${formatRef(type.kind, ref)}: you may not get ${qualifiedResource(type)}`)
        return { kind: 'unseen' }
      }
    })
  const listBounded = async <T extends KubeObject>(
    type: ResourceType<T>,
    options: { namespace?: string; fieldSelector?: string },
  ): Promise<readonly T[] | undefined> => {
    const items: T[] = []
    try {
      for await (const item of listAll(api, type, { ...options, signal })) {
        if (items.length >= MOST_LISTED) {
          unseen.add(`${qualifiedResource(type)}: only the first ${items.length} were looked at`)
          break
        }
        items.push(item)
      }
      return items
    } catch (error) {
      if (isNotFound(error)) return []
      if (!isForbidden(error)) throw error
      unseen.add(
        `${qualifiedResource(type)}${options.namespace === undefined ? '' : ` in ${options.namespace}`}: you may not list them`,
      )
      return undefined
    }
  }
  const list = <T extends KubeObject>(type: ResourceType<T>, namespace?: string): Promise<readonly T[] | undefined> =>
    once(`list ${qualifiedResource(type)} ${namespace ?? ''}`, () =>
      listBounded(type, namespace === undefined ? {} : { namespace }),
    )
  const eventsOf = ({ kind, namespace = '', name, uid }: ObjectId): Promise<readonly Event[]> =>
    once(`events ${kind} ${namespace}/${name}`, async () => {
      // Events about objects without a namespace are in this one.
      const found = await listBounded(EVENTS, {
        namespace: namespace || 'default',
        fieldSelector: `involvedObject.kind=${kind},involvedObject.name=${name}`,
      })
      return (found ?? []).filter(({ involvedObject }) => !uid || !involvedObject.uid || involvedObject.uid === uid)
    })
  const eventsWith = async (reason: string, namespace?: string): Promise<readonly Event[]> =>
    (await listBounded(EVENTS, {
      fieldSelector: `reason=${reason}`,
      ...(namespace === undefined ? {} : { namespace }),
    })) ?? []
  const findNamed = <T extends KubeObject>(type: ResourceType<T>, name: string): Promise<readonly T[]> =>
    once(`named ${qualifiedResource(type)} ${name}`, async () => {
      try {
        return await collectAll(api, type, { fieldSelector: `metadata.name=${name}`, signal })
      } catch (error) {
        if (isNotFound(error) || isForbidden(error)) return []
        throw error
      }
    })
  const isServed = (type: ResourceType): Promise<boolean> =>
    once(`served ${qualifiedResource(type)}`, () =>
      api.list(type, { limit: 1, signal }).then(
        () => true,
        (error: unknown) => {
          if (isNotFound(error)) return false
          if (isForbidden(error)) return true
          throw error
        },
      ),
    )
  const note = (text: string): void => void unseen.add(text)
  return { get, list, eventsOf, eventsWith, findNamed, isServed, note, unseen: () => [...unseen].sort(), nowMs }
}
