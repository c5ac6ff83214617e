import type { Clock } from '../../base/clock.ts'
import type { Host } from '../../base/host/index.ts'
import type { CsiMethods, Driver, HandlersOf } from '../../csi/index.ts'
import type { Dispatcher } from '../../csi/kit/index.ts'
import type { Hostpath } from '../../drivers/hostpath/hostpath.ts'

/** What a fault can use: the correct driver, and its machine. */
export type Plant = {
  /** The driver without the fault. */
  real: Driver
  host: Host
  clock: Clock
  hostpath: Hostpath
  /** ID of the node that this driver serves. */
  nodeId: string
}

/** One thing that a driver does wrong, modelled on a bug of a real driver where `issue` names one. */
export type Fault = {
  id: string
  /** What the driver does, as one sentence without subject. */
  does: string
  /** Where people met it. */
  issue?: string
  /** Calls that are answered wrongly. All other calls reach the correct driver. */
  handlers?(plant: Plant): HandlersOf<CsiMethods>
  /** For what is wrong on the wire: changes the server after all handlers. */
  server?(server: Dispatcher): Dispatcher
  /** The socket refuses connections with an unusual `:authority`, as gRPC servers on Node.js do. */
  refusesAuthority?: true
}
