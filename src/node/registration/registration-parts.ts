import type { Host } from '../../base/host/index.ts'
import type { Connection } from '../../csi/connect.ts'
import type { Driver, Registrar } from '../../csi/rpc.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import type { RoleWorld } from '../../kube/process/role-world.ts'
import type { RegistrationConfig } from './registration-options.ts'

/** What registration works with. `api` acts as the node: `system:node:NAME`. */
export type RegistrationParts = RoleWorld & {
  readonly host: Host
  readonly nodeName: string
  /** Default of the kubelet: /var/lib/kubelet. */
  readonly rootDir: string
  connectDriver(endpoint: string): { driver: Driver; connection: Connection }
  connectRegistrar(endpoint: string): { registrar: Registrar; connection: Connection }
}

export type RegistrationRole = RegistrationParts & ControllerRole & { readonly config: RegistrationConfig }
