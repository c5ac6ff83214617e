import type { Api } from '../api/api.ts'
import type { SnapshotGates } from '../api/snapshot-gates.ts'
import { defaultsOf } from '../base/options/index.ts'
import { attacherOptions } from '../sidecars/attacher/index.ts'
import { attacherRole } from '../sidecars/attacher-role.ts'
import { healthMonitorOptions } from '../sidecars/health-monitor/index.ts'
import { healthMonitorRole } from '../sidecars/health-monitor-role.ts'
import { provisionerOptions } from '../sidecars/provisioner/index.ts'
import { ifVolumesCanBeMade, provisionerRole } from '../sidecars/provisioner-role.ts'
import { resizerOptions } from '../sidecars/resizer/index.ts'
import { resizerRole } from '../sidecars/resizer-role.ts'
import { runSidecar } from '../sidecars/run-sidecar.ts'
import type { SidecarParts } from '../sidecars/run-sidecar.ts'
import { snapshotterOptions } from '../sidecars/snapshotter/index.ts'
import { snapshotterRole } from '../sidecars/snapshotter-role.ts'
import { standardOptions } from '../sidecars/standard-options.ts'
import type { ClusterOptions, ClusterParts, StartedPart } from './cluster-options.ts'

export type SidecarOptions = {
  /** Starts connecting to the driver; the observer receives every call. */
  readonly connect: SidecarParts['connect']
  /** Which of the driver's instances this is for people: `node-1`. */
  readonly hostname: string
  readonly api: Api
  /** Default: all enabled. */
  readonly gates?: SnapshotGates
  readonly provisionerGates?: ClusterOptions['provisionerGates'] | undefined
  /** First part of the names of volumes, snapshots and groups at the driver. Default: `pvc`, `snapshot` and `groupsnapshot`. */
  readonly namePrefix?: string
}

// The only replica: no leader election, and its journal is in the namespace of the cluster's own objects.
const NAMESPACE = 'kube-system'

/** All sidecars of one driver. */
export async function startSidecar(
  { clock, random, log, tracer }: ClusterParts,
  { connect, hostname, api, gates = {}, provisionerGates, namePrefix }: SidecarOptions,
): Promise<StartedPart & { makesVolumes: boolean }> {
  const config = defaultsOf(standardOptions)
  const attacher = defaultsOf(attacherOptions)
  const defaults = defaultsOf(provisionerOptions)
  const featureGates = { ...defaults.featureGates, ...provisionerGates }
  const volumeNamePrefix = namePrefix ?? defaults.volumeNamePrefix
  const provisioner = { ...defaults, featureGates, volumeNamePrefix, attacherFinalizer: true }
  const snapshotter = {
    ...defaultsOf(snapshotterOptions),
    ...(namePrefix === undefined ? {} : { snapshotNamePrefix: namePrefix, groupsnapshotNamePrefix: namePrefix }),
    gates,
  }
  const roles = [
    ifVolumesCanBeMade(provisionerRole(provisioner, { namespace: NAMESPACE, hostname }, random)),
    attacherRole(attacher),
    resizerRole(defaultsOf(resizerOptions)),
    snapshotterRole(snapshotter),
    healthMonitorRole(defaultsOf(healthMonitorOptions)),
  ]
  const sidecar = await runSidecar(roles, {
    config,
    callTimeoutMs: attacher.timeoutMs,
    connect,
    api,
    electionApi: api,
    identity: hostname,
    namespace: NAMESPACE,
    clock,
    random,
    log,
    tracer,
  })
  const { name } = await sidecar.ready
  const running = sidecar.roles().map((role) => role.name)
  return {
    name: `sidecars of ${name}`,
    detail: running.join(', ') || 'none is needed',
    makesVolumes: running.includes('provisioner'),
    stop: () => sidecar.stop(),
  }
}
