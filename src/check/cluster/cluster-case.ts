import type { CaseInfo } from '../case.ts'
import type { CaseContext } from '../case-context.ts'
import type { RecordedCall } from '../recorded-call.ts'
import type { CheckedCluster } from './open-cluster.ts'

/** What a case of the cluster has to work with. */
export type ClusterContext = {
  /** Settings, features, expectations, and the driver for calls of the case itself. */
  readonly check: CaseContext
  readonly cluster: CheckedCluster
  /** Every call of the cluster to the driver so far. */
  readonly calls: readonly RecordedCall[]
  /** Longest wait for the cluster to get something done, since the driver last did something new: a machine may be slow, and fifty volumes take longer than one. */
  readonly limitMs: number
}

/** A case that drives the driver through a cluster. */
export type ClusterCase = CaseInfo & { readonly run: (context: ClusterContext) => Promise<void> }
