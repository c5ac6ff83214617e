import { deepEqual, equal } from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSystemHost } from '../../base/host/index.ts'
import { openCheck } from '../run-check.ts'
import type { RunReport } from '../run-check.ts'
import { cleanRun } from '../clean-run.ts'
import { driverUnderCheck, volumesOf } from '../testing/check-under-test.ts'
import type { DriverUnderCheck } from '../testing/check-under-test.ts'
import { CLUSTER_CASES } from './all-cluster-cases.ts'
import type { ClusterCase, ClusterContext } from './cluster-case.ts'
import { createClaim, createPod, untilRunning } from './cluster-steps.ts'
import { createClusterPhase } from './run-cluster-cases.ts'

const withoutMounts = (await createSystemHost().mounts.available()) ? false : 'this process is not allowed to mount'

async function runOn({ options, world }: DriverUnderCheck, cases: readonly ClusterCase[]): Promise<RunReport> {
  using session = await openCheck(options, world)
  return await session.run([], { onResult: () => {} }, [createClusterPhase(cases)])
}

test('the bundled driver passes every case of the cluster', { skip: withoutMounts }, async (t) => {
  const { results, left } = await runOn(await driverUnderCheck(t), CLUSTER_CASES)
  for (const { case: one, outcome } of results)
    equal(outcome.kind, 'passed', `${one.id}: ${JSON.stringify(outcome, undefined, 2)}`)
  equal(results.length, CLUSTER_CASES.length)
  deepEqual(left, [])
})

test('what an interrupted case of the cluster left is removed by its journal', { skip: withoutMounts }, async (t) => {
  const under = await driverUnderCheck(t)
  const { promise: used, resolve: isUsed } = Promise.withResolvers<ClusterContext>()
  const { promise: killed, reject: kill } = Promise.withResolvers<void>()
  const endless: ClusterCase = {
    id: 'cluster/endless',
    title: 'never ends',
    clause: '',
    section: '',
    needs: [],
    run: async (context) => {
      await createClaim(context, 'data')
      await createPod(context, 'web', ['data'])
      await untilRunning(context, 'web')
      isUsed(context)
      await killed
    },
  }
  let run = ''
  const session = await openCheck(under.options, under.world)
  const listener = { onPlan: (_plan: unknown, id: string) => (run = id), onResult: () => {} }
  const running = session.run([], listener, [createClusterPhase([endless])])
  const { cluster } = await used
  cluster.kill()
  session[Symbol.dispose]()

  const volumes = await volumesOf(under)
  equal(volumes.length, 1)
  const clean = { work: under.options.work, run, secrets: new Map(), callTimeoutMs: 10_000 }
  deepEqual(await cleanRun(clean, under.world), [])
  deepEqual(await volumesOf(under), [])
  equal(existsSync(join(under.options.work, run)), false)
  kill(new Error('killed'))
  await running.catch(() => {})
})
