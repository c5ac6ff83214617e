import type { Fault } from './fault.ts'
import { ATTACH_FAULTS } from './faults/attach-faults.ts'
import { CLUSTER_FAULTS } from './faults/cluster-faults.ts'
import { CREATE_FAULTS } from './faults/create-faults.ts'
import { HEALTH_FAULTS } from './faults/health-faults.ts'
import { IDENTITY_FAULTS } from './faults/identity-faults.ts'
import { LIST_FAULTS } from './faults/list-faults.ts'
import { NODE_FAULTS } from './faults/node-faults.ts'
import { SNAPSHOT_FAULTS } from './faults/snapshot-faults.ts'
import { WIRE_FAULTS } from './faults/wire-faults.ts'

/** Every planted fault. The list was written before the cases that have to find them. */
export const ALL_FAULTS: readonly Fault[] = [
  ...IDENTITY_FAULTS,
  ...CREATE_FAULTS,
  ...ATTACH_FAULTS,
  ...NODE_FAULTS,
  ...SNAPSHOT_FAULTS,
  ...LIST_FAULTS,
  ...HEALTH_FAULTS,
  ...WIRE_FAULTS,
  ...CLUSTER_FAULTS,
]
