import { CROWD_CASES } from './cases/crowd-cases.ts'
import { LIFE_CASES } from './cases/life-cases.ts'
import { NODE_CASES } from './cases/node-cases.ts'
import type { ClusterCase } from './cluster-case.ts'

/** Every case of the cluster phase. */
export const CLUSTER_CASES: readonly ClusterCase[] = [...LIFE_CASES, ...NODE_CASES, ...CROWD_CASES]
