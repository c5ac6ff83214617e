import { isEqualJson } from '../../api/equal-json.ts'
import type { Reason } from '../../api/reason.ts'
import type { Logger } from '../../base/logger.ts'
import type { NodeFacts } from './node-facts.ts'
import type { PublicationView } from './publication-view.ts'
import type { PublicationState } from './registration-view.ts'

type Entry = { facts: NodeFacts | undefined; state: PublicationState }

/** What is to be published of each driver, and how far that has come. Without facts: a driver that is to go. */
export interface WantedDriverStates {
  /** False: nothing is to be written for it. */
  publish(driver: string, facts: NodeFacts): boolean
  withdraw(driver: string): void
  has(driver: string): boolean
  isEmpty(): boolean
  /** Undefined for a driver that is not to be published. */
  stateOf(driver: string): PublicationState | undefined
  factsOf(driver: string): NodeFacts | undefined
  /** For the view. */
  held(): Pick<NonNullable<PublicationView['held']>, 'wanted' | 'published'>
  /** All is to be published anew. */
  begin(): void
  refuse(driver: string, reason: Reason): void
  markPublished(): void
  /** The server has no place for those that wait. */
  markUnserved(reason: Reason): void
  forgetWithdrawn(): void
}

export function createWantedDrivers({
  pendingReason,
  log,
  onState,
}: {
  pendingReason(): Reason
  log: Logger
  onState(driver: string): void
}): WantedDriverStates {
  const entries = new Map<string, Entry>()
  const pending = (): PublicationState => ({ kind: 'pending', reason: pendingReason() })
  const move = (driver: string, entry: Entry, state: PublicationState): void => {
    entry.state = state
    onState(driver)
  }
  return {
    publish: (driver, facts) => {
      const present = entries.get(driver)
      const isSame =
        present?.facts !== undefined &&
        isSameNode(present.facts, facts) &&
        ['published', 'unserved'].includes(present.state.kind)
      // A new limit is written without anything being judged again.
      entries.set(driver, { facts, state: isSame ? present.state : pending() })
      return !isSame || !isEqualJson(present.facts, facts)
    },
    withdraw: (driver) => void entries.set(driver, { facts: undefined, state: pending() }),
    has: (driver) => entries.has(driver),
    isEmpty: () => entries.size === 0,
    stateOf: (driver) => (entries.get(driver)?.facts ? entries.get(driver)?.state : undefined),
    factsOf: (driver) => entries.get(driver)?.facts,
    held: () => ({
      wanted: new Map(
        [...entries].map(([driver, { facts, state }]) => [driver, state.kind === 'refused' ? undefined : facts]),
      ),
      published: new Set([...entries].filter(([, { state }]) => state.kind === 'published').map(([driver]) => driver)),
    }),
    begin: () => {
      for (const entry of entries.values()) if (entry.facts && entry.state.kind === 'published') entry.state = pending()
    },
    refuse: (driver, reason) => {
      const entry = entries.get(driver)
      if (entry) move(driver, entry, { kind: 'refused', reason })
    },
    markPublished: () => {
      for (const [driver, entry] of entries) {
        if (!entry.facts || entry.state.kind === 'published' || entry.state.kind === 'refused') continue
        log.info('the driver is published', { driver, nodeId: entry.facts.nodeId, topology: entry.facts.topology })
        move(driver, entry, { kind: 'published' })
      }
    },
    markUnserved: (reason) => {
      for (const [driver, entry] of entries)
        if (entry.facts && entry.state.kind === 'pending') move(driver, entry, { kind: 'unserved', reason })
    },
    forgetWithdrawn: () => {
      for (const [driver, { facts }] of entries) if (!facts) entries.delete(driver)
    },
  }
}

const isSameNode = (a: NodeFacts, b: NodeFacts): boolean => a.nodeId === b.nodeId && isEqualJson(a.topology, b.topology)
