import { pickPrefixed } from '../base/options/index.ts'
import { startAttachDetach } from './attach-detach/index.ts'
import { binderOptions, startBinder } from './binder/index.ts'
import type { RoleWorld, StartRole } from '../kube/process/role-world.ts'
import type { RunningRole } from '../kube/process/running-role.ts'
import { OWN_SCHEDULER_OPTIONS } from './controllers-options.ts'
import type { ControllersConfig } from './controllers-options.ts'
import { ephemeralOptions, startEphemeral } from './ephemeral/index.ts'
import { startExpansion } from './expansion/index.ts'
import { startNodeLifecycle } from './node-lifecycle/index.ts'
import { startPodGc } from './pod-gc/index.ts'
import { protectionOptions, startClassProtection, startProtection } from './protection/index.ts'
import { registryOptions, startRegistry } from './registry/index.ts'
import { startScheduler } from './scheduler/index.ts'
import { snapshotOptions, startSnapshot } from './snapshot/index.ts'
import type { SnapshotConfig } from './snapshot/index.ts'
import { startTaintEviction } from './taint-eviction/index.ts'
import { startCronJob } from './workloads/cron-job/index.ts'
import { startDaemonSet } from './workloads/daemon-set/index.ts'
import { startDeployment } from './workloads/deployment/index.ts'
import { startJob, startTtlAfterFinished } from './workloads/job/index.ts'
import { startReplicaSet, startReplicationController } from './workloads/replica-set/index.ts'
import { startStatefulSet } from './workloads/stateful-set/index.ts'

/** A controller as the process sees it, with its options already bound. */
export type ControllerDefinition = {
  readonly name: ControllerName
  /** The source component of its events: the same as upstream's, so that users find them where they expect them. */
  readonly component: string
  start(world: RoleWorld, signal: AbortSignal): Promise<RunningRole>
}

const TAINT_EVICTION = 'taint-eviction-controller'
const CLASS_PROTECTION = 'volumeattributesclass-protection-controller'

export const CONTROLLER_NAMES = [
  'binder',
  'scheduler',
  'attach-detach',
  'protection',
  CLASS_PROTECTION,
  'ephemeral',
  'expansion',
  'registry',
  'snapshot',
  'statefulset',
  'replicaset',
  'replicationcontroller',
  'deployment',
  'daemonset',
  'job',
  'cronjob',
  'ttl-after-finished',
  'nodelifecycle',
  TAINT_EVICTION,
  'podgc',
] as const
export type ControllerName = (typeof CONTROLLER_NAMES)[number]

/** All controllers, configured from the command line. */
export function controllerDefinitions(
  config: ControllersConfig,
  given: ReadonlySet<string> = new Set(),
): readonly ControllerDefinition[] {
  const parsed = { config, given }
  const { schedulerName, featureGates } = config
  const scheduler = { ...pickPrefixed(parsed, OWN_SCHEDULER_OPTIONS, 'scheduler'), schedulerName }
  const attachDetach = { ...config, skipAttach: featureGates.CSISkipAttach }
  const protection = pickPrefixed(parsed, protectionOptions, 'protection')
  const snapshot = { gates: featureGates, ...pickPrefixed(parsed, snapshotOptions, 'snapshot') }
  const registry = { ...pickPrefixed(parsed, registryOptions, 'registry'), gates: featureGates }
  return [
    define('binder', 'persistentvolume-controller', startBinder, pickPrefixed(parsed, binderOptions, 'binder')),
    define('scheduler', schedulerName, startScheduler, scheduler),
    define('attach-detach', 'attachdetach-controller', startAttachDetach, attachDetach),
    define('protection', 'pvc-protection-controller', startProtection, protection),
    define(CLASS_PROTECTION, CLASS_PROTECTION, startClassProtection, {}),
    define('ephemeral', 'ephemeral_volume', startEphemeral, pickPrefixed(parsed, ephemeralOptions, 'ephemeral')),
    define('expansion', 'volume_expand', startExpansion, {}),
    define('registry', 'csi-driver-registry', startRegistry, registry),
    snapshotDefinition(snapshot),
    define('statefulset', 'statefulset-controller', startStatefulSet, config),
    define('replicaset', 'replicaset-controller', startReplicaSet, config),
    define('replicationcontroller', 'replication-controller', startReplicationController, config),
    define('deployment', 'deployment-controller', startDeployment, config),
    define('daemonset', 'daemonset-controller', startDaemonSet, config),
    define('job', 'job-controller', startJob, config),
    define('cronjob', 'cronjob-controller', startCronJob, config),
    define('ttl-after-finished', 'ttl-after-finished-controller', startTtlAfterFinished, config),
    define('nodelifecycle', 'node-controller', startNodeLifecycle, config),
    define(TAINT_EVICTION, TAINT_EVICTION, startTaintEviction, {}),
    define('podgc', 'pod-garbage-collector', startPodGc, config),
  ]
}

/** The snapshot-controller, which is also a separate command. */
export const snapshotDefinition = (config: SnapshotConfig): ControllerDefinition =>
  define('snapshot', 'snapshot-controller', startSnapshot, config)

const define = <Config>(
  name: ControllerName,
  component: string,
  start: StartRole<Config>,
  config: Config,
): ControllerDefinition => ({ name, component, start: (world, signal) => start(config, world, signal) })

/**
 * The controllers that a list of words selects: names, `*` for all, `-name` for all but that one, as in kube-controller-manager. Words that
 * select nothing are returned as unknown.
 */
export function chooseControllers(words: readonly string[]): {
  chosen: readonly ControllerName[]
  unknown: readonly string[]
} {
  const isKnown = (name: string): boolean => (CONTROLLER_NAMES as readonly string[]).includes(name)
  const unknown = words.filter((word) => word !== '*' && !isKnown(word.replace(/^-/, '')))
  const isOn = (name: ControllerName): boolean =>
    !words.includes(`-${name}`) &&
    (words.includes(name) || words.includes('*') || words.every((word) => word.startsWith('-')))
  return { chosen: CONTROLLER_NAMES.filter(isOn), unknown }
}
