import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { CRON_JOBS } from '../../../api/kinds/cron-job.ts'
import type { CronJobSpec } from '../../../api/kinds/cron-job.ts'
import { JOBS } from '../../../api/kinds/job.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import { defaultsOf } from '../../../base/options/index.ts'
import { startControllersUnderTest } from '../../testing/describe-controller.ts'
import { jobOptions, startJob } from '../job/index.ts'
import { endPod } from '../testing/play-kubelet.ts'
import { cronJobOptions, startCronJob } from './index.ts'

const MINUTE_MS = 60_000
const ref = { namespace: 'default', name: 'tick' }

async function start(context: TestContext, spec: Partial<CronJobSpec> = {}) {
  const controllers = await startControllersUnderTest(context, [
    (world, signal) => startCronJob(defaultsOf(cronJobOptions), world, signal),
    (world, signal) => startJob(defaultsOf(jobOptions), world, signal),
  ])
  const template = { spec: { restartPolicy: 'Never' as const, containers: [{ name: 'main', image: 'one' }] } }
  await controllers.api.create(CRON_JOBS, {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: ref,
    spec: { schedule: '* * * * *', jobTemplate: { spec: { template } }, ...spec },
  })
  await controllers.settled()
  return controllers
}
const endAll = async (api: Api, phase: 'Succeeded' | 'Failed'): Promise<void> => {
  for (const { metadata, status } of (await api.list(PODS)).items)
    if (status?.phase === 'Pending') await endPod(api, metadata.name ?? '', phase)
}
const jobCount = async (api: Api): Promise<number> => (await api.list(JOBS)).items.length

test('a CronJob starts a Job every minute, and keeps the last three', async (context) => {
  const { api, advance, settled, events } = await start(context)
  equal(await jobCount(api), 0)
  // A run is looked for shortly after it is due.
  await advance(200)
  for (let minute = 1; minute <= 5; minute++) {
    await advance(MINUTE_MS)
    const { status } = await api.get(CRON_JOBS, ref)
    equal(status?.active?.length, 1, `minute ${minute}`)
    await endAll(api, 'Succeeded')
    await settled()
    await advance(5000)
  }
  equal(await jobCount(api), 3)
  const { status } = await api.get(CRON_JOBS, ref)
  deepEqual([status?.active ?? [], status?.lastSuccessfulTime !== undefined], [[], true])
  deepEqual(
    new Set((await events()).filter((event) => event.includes('CronJob'))),
    new Set([
      'Normal SuccessfulCreate CronJob/tick',
      'Normal SawCompletedJob CronJob/tick',
      'Normal SuccessfulDelete CronJob/tick',
    ]),
  )
})

test('with Forbid only one Job runs, with Replace only the newest', async (context) => {
  const { api, advance } = await start(context, { concurrencyPolicy: 'Forbid' })
  await advance(MINUTE_MS)
  const [first] = (await api.list(JOBS)).items
  await advance(3 * MINUTE_MS)
  equal(await jobCount(api), 1)
  await api.patch(CRON_JOBS, ref, { type: 'merge', value: { spec: { concurrencyPolicy: 'Replace' } } })
  await advance(MINUTE_MS)
  await advance(5000)
  const [next, ...others] = (await api.list(JOBS)).items
  deepEqual([others.length, next?.metadata.uid === first?.metadata.uid], [0, false])
})

test('a CronJob that was resumed starts only the last run that it missed', async (context) => {
  const { api, advance, settled } = await start(context, { suspend: true })
  await advance(10 * MINUTE_MS)
  equal(await jobCount(api), 0)
  await api.patch(CRON_JOBS, ref, { type: 'merge', value: { spec: { suspend: false } } })
  await settled()
  equal(await jobCount(api), 1)
})
