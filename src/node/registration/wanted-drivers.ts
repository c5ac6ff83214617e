import { isEqualJson } from '../../api/equal-json.ts'
import type { Logger } from '../../base/logger.ts'
import type { NodeFacts } from './node-facts.ts'
import type { RegistrationReason } from './reasons.ts'

/** What became of the facts of a driver in the API. `unserved`: the server has no CSINode, and the driver works without. */
export type PublicationState =
  | { readonly kind: 'pending'; readonly reason: RegistrationReason }
  | { readonly kind: 'published' }
  | { readonly kind: 'unserved'; readonly reason: RegistrationReason }
  | { readonly kind: 'refused'; readonly reason: RegistrationReason }

type Entry = { facts: NodeFacts | undefined; state: PublicationState }

export type WantedDriverStates = ReturnType<typeof createWantedDrivers>

/** What to publish about each driver, and how far that has come. Without facts: a driver that is to go. */
export function createWantedDrivers({
  pendingReason,
  log,
  onState,
}: {
  pendingReason(): RegistrationReason
  log: Logger
  onState(driver: string): void
}) {
  const entries = new Map<string, Entry>()
  const pending = (): PublicationState => ({ kind: 'pending', reason: pendingReason() })
  const move = (driver: string, entry: Entry, state: PublicationState): void => {
    entry.state = state
    onState(driver)
  }
  const isUnpublished = ({ facts, state }: Entry): boolean =>
    facts !== undefined && state.kind !== 'published' && state.kind !== 'refused'
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
    factsOf: (driver: string) => entries.get(driver)?.facts,
    hasPending: () => entries.values().some(isUnpublished),
    hasWithdrawn: () => entries.values().some(({ facts }) => !facts),
    wanted: () =>
      new Map([...entries].map(([driver, { facts, state }]) => [driver, state.kind === 'refused' ? undefined : facts])),
    published: () =>
      new Set([...entries].filter(([, { state }]) => state.kind === 'published').map(([driver]) => driver)),
    /** Everything has to be published again. */
    begin: (): void => {
      for (const entry of entries.values()) if (entry.facts && entry.state.kind === 'published') entry.state = pending()
    },
    refuse: (driver: string, reason: RegistrationReason): void => {
      const entry = entries.get(driver)
      if (entry) move(driver, entry, { kind: 'refused', reason })
    },
    markPublished: (): void => {
      for (const [driver, entry] of entries) {
        if (!isUnpublished(entry)) continue
        log.info('driver published', { driver, nodeId: entry.facts?.nodeId, topology: entry.facts?.topology })
        move(driver, entry, { kind: 'published' })
      }
    },
    /** The server has no CSINode for those that are waiting. */
    markUnserved: (reason: RegistrationReason): void => {
      for (const [driver, entry] of entries)
        if (entry.facts && entry.state.kind === 'pending') move(driver, entry, { kind: 'unserved', reason })
    },
    forgetWithdrawn: (): void => {
      for (const [driver, { facts }] of entries) if (!facts) entries.delete(driver)
    },
  }
}

const isSameNode = (a: NodeFacts, b: NodeFacts): boolean => a.nodeId === b.nodeId && isEqualJson(a.topology, b.topology)
