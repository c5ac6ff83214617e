import type { ResourceType } from '../resource-type.ts'
import type { Deployment } from './generated/apps-v1.ts'

export type { Deployment, DeploymentSpec, DeploymentStatus } from './generated/apps-v1.ts'

export const DEPLOYMENTS: ResourceType<Deployment> = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
}
