import { isCsiError } from '../../csi/csi-error.ts'
import type { Driver } from '../../csi/rpc.ts'
import type { NodeServiceCapability_RPC_Type as NodeCapability } from '../../csi/generated/csi/v1/csi.ts'
import type { DriverStore, RegisteredDriver } from '../registration/index.ts'

export type Capabilities = ReadonlySet<NodeCapability>

/** The drivers of the node and their capabilities. Each process of a driver is asked for them once. */
export interface DriverAccess {
  find(name: string): Driver | undefined
  /** Throws if the driver is not registered. */
  require(name: string): Driver
  /** Undefined until the driver was asked. */
  capabilities(name: string): Capabilities | undefined
  probe(name: string, options: { timeoutMs: number; signal: AbortSignal }): Promise<Capabilities>
  /** Forgets the capabilities of a driver that does not implement a call after all. */
  doubt(name: string, error: unknown): void
  forget(name: string): void
  requiresPublishPod(name: string): boolean
}

type Known = { readonly driver: Driver; readonly lives: number; readonly capabilities: Capabilities }

export function createDriverAccess(store: Pick<DriverStore, 'find'>): DriverAccess {
  const known = new Map<string, Known>()
  const capabilities = (name: string): Capabilities | undefined => {
    const registered = store.find(name)
    const entry = known.get(name)
    if (!registered || !entry || entry.driver !== registered.driver || entry.lives !== livesOf(registered))
      return undefined
    return entry.capabilities
  }
  const probe: DriverAccess['probe'] = async (name, options) => {
    const registered = store.find(name)
    if (!registered) return new Set()
    const answer = await registered.driver.nodeGetCapabilities({}, options)
    const found = new Set(answer.capabilities.flatMap(({ type }) => (type ? [type.value.type] : [])))
    known.set(name, { driver: registered.driver, lives: livesOf(registered), capabilities: found })
    return found
  }
  return {
    find: (name) => store.find(name)?.driver,
    require: (name) => {
      const registered = store.find(name)
      if (!registered) throw new Error(`driver name ${name} not found in the list of registered CSI drivers`)
      return registered.driver
    },
    capabilities,
    probe,
    doubt: (name, error) => {
      if (isCsiError(error, 'UNIMPLEMENTED')) known.delete(name)
    },
    forget: (name) => void known.delete(name),
    requiresPublishPod: (name) => store.find(name)?.requiresPublishPod ?? false,
  }
}

/** A connection that becomes ready again may lead to another process. */
function livesOf({ connection }: RegisteredDriver): number {
  const state = connection.state()
  return 'times' in state ? state.times : 0
}
