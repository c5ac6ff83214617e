import type { ResourceType } from '../resource-type.ts'
import type { CronJob } from './generated/batch-v1.ts'

export type { CronJob, CronJobSpec, CronJobStatus } from './generated/batch-v1.ts'

export const CRON_JOBS: ResourceType<CronJob> = {
  group: 'batch',
  version: 'v1',
  kind: 'CronJob',
  plural: 'cronjobs',
  namespaced: true,
}
