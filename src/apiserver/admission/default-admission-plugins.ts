import type { AdmissionPlugin } from './admission.ts'
import { claimResize } from './claim-resize.ts'
import { defaultStorageClass } from './default-storage-class.ts'
import { defaultTolerationSeconds } from './default-toleration-seconds.ts'
import { jobsWithoutContainers } from './jobs-without-containers.ts'
import { limitRanger } from './limit-ranger.ts'
import { namespaceLifecycle } from './namespace-lifecycle.ts'
import { objectLimits } from './object-limits.ts'
import { serviceAccount } from './service-account.ts'
import { storageProtection } from './storage-protection.ts'

/** The plugins of every server, in order. The server adds those that depend on the user, such as the node restriction. */
export const defaultAdmissionPlugins: readonly AdmissionPlugin[] = [
  namespaceLifecycle,
  limitRanger,
  serviceAccount,
  defaultTolerationSeconds,
  defaultStorageClass,
  storageProtection,
  claimResize,
  jobsWithoutContainers,
  objectLimits,
]
