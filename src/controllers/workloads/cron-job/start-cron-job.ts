import { ignoreAlreadyExists, isNotFound } from '../../../api/api-error.ts'
import { CRON_JOBS } from '../../../api/kinds/cron-job.ts'
import type { CronJob } from '../../../api/kinds/cron-job.ts'
import { JOBS } from '../../../api/kinds/job.ts'
import type { Job } from '../../../api/kinds/job.ts'
import { refOf } from '../../../api/object-key.ts'
import { count } from '../../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../../base/options/index.ts'
import {
  after,
  CACHE_BEHIND_MS,
  defineController,
  keyIfPresent,
  mergeAsSeen,
  on,
  patchAsSeen,
  startControllers,
} from '../../../kube/controller/index.ts'
import type { ControllerRole } from '../../../kube/controller/index.ts'
import type { StartRole } from '../../../kube/process/role-world.ts'
import { followMembers } from '../follow-members.ts'
import { textOf } from '../pod-performers.ts'
import { nextCronJobStep } from './next-cron-job-step.ts'
import type { CronJobStep, CronJobView } from './next-cron-job-step.ts'

/** The flags of the CronJob controller. */
export const cronJobOptions = {
  concurrentCronJobSyncs: count(5, 'Number of CronJobs to process concurrently.', { minimum: 1 }),
} satisfies OptionTable

type CronJobConfig = ConfigOf<typeof cronJobOptions>

/** Creates the Jobs of CronJobs at their times. */
export const startCronJob: StartRole<CronJobConfig> = (config, world, signal) =>
  startControllers(world, signal, (role) => [defineCronJob(config, role)])

function defineCronJob({ concurrentCronJobSyncs }: CronJobConfig, role: ControllerRole) {
  const { api, clock, events, follow, createQueue } = role
  const cronJobs = follow(CRON_JOBS)
  // A CronJob adopts nothing.
  const jobs = followMembers<CronJob, Job>(role, JOBS, {
    owners: cronJobs,
    ownerType: CRON_JOBS,
    isSelected: () => false,
  })
  const deleteJob = async (cronJob: CronJob, job: Job): Promise<void> => {
    const { uid = '' } = job.metadata
    try {
      await api.delete(JOBS, refOf(job), { propagationPolicy: 'Background', preconditions: { uid } })
      events.record(cronJob, 'Normal', 'SuccessfulDelete', `Deleted job ${job.metadata.name}`)
    } catch (error) {
      if (isNotFound(error)) return
      events.record(cronJob, 'Warning', 'FailedDelete', `Deleted job: ${textOf(error)}`)
      throw error
    }
  }
  return defineController<CronJobView, CronJobStep>({
    name: 'cron-job',
    queue: createQueue({ name: 'cronjob', lanes: { default: concurrentCronJobSyncs } }),
    watch: [on(cronJobs, keyIfPresent), jobs.watch],
    view: (key) => {
      const cronJob = cronJobs.get(key)
      return cronJob && { seen: { cronJob, jobs: jobs.membersOf(cronJob), nowMs: clock.nowMs() } }
    },
    decide: nextCronJobStep,
    perform: {
      'create-job': async ({ job, event }, { view: { seen } }) => {
        const { cronJob } = seen
        if (event) events.record(cronJob, event.type, event.reason, event.message)
        try {
          const created = await jobs.create(cronJob, job).catch(ignoreAlreadyExists)
          // The cache does not show it yet, or it is somebody else's.
          if (!created) return after(CACHE_BEHIND_MS)
          events.record(cronJob, 'Normal', 'SuccessfulCreate', `Created job ${created.metadata.name}`)
          return undefined
        } catch (error) {
          events.record(cronJob, 'Warning', 'FailedCreate', `Error creating job: ${textOf(error)}`)
          throw error
        }
      },
      'delete-jobs': async ({ jobs: chosen }, { view: { seen } }) => {
        for (const job of chosen) await deleteJob(seen.cronJob, job)
        return after(CACHE_BEHIND_MS)
      },
      'write-status': async ({ status, events: news }, { view: { seen } }) => {
        const patch = mergeAsSeen(seen.cronJob, { status })
        await patchAsSeen(api, CRON_JOBS, seen.cronJob, patch, { subresource: 'status' })
        for (const { type, reason, message } of news) events.record(seen.cronJob, type, reason, message)
      },
      wait: ({ event }, { view: { seen }, say }) => {
        if (event) say(seen.cronJob, { type: event.type, event: event.reason }, event.message, event.reason)
      },
    },
  })
}
