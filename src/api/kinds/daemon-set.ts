import type { ResourceType } from '../resource-type.ts'
import type { DaemonSet } from './generated/apps-v1.ts'

export type { DaemonSet, DaemonSetSpec, DaemonSetStatus } from './generated/apps-v1.ts'

export const DAEMON_SETS: ResourceType<DaemonSet> = {
  group: 'apps',
  version: 'v1',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  namespaced: true,
}
