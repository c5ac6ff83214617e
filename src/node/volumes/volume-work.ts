import type { Api } from '../../api/api.ts'
import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import type { Node } from '../../api/kinds/node.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Clock } from '../../base/clock.ts'
import type { Host } from '../../base/host/index.ts'
import type { Random } from '../../base/random.ts'
import type { DriverPolicy } from '../../storage/driver-policy.ts'
import type { PodVolume } from '../../storage/resolve-pod-volume.ts'
import type { DriverAccess } from './driver-access.ts'
import type { Failures } from './failures.ts'
import type { TokenCache } from './token-cache.ts'
import type { VolumeConfig } from './volume-config.ts'
import type { VolumeFiles } from './volume-files.ts'
import type { Device, Mount, VolumeTable } from './volume-table.ts'

/** What is known about the volumes of a pod. */
export type PodState = { readonly volumes: Map<string, PodVolume>; hasDirectory: boolean }

/** What the reconcilers of pods, mounts and devices share. */
export type VolumeWork = {
  readonly api: Api
  readonly clock: Clock
  readonly random: Random
  readonly host: Host
  readonly config: VolumeConfig
  readonly nodeName: string
  readonly table: VolumeTable
  readonly files: VolumeFiles
  readonly drivers: DriverAccess
  readonly failures: Failures
  readonly tokens: TokenCache
  readonly podStates: Map<string, PodState>
  findPod(uid: string): Pod | undefined
  rememberPod(pod: Pod): void
  findNode(): Node | undefined
  findDriver(name: string): CSIDriver | undefined
  /** Undefined while it can't be known: that is not the same as a driver without wishes. */
  policyOf(driver: string): DriverPolicy | undefined
  /** All pods of the node are known, and what they want has been asked for once. */
  isReady(): boolean
  isReported(uniqueName: string): boolean
  enqueuePod(uid: string): void
  enqueueMount(mount: Mount): void
  enqueueDevice(device: Device): void
  /** What is in use has changed. */
  touchUse(): void
  /** For people. `onChange`: only when it is another text than the last one about this key. */
  tell(about: KubeObject, reason: string, text: string, onChangeOf?: string): void
}

/** Volumes that all of the pod's containers use are known. */
export function isResolved(state: PodState | undefined, names: readonly string[]): boolean {
  return names.every((name) => {
    const known = state?.volumes.get(name)
    return known !== undefined && known.kind !== 'waits' && known.kind !== 'refused'
  })
}
