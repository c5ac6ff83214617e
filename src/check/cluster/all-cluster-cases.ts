import { LIFE_CASES } from './cases/life-cases.ts'
import type { ClusterCase } from './cluster-case.ts'

/** Every case of the cluster phase. */
export const CLUSTER_CASES: readonly ClusterCase[] = [...LIFE_CASES]
