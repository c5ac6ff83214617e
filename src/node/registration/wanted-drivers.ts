import { isAlreadyExists, isForbidden, isLasting, isNotFound } from '../../api/api-error.ts'
import type { ApiError } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { NodeFacts } from './node-facts.ts'
import type { RegistrationReason } from './reasons.ts'

/** What became of the facts of a driver in the API. `unserved`: the server has no CSINode, and the driver works without. */
export type PublicationState =
  | { readonly kind: 'pending' | 'unserved' | 'refused'; readonly reason: RegistrationReason }
  | { readonly kind: 'published' }

type Entry = { facts: NodeFacts | undefined; state: PublicationState }

/** What to publish about each driver, and its progress. Without facts: a driver to withdraw. */
export function createWantedDrivers(
  pendingReason: () => RegistrationReason,
  onState: (driver: string, entry: Entry) => void,
) {
  const entries = new Map<string, Entry>()
  const pending = (): PublicationState => ({ kind: 'pending', reason: pendingReason() })
  /** Moves every driver on that is to be published and is in one of these states. */
  const moveAll = (from: readonly PublicationState['kind'][], state: PublicationState): void => {
    for (const [driver, entry] of entries) {
      if (!entry.facts || !from.includes(entry.state.kind)) continue
      entry.state = state
      onState(driver, entry)
    }
  }
  return {
    /** False: there is nothing to write. */
    publish: (driver: string, facts: NodeFacts): boolean => {
      const present = entries.get(driver)
      const isSame =
        present?.facts !== undefined &&
        isSameNode(present.facts, facts) &&
        ['published', 'unserved'].includes(present.state.kind)
      // A new limit is written without anything being judged again.
      entries.set(driver, { facts, state: isSame ? present.state : pending() })
      return !isSame || !isEqualJson(present.facts, facts)
    },
    withdraw: (driver: string) => void entries.set(driver, { facts: undefined, state: pending() }),
    has: (driver: string) => entries.has(driver),
    isEmpty: () => entries.size === 0,
    /** Undefined for a driver that is not to be published. */
    stateOf: (driver: string) => (entries.get(driver)?.facts ? entries.get(driver)?.state : undefined),
    /** For decisions. */
    view: () => {
      const all = [...entries]
      return {
        wanted: new Map(all.map(([name, { facts, state }]) => [name, state.kind === 'refused' ? undefined : facts])),
        published: new Set(all.flatMap(([name, { state }]) => (state.kind === 'published' ? [name] : []))),
        hasPending: all.some(([, { facts, state }]) => facts && UNPUBLISHED.includes(state.kind)),
        hasWithdrawn: all.some(([, { facts }]) => !facts),
      }
    },
    /** Everything has to be published again. */
    begin: (): void => {
      for (const entry of entries.values()) if (entry.facts && entry.state.kind === 'published') entry.state = pending()
    },
    refuse: (driver: string, reason: RegistrationReason): void => {
      const entry = entries.get(driver)
      if (!entry) return
      entry.state = { kind: 'refused', reason }
      onState(driver, entry)
    },
    markPublished: () => moveAll(UNPUBLISHED, { kind: 'published' }),
    /** The server has no CSINode for those that are waiting. */
    markUnserved: (reason: RegistrationReason) => moveAll(['pending'], { kind: 'unserved', reason }),
    forgetWithdrawn: (): void => {
      for (const [driver, { facts }] of entries) if (!facts) entries.delete(driver)
    },
  }
}

const UNPUBLISHED: readonly PublicationState['kind'][] = ['pending', 'unserved']
const isSameNode = (a: NodeFacts, b: NodeFacts): boolean => a.nodeId === b.nodeId && isEqualJson(a.topology, b.topology)

/** An object that bears the node's name. `unserved`: the server does not have the kind, or does not let us see it. */
export type OwnObject<T> = { readonly object: T | undefined; readonly unserved?: Error }

export async function readOwnObject<T extends KubeObject>(
  api: Api,
  type: ResourceType<T>,
  name: string,
): Promise<OwnObject<T>> {
  try {
    return { object: await api.get(type, { name }) }
  } catch (error) {
    if (isNotServed(error) || isForbidden(error)) return { object: undefined, unserved: error }
    if (isNotFound(error)) return { object: undefined }
    throw error
  }
}

/** A server without the kind says so without naming an object. */
export const isNotServed = (error: unknown): error is Error => isNotFound(error) && error.details?.name === undefined

/** The server has rejected the request, and a retry alone does not change that. */
export const isFinalRefusal = (error: unknown): error is ApiError =>
  isLasting(error) && !isAlreadyExists(error) && !isNotFound(error)
