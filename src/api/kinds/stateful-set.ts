import type { ResourceType } from '../resource-type.ts'
import type { StatefulSet, StatefulSetSpec } from './generated/apps-v1.ts'

export type { StatefulSet, StatefulSetSpec, StatefulSetStatus } from './generated/apps-v1.ts'
export type { PodTemplateSpec } from './generated/core-v1.ts'

export const STATEFUL_SETS: ResourceType<StatefulSet> = {
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  namespaced: true,
}

/** A claim template: kind and apiVersion are optional. */
export type PersistentVolumeClaimTemplate = NonNullable<StatefulSetSpec['volumeClaimTemplates']>[number]
