import type { Connection } from '../../csi/connect.ts'
import type { Driver } from '../../csi/rpc.ts'
import type { DriverVersion, Registered } from './plugin-offer.ts'
import type { NodeFacts } from './node-facts.ts'
import type { Sighting } from './watch-registry.ts'

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

export type WritableDriverStore = ReturnType<typeof createDriverStore>

/** `leavesAtMs`: its socket is gone. Any other may take its place; it serves until then. */
type Slot = { readonly socket: Sighting; readonly driver: RegisteredDriver; readonly leavesAtMs?: number }

/** Several may be registered under one name; the newest that is not leaving serves. Each is removed only by its own socket. */
export function createDriverStore() {
  let slots: readonly Slot[] = []
  const listeners = new Set<Parameters<DriverStore['onChange']>[0]>()

  const ofName = (name: string): readonly Slot[] => slots.filter(({ driver }) => driver.name === name)
  const newest = (all: readonly Slot[]): Slot | undefined =>
    all.findLast(({ leavesAtMs }) => leavesAtMs === undefined) ?? all.at(-1)
  const serving = (name: string): Slot | undefined => newest(ofName(name))
  const slotOf = (socket: Sighting): Slot | undefined => slots.find((slot) => isSameSocket(slot.socket, socket))
  const become = (name: string, next: readonly Slot[]): void => {
    const before = serving(name)?.driver
    slots = next
    const now = serving(name)?.driver
    if (before !== now) for (const listener of [...listeners]) listener(name, now)
  }
  /** Puts another in the place of the slot, or none. Returns the former one. */
  const change = (socket: Sighting, changed: (slot: Slot) => readonly Slot[]): Slot | undefined => {
    const former = slotOf(socket)
    const next = slots.flatMap((slot) => (slot === former ? changed(slot) : [slot]))
    if (former) become(former.driver.name, next)
    return former
  }
  const remove = (socket: Sighting): boolean => {
    const slot = change(socket, () => [])
    slot?.driver.connection.close()
    return slot !== undefined
  }
  return {
    find: (name: string) => serving(name)?.driver,
    all: () => slots.flatMap((slot) => (serving(slot.driver.name) === slot ? [slot.driver] : [])),
    onChange: (listener: Parameters<DriverStore['onChange']>[0]) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    add: (socket: Sighting, driver: RegisteredDriver): void => become(driver.name, [...slots, { socket, driver }]),
    change: (socket: Sighting, changes: Partial<Pick<RegisteredDriver, 'requiresPublishPod' | 'facts'>>): void =>
      void change(socket, (slot) => [{ ...slot, driver: { ...slot.driver, ...changes } }]),
    leave: (socket: Sighting, leavesAtMs = Number.POSITIVE_INFINITY): void =>
      void change(socket, (slot) => [{ ...slot, leavesAtMs }]),
    /** Closes its connection. Another one of the same name goes on, or takes over. False when there was none. */
    remove,
    /** Those of a name that only wait for a successor. */
    removeLeaving: (name: string): void => {
      for (const { socket, leavesAtMs } of ofName(name)) if (leavesAtMs !== undefined) remove(socket)
    },
    /** Of those that are leaving, the one that left first. */
    findLeaving: (name: string): { readonly socket: Sighting; readonly atMs: number } | undefined =>
      ofName(name)
        .flatMap(({ socket, leavesAtMs: atMs }) => (atMs === undefined ? [] : [{ socket, atMs }]))
        .toSorted((a, b) => a.atMs - b.atMs)[0],
    get: (socket: Sighting) => slotOf(socket)?.driver,
    /** Who registered the one that serves. */
    servingSocket: (name: string) => serving(name)?.socket,
    /** Who else has the name. */
    findOther: (name: string, than: Sighting): Registered | undefined => {
      const other = newest(ofName(name).filter(({ socket }) => !isSameSocket(socket, than)))
      if (!other) return undefined
      const { path: socket, via } = other.socket
      return { socket, via, version: other.driver.version, isLeaving: other.leavesAtMs !== undefined }
    },
    clear: (): void => {
      for (const { driver } of slots) driver.connection.close()
      slots = []
    },
  }
}

const isSameSocket = (a: Sighting, b: Sighting): boolean => a.path === b.path && a.identity === b.identity
