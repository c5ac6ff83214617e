import type { ResourceType } from '../resource-type.ts'
import type { ControllerRevision } from './generated/apps-v1.ts'

export type { ControllerRevision } from './generated/apps-v1.ts'

export const CONTROLLER_REVISIONS: ResourceType<ControllerRevision> = {
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  namespaced: true,
}
