import type { Connection } from '../../csi/connect.ts'
import type { Driver } from '../../csi/rpc.ts'
import type { DriverVersion } from './driver-version.ts'
import type { NodeFacts } from './node-facts.ts'
import type { Registered } from './plugin-offer.ts'
import type { Sighting } from './sighting.ts'

/** A driver that can be called on this node. A change gives a new object. */
export type RegisteredDriver = {
  readonly name: string
  /** The path of its socket. */
  readonly endpoint: string
  readonly driver: Driver
  /** To watch: ready a second time, the driver has been restarted and may be another one. It is not for its users to close. */
  readonly connection: Connection
  readonly version: DriverVersion
  /** The registrar asked for the pod in NodePublishVolume. The CSIDriver object may ask for it too. */
  readonly requiresPublishPod: boolean
  /** Undefined until the driver has told. */
  readonly facts: NodeFacts | undefined
}

/** The drivers of this node. */
export interface DriverStore {
  find(name: string): RegisteredDriver | undefined
  all(): readonly RegisteredDriver[]
  /** Called after each change of the driver that serves a name, with what serves it now. The result ends it. */
  onChange(listener: (name: string, driver: RegisteredDriver | undefined) => void): () => void
}

/** Who registered a driver: the socket, with its identity. */
export type RegistrationKey = Pick<Sighting, 'path' | 'identity' | 'via'>

export interface WritableDriverStore extends DriverStore {
  add(key: RegistrationKey, driver: RegisteredDriver): void
  change(key: RegistrationKey, changes: Partial<Pick<RegisteredDriver, 'requiresPublishPod' | 'facts'>>): void
  /** Its socket has gone: any other may take its place, and it serves until then. */
  leave(key: RegistrationKey): void
  /** Closes its connection. Another one of the same name goes on, or takes over. False when there was none. */
  remove(key: RegistrationKey): boolean
  /** Those of a name that only wait for a successor. */
  removeLeaving(name: string): void
  get(key: RegistrationKey): RegisteredDriver | undefined
  /** Who else has the name. */
  findOther(name: string, key: RegistrationKey): Registered | undefined
  /** Who registered the one that serves. */
  servingKey(name: string): RegistrationKey | undefined
  clear(): void
}

type Slot = { readonly key: RegistrationKey; driver: RegisteredDriver; isLeaving: boolean }

/** Several may be registered under one name; the newest that is not leaving serves. Each goes only by its own removal. */
export function createDriverStore(): WritableDriverStore {
  const slots = new Map<string, Slot[]>()
  const listeners = new Set<(name: string, driver: RegisteredDriver | undefined) => void>()

  const serving = (name: string): Slot | undefined => {
    const all = slots.get(name) ?? []
    return all.findLast(({ isLeaving }) => !isLeaving) ?? all.at(-1)
  }
  const slotOf = (key: RegistrationKey): Slot | undefined => {
    for (const all of slots.values()) for (const slot of all) if (isSameKey(slot.key, key)) return slot
    return undefined
  }
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
      const left = (slots.get(name) ?? []).filter((other) => other !== slot)
      if (left.length === 0) slots.delete(name)
      else slots.set(name, left)
    })
    connection.close()
    return true
  }
  return {
    find: (name) => serving(name)?.driver,
    all: () => [...slots.keys()].flatMap((name) => serving(name)?.driver ?? []),
    onChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    add: (key, driver) =>
      changing(
        driver.name,
        () => void slots.set(driver.name, [...(slots.get(driver.name) ?? []), { key, driver, isLeaving: false }]),
      ),
    change: (key, changes) => {
      const slot = slotOf(key)
      if (slot) changing(slot.driver.name, () => void (slot.driver = { ...slot.driver, ...changes }))
    },
    leave: (key) => {
      const slot = slotOf(key)
      if (slot) changing(slot.driver.name, () => void (slot.isLeaving = true))
    },
    remove,
    removeLeaving: (name) => {
      for (const { key, isLeaving } of slots.get(name) ?? []) if (isLeaving) remove(key)
    },
    get: (key) => slotOf(key)?.driver,
    servingKey: (name) => serving(name)?.key,
    findOther: (name, key) => {
      const others = (slots.get(name) ?? []).filter((slot) => !isSameKey(slot.key, key))
      const other = others.findLast(({ isLeaving }) => !isLeaving) ?? others.at(-1)
      return (
        other && {
          socket: other.key.path,
          via: other.key.via,
          version: other.driver.version,
          isLeaving: other.isLeaving,
        }
      )
    },
    clear: () => {
      for (const all of slots.values()) for (const { driver } of all) driver.connection.close()
      slots.clear()
    },
  }
}

const isSameKey = (a: RegistrationKey, b: RegistrationKey): boolean => a.path === b.path && a.identity === b.identity
