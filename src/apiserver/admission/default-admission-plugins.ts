import type { AdmissionPlugin } from './admission.ts'
import { claimResize } from './claim-resize.ts'
import { defaultStorageClass } from './default-storage-class.ts'
import { namespaceLifecycle } from './namespace-lifecycle.ts'
import { objectLimits } from './object-limits.ts'
import { serviceAccount } from './service-account.ts'
import { storageProtection } from './storage-protection.ts'

/** The steps of every server, in order. Those that concern single users, such as what a node may write, are added by the server. */
export const defaultAdmissionPlugins: readonly AdmissionPlugin[] = [
  namespaceLifecycle,
  serviceAccount,
  defaultStorageClass,
  storageProtection,
  claimResize,
  objectLimits,
]
