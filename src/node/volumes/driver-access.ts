import { isCsiError } from '../../csi/csi-error.ts'
import type { Driver } from '../../csi/rpc.ts'
import type { DriverStore, RegisteredDriver } from '../registration/index.ts'
import type { Capabilities } from './volume-view.ts'

/** The drivers of the node with what they can do, each asked once for as long as it stays the same process. */
export interface DriverAccess {
  find(name: string): Driver | undefined
  /** Undefined until it was asked. */
  capabilities(name: string): Capabilities | undefined
  probe(name: string, options: { timeoutMs: number; signal: AbortSignal }): Promise<void>
  /** It does not know a call after all: ask again. */
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
    if (!registered) return
    const answer = await registered.driver.nodeGetCapabilities({}, options)
    const found = new Set(answer.capabilities.flatMap(({ type }) => (type ? [type.value.type] : [])))
    known.set(name, { driver: registered.driver, lives: livesOf(registered), capabilities: found })
  }
  return {
    find: (name) => store.find(name)?.driver,
    capabilities,
    probe,
    doubt: (name, error) => {
      if (isCsiError(error, 'UNIMPLEMENTED')) known.delete(name)
    },
    forget: (name) => void known.delete(name),
    requiresPublishPod: (name) => store.find(name)?.requiresPublishPod ?? false,
  }
}

/** Ready a second time, it may be another program. */
function livesOf({ connection }: RegisteredDriver): number {
  const state = connection.state()
  return 'times' in state ? state.times : 0
}
