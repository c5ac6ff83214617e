import type { Api } from '../../api/api.ts'
import type { Clock } from '../../base/clock.ts'
import type { Host } from '../../base/host/index.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import type { Connection } from '../../csi/connect.ts'
import type { Driver, Registrar } from '../../csi/rpc.ts'
import type { Informers } from '../../kube/informers.ts'

/** What registration works with. */
export type RegistrationParts = {
  readonly host: Host
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** As the node: `system:node:NAME`. */
  readonly api: Api
  readonly informers: Informers
  readonly nodeName: string
  /** Default of the kubelet: /var/lib/kubelet. */
  readonly rootDir: string
  connectDriver(endpoint: string): { driver: Driver; connection: Connection }
  connectRegistrar(endpoint: string): { registrar: Registrar; connection: Connection }
}
