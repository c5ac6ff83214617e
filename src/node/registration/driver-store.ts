import type { Connection } from '../../csi/connect.ts'
import type { Driver } from '../../csi/rpc.ts'
import type { DriverVersion } from './driver-version.ts'
import type { NodeFacts } from './node-facts.ts'
import type { Registered } from './plugin-offer.ts'
import type { Sighting } from './scan-registry.ts'

/** A driver that can be called on this node. A change gives a new object. */
export type RegisteredDriver = {
  readonly name: string
  /** The path of its socket. */
  readonly endpoint: string
  readonly driver: Driver
  /** To watch: if it is ready a second time, the driver was restarted and may be another one. Users must not close it. */
  readonly connection: Connection
  readonly version: DriverVersion
  /** The registrar asked for the pod in NodePublishVolume. The CSIDriver object may ask for it too. */
  readonly requiresPublishPod: boolean
  /** Undefined until the driver has answered. */
  readonly facts: NodeFacts | undefined
}

/** The drivers of this node. */
export interface DriverStore {
  find(name: string): RegisteredDriver | undefined
  all(): readonly RegisteredDriver[]
  /** Calls back after each change of the driver that serves a name, with what serves it now. The result ends it. */
  onChange(listener: (name: string, driver: RegisteredDriver | undefined) => void): () => void
}

/** Who registered a driver: the socket, with its identity. */
export type RegistrationKey = Pick<Sighting, 'path' | 'identity' | 'via'>

export type WritableDriverStore = ReturnType<typeof createDriverStore>

/** `leavesAtMs`: its socket is gone. Any other may take its place; it serves until then. */
type Slot = { readonly key: RegistrationKey; driver: RegisteredDriver; leavesAtMs?: number }

/** Several may be registered under one name; the newest that is not leaving serves. Each is removed only by its own key. */
export function createDriverStore() {
  const slots = new Map<string, Slot[]>()
  const listeners = new Set<(name: string, driver: RegisteredDriver | undefined) => void>()

  const ofName = (name: string): readonly Slot[] => slots.get(name) ?? []
  const newest = (all: readonly Slot[]): Slot | undefined =>
    all.findLast(({ leavesAtMs }) => leavesAtMs === undefined) ?? all.at(-1)
  const serving = (name: string): Slot | undefined => newest(ofName(name))
  const slotOf = (key: RegistrationKey): Slot | undefined =>
    [...slots.values()].flat().find((slot) => isSameKey(slot.key, key))
  const changing = (name: string, act: () => void): void => {
    const before = serving(name)?.driver
    act()
    const now = serving(name)?.driver
    if (before !== now) for (const listener of [...listeners]) listener(name, now)
  }
  const remove = (key: RegistrationKey): boolean => {
    const slot = slotOf(key)
    if (!slot) return false
    const { name, connection } = slot.driver
    changing(name, () => {
      const left = ofName(name).filter((other) => other !== slot)
      if (left.length === 0) slots.delete(name)
      else slots.set(name, left)
    })
    connection.close()
    return true
  }
  return {
    find: (name: string) => serving(name)?.driver,
    all: () => [...slots.keys()].flatMap((name) => serving(name)?.driver ?? []),
    onChange: (listener: (name: string, driver: RegisteredDriver | undefined) => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    add: (key: RegistrationKey, driver: RegisteredDriver): void =>
      changing(driver.name, () => void slots.set(driver.name, [...ofName(driver.name), { key, driver }])),
    change: (key: RegistrationKey, changes: Partial<Pick<RegisteredDriver, 'requiresPublishPod' | 'facts'>>): void => {
      const slot = slotOf(key)
      if (slot) changing(slot.driver.name, () => void (slot.driver = { ...slot.driver, ...changes }))
    },
    leave: (key: RegistrationKey, atMs = Number.POSITIVE_INFINITY): void => {
      const slot = slotOf(key)
      if (slot) changing(slot.driver.name, () => void (slot.leavesAtMs = atMs))
    },
    /** Closes its connection. Another one of the same name goes on, or takes over. False when there was none. */
    remove,
    /** Those of a name that only wait for a successor. */
    removeLeaving: (name: string): void => {
      for (const { key, leavesAtMs } of ofName(name)) if (leavesAtMs !== undefined) remove(key)
    },
    /** Of those that are leaving, the one that left first. */
    findLeaving: (name: string): { readonly key: RegistrationKey; readonly atMs: number } | undefined => {
      const [first] = ofName(name)
        .flatMap(({ key, leavesAtMs: atMs }) => (atMs === undefined ? [] : [{ key, atMs }]))
        .toSorted((a, b) => a.atMs - b.atMs)
      return first
    },
    get: (key: RegistrationKey) => slotOf(key)?.driver,
    /** Who registered the one that serves. */
    servingKey: (name: string) => serving(name)?.key,
    /** Who else has the name. */
    findOther: (name: string, key: RegistrationKey): Registered | undefined => {
      const other = newest(ofName(name).filter((slot) => !isSameKey(slot.key, key)))
      if (!other) return undefined
      const { path: socket, via } = other.key
      return { socket, via, version: other.driver.version, isLeaving: other.leavesAtMs !== undefined }
    },
    clear: (): void => {
      for (const all of slots.values()) for (const { driver } of all) driver.connection.close()
      slots.clear()
    },
  }
}

const isSameKey = (a: RegistrationKey, b: RegistrationKey): boolean => a.path === b.path && a.identity === b.identity
