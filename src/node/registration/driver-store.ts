import type { Clock, Timer } from '../../base/clock.ts'
import type { Connection } from '../../csi/connect.ts'
import type { Driver } from '../../csi/rpc.ts'
import { createChangeSource } from '../../kube/controller/index.ts'
import type { DriverVersion, Registered } from './plugin-offer.ts'
import type { NodeFacts } from './node-facts.ts'
import type { Sighting } from './watch-registry.ts'

/** A driver that can be called on this node. A change gives a new object. */
export type RegisteredDriver = {
  readonly name: string
  /** The path of its socket. */
  readonly endpoint: string
  readonly driver: Driver
  /** To detect restarts: if it becomes ready a second time, the driver was restarted and may be a different one. Users must not close it. */
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
  /** Calls back after each change of the driver that serves a name, with the current one. Call the result to stop. */
  onChange(listener: (name: string, driver: RegisteredDriver | undefined) => void): () => void
}

export type WritableDriverStore = ReturnType<typeof createDriverStore>

/** `leaving`: its socket is gone, and the timer removes it. Any other may replace it; it serves until then. */
type Slot = { readonly socket: Sighting; readonly driver: RegisteredDriver; readonly leaving?: Timer }

/**
 * Several may be registered under one name; the newest that is not leaving serves. Each is removed only by its own socket. `onFree` is told
 * when a driver of the name is removed or begins to leave.
 */
export function createDriverStore(clock: Clock, graceMs: number, onFree: (name: string) => void) {
  let slots: readonly Slot[] = []
  const changes = createChangeSource<string>()

  const ofName = (name: string): readonly Slot[] => slots.filter(({ driver }) => driver.name === name)
  const newest = (all: readonly Slot[]): Slot | undefined => all.findLast(({ leaving }) => !leaving) ?? all.at(-1)
  const serving = (name: string): Slot | undefined => newest(ofName(name))
  const slotOf = (socket: Sighting): Slot | undefined => slots.find((slot) => isSameSocket(slot.socket, socket))
  const become = (name: string, next: readonly Slot[]): void => {
    const before = serving(name)?.driver
    slots = next
    if (before !== serving(name)?.driver) changes.tell(name)
  }
  const replace = (slot: Slot, ...by: readonly Slot[]): void => {
    const next = slots.flatMap((each) => (each === slot ? by : [each]))
    become(slot.driver.name, next)
  }
  const close = ({ driver, leaving }: Slot): void => {
    leaving?.cancel()
    driver.connection.close()
  }
  const remove = (socket: Sighting): void => {
    const removed = slotOf(socket)
    if (!removed) return
    replace(removed)
    close(removed)
    onFree(removed.driver.name)
  }
  return {
    find: (name: string) => serving(name)?.driver,
    all: () => slots.flatMap((slot) => (serving(slot.driver.name) === slot ? [slot.driver] : [])),
    onChange: (listener: Parameters<DriverStore['onChange']>[0]) =>
      changes.onChange((name) => listener(name, serving(name)?.driver)),
    /** In the place of what the socket had brought before. */
    add: (socket: Sighting, driver: RegisteredDriver): void => {
      const former = slotOf(socket)
      if (former) close(former)
      become(driver.name, [...slots.filter((slot) => slot !== former), { socket, driver }])
    },
    change: (socket: Sighting, changed: Partial<Pick<RegisteredDriver, 'requiresPublishPod' | 'facts'>>): void => {
      const slot = slotOf(socket)
      if (slot) replace(slot, { ...slot, driver: { ...slot.driver, ...changed } })
    },
    /** Removes it after the grace period, unless its socket comes back. */
    leave: (socket: Sighting): void => {
      const slot = slotOf(socket)
      if (!slot || slot.leaving) return
      replace(slot, { ...slot, leaving: clock.setTimer(graceMs, () => remove(socket)) })
      onFree(slot.driver.name)
    },
    /** Closes its connection. Another one of the same name continues, or takes over. */
    remove,
    /** Those of a name that only wait for a successor. */
    removeLeaving: (name: string): void => {
      for (const { socket, leaving } of ofName(name)) if (leaving) remove(socket)
    },
    get: (socket: Sighting) => slotOf(socket)?.driver,
    /** Who registered the one that serves. */
    servingSocket: (name: string) => serving(name)?.socket,
    /** Who else has the name. */
    findOther: (name: string, than: Sighting): Registered | undefined => {
      const other = newest(ofName(name).filter(({ socket }) => !isSameSocket(socket, than)))
      if (!other) return undefined
      const { path: socket, via } = other.socket
      return { socket, via, version: other.driver.version, isLeaving: other.leaving !== undefined }
    },
    clear: (): void => {
      slots.forEach(close)
      slots = []
    },
  }
}

const isSameSocket = (a: Sighting, b: Sighting): boolean => a.path === b.path && a.identity === b.identity
