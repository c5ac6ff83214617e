import { isCsiError } from '../../csi/csi-error.ts'
import type { Driver } from '../../csi/rpc.ts'
import type { NodeServiceCapability_RPC_Type as NodeCapability } from '../../csi/generated/csi/v1/csi.ts'
import type { DriverStore, RegisteredDriver } from '../registration/index.ts'

export type Capabilities = ReadonlySet<NodeCapability>

type Known = { readonly driver: Driver; readonly lives: number; readonly capabilities: Capabilities }

export type DriverAccess = ReturnType<typeof createDriverAccess>

/** The drivers of the node and their capabilities. Each process of a driver is asked for them once. */
export function createDriverAccess(store: Pick<DriverStore, 'find'>) {
  const known = new Map<string, Known>()
  const require = (name: string): RegisteredDriver => {
    const registered = store.find(name)
    if (!registered) throw new Error(`driver name ${name} not found in the list of registered CSI drivers`)
    return registered
  }
  return {
    isRegistered: (name: string): boolean => store.find(name) !== undefined,
    /** Throws if the driver is not registered. */
    get: (name: string): Driver => require(name).driver,
    /** Undefined until the driver was asked. */
    capabilities: (name: string): Capabilities | undefined => {
      const registered = store.find(name)
      const entry = known.get(name)
      const isSame = registered && entry?.driver === registered.driver && entry.lives === livesOf(registered)
      return isSame ? entry.capabilities : undefined
    },
    probe: async (name: string, options: { timeoutMs: number; signal: AbortSignal }): Promise<Capabilities> => {
      const registered = require(name)
      const answer = await registered.driver.nodeGetCapabilities({}, options)
      const capabilities = new Set(answer.capabilities.flatMap(({ type }) => (type ? [type.value.type] : [])))
      known.set(name, { driver: registered.driver, lives: livesOf(registered), capabilities })
      return capabilities
    },
    /** Forgets the capabilities of a driver that does not implement a call after all. */
    doubt: (name: string, error: unknown): void => {
      if (isCsiError(error, 'UNIMPLEMENTED')) known.delete(name)
    },
    forget: (name: string): void => void known.delete(name),
    requiresPublishPod: (name: string): boolean => store.find(name)?.requiresPublishPod ?? false,
  }
}

/** A connection that becomes ready again may lead to another process. */
function livesOf({ connection }: RegisteredDriver): number {
  const state = connection.state()
  return 'times' in state ? state.times : 0
}
