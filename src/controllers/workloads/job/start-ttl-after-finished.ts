import { JOBS } from '../../../api/kinds/job.ts'
import type { Job } from '../../../api/kinds/job.ts'
import { refOf } from '../../../api/object-key.ts'
import { count } from '../../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../../base/options/index.ts'
import { defineController, DONE, keyIfPresent, on, startControllers } from '../../../kube/controller/index.ts'
import type { StartRole } from '../../../kube/process/role-world.ts'
import { nextTtlStep } from './next-ttl-step.ts'
import type { TtlStep } from './next-ttl-step.ts'

/** The flags of the controller that deletes finished Jobs. */
export const ttlAfterFinishedOptions = {
  concurrentTtlAfterFinishedSyncs: count(5, 'Number of finished Jobs to process concurrently.', { minimum: 1 }),
} satisfies OptionTable

/** Deletes Jobs with `ttlSecondsAfterFinished`, and their pods with them. */
export const startTtlAfterFinished: StartRole<ConfigOf<typeof ttlAfterFinishedOptions>> = (config, world, signal) =>
  startControllers(world, signal, ({ api, clock, follow, createQueue }) => {
    const jobs = follow(JOBS)
    return [
      defineController<{ readonly job: Job; readonly nowMs: number }, TtlStep>({
        name: 'ttl-after-finished',
        queue: createQueue({
          name: 'ttl_jobs_to_delete',
          lanes: { default: config.concurrentTtlAfterFinishedSyncs },
        }),
        watch: [on(jobs, keyIfPresent)],
        view: (key) => {
          const job = jobs.get(key)
          return job && { job, nowMs: clock.nowMs() }
        },
        decide: nextTtlStep,
        perform: {
          delete: async ({ job }) => {
            const { uid = '', resourceVersion = '' } = job.metadata
            // The user may have changed the time.
            const preconditions = { uid, resourceVersion }
            await api.delete(JOBS, refOf(job), { propagationPolicy: 'Foreground', preconditions })
            return DONE
          },
        },
      }),
    ]
  })
