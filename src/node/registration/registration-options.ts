import type { Host } from '../../base/host/index.ts'
import { defaultsOf, flag } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'
import type { Connection } from '../../csi/connect.ts'
import type { Driver, Registrar } from '../../csi/rpc.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import type { RoleWorld } from '../../kube/process/role-world.ts'

/** The flags that `node` and `up` share. */
export const registrationOptions = {
  createCsiDrivers: flag(
    false,
    'Create the CSIDriver object of a driver that registers and has none. An existing object is never changed. Nodes need permission to create CSIDrivers.',
    { flag: 'create-csidrivers' },
  ),
  assumeDriverSockets: flag(
    false,
    'Also use ROOT/plugins/NAME/csi.sock as the socket of driver NAME while no registrar has registered that driver.',
    { flag: 'probe-driver-sockets' },
  ),
  overwriteOwnLabels: flag(
    false,
    'Let a driver change the value of a topology label that it wrote last. By default, a label with another value fails the registration.',
    { flag: 'overwrite-topology-labels' },
  ),
} satisfies OptionTable

/** The part of a command's configuration that these flags set. */
export const pickRegistration = ({
  createCsiDrivers,
  assumeDriverSockets,
  overwriteOwnLabels,
}: ConfigOf<typeof registrationOptions>) => ({ createCsiDrivers, assumeDriverSockets, overwriteOwnLabels })

/** How drivers of a node are found and published. */
export type RegistrationConfig = ConfigOf<typeof registrationOptions> & {
  /** Also takes `*-reg.sock` in ROOT/plugins for registration sockets, as the first releases did. */
  readonly watchLegacyDirectory: boolean
  /** Where, beside the root, sockets of drivers may be. */
  readonly endpointDirectories: readonly string[]
  /** How long a driver stays registered after its registration socket is gone: it may only be restarting. */
  readonly graceMs: number
  /** How often the directories are listed when no change was reported. */
  readonly relistMs: number
  /** How often the published objects are read again, in case others have changed them. */
  readonly recheckMs: number
}

export const DEFAULT_REGISTRATION: RegistrationConfig = {
  ...defaultsOf(registrationOptions),
  watchLegacyDirectory: false,
  endpointDirectories: [],
  graceMs: 10_000,
  relistMs: 10_000,
  recheckMs: 600_000,
}

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
