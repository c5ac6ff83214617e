import type { ResourceType } from '../resource-type.ts'
import type { Job } from './generated/batch-v1.ts'

export type { Job, JobCondition, JobSpec, JobStatus } from './generated/batch-v1.ts'

export const JOBS: ResourceType<Job> = {
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  namespaced: true,
}
