import { featureGates, prefixOptions } from '../base/options/index.ts'
import type { ConfigOf } from '../base/options/index.ts'
import { DRIVER_GATES } from '../api/driver-gates.ts'
import { SNAPSHOT_GATES } from '../api/snapshot-gates.ts'
import { attachDetachOptions } from './attach-detach/index.ts'
import { binderOptions } from './binder/index.ts'
import { ephemeralOptions } from './ephemeral/index.ts'
import { nodeLifecycleOptions } from './node-lifecycle/index.ts'
import { podGcOptions } from './pod-gc/index.ts'
import { protectionOptions } from './protection/index.ts'
import { registryOptions } from './registry/index.ts'
import { schedulerOptions } from './scheduler/index.ts'
import { snapshotOptions } from './snapshot/index.ts'
import { cronJobOptions } from './workloads/cron-job/index.ts'
import { daemonSetOptions } from './workloads/daemon-set/index.ts'
import { deploymentOptions } from './workloads/deployment/index.ts'
import { jobOptions, ttlAfterFinishedOptions } from './workloads/job/index.ts'
import { replicaSetOptions, replicationControllerOptions } from './workloads/replica-set/index.ts'
import { statefulSetOptions } from './workloads/stateful-set/index.ts'

// Named as in a pod's spec: a prefix would only repeat it.
const { schedulerName, ...ownSchedulerOptions } = schedulerOptions

/** The flags of all controllers: upstream's names where upstream has the flag, otherwise prefixed with the name of the controller. */
export const controllersOptions = {
  ...attachDetachOptions,
  schedulerName,
  ...prefixOptions(ownSchedulerOptions, 'scheduler', 'the scheduler'),
  ...prefixOptions(binderOptions, 'binder', 'the binder'),
  ...prefixOptions(ephemeralOptions, 'ephemeral', 'generic ephemeral volumes'),
  ...prefixOptions(protectionOptions, 'protection', 'the protection of claims and volumes'),
  ...prefixOptions(registryOptions, 'registry', 'the driver registry'),
  ...prefixOptions(snapshotOptions, 'snapshot', 'the snapshot controller'),
  ...statefulSetOptions,
  ...replicaSetOptions,
  ...replicationControllerOptions,
  ...deploymentOptions,
  ...daemonSetOptions,
  ...jobOptions,
  ...cronJobOptions,
  ...ttlAfterFinishedOptions,
  ...nodeLifecycleOptions,
  ...podGcOptions,
  featureGates: featureGates({ ...DRIVER_GATES, ...SNAPSHOT_GATES }, 'Features to enable or disable.'),
}

export const OWN_SCHEDULER_OPTIONS = ownSchedulerOptions
export type ControllersConfig = ConfigOf<typeof controllersOptions>
