import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import type { Node } from '../../api/kinds/node.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { Host } from '../../base/host/index.ts'
import type { ChangeSource, ControllerRole, FollowedKind } from '../../kube/controller/index.ts'
import type { DriverPolicy } from '../../storage/driver-policy.ts'
import type { DriverAccess } from './driver-access.ts'
import type { SecretReader } from './secret-reader.ts'
import type { TokenCache } from './token-cache.ts'
import type { VolumeConfig } from './volume-config.ts'
import type { VolumeFiles } from './volume-files.ts'
import type { VolumeTable } from './volume-table.ts'

/** What the controllers of pods, mounts and devices share. */
export type VolumeContext = ControllerRole & {
  readonly host: Host
  readonly config: VolumeConfig
  readonly nodeName: string
  readonly table: VolumeTable
  readonly files: VolumeFiles
  readonly drivers: DriverAccess
  readonly secrets: SecretReader
  readonly tokens: TokenCache
  readonly pods: FollowedKind<Pod>
  readonly nodes: FollowedKind<Node>
  readonly csiDrivers: FollowedKind<CSIDriver>
  /** Names of drivers that have registered, restarted or gone, or whose policy has changed. */
  readonly driverChanges: Pick<ChangeSource<string>, 'onChange'>
  /** Options of every call to a driver. */
  readonly call: { readonly timeoutMs: number; readonly signal: AbortSignal }
  findPod(uid: string): Pod | undefined
  findNode(): Node | undefined
  policyOf(driver: string): DriverPolicy
  /** The volumes of every pod of the node have been looked up once. Before that nothing is undone. */
  isReady(): boolean
}
