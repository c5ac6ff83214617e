import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { createSystemHost } from '../base/host/index.ts'
import { CsiError } from '../csi/csi-error.ts'
import { connectDriver } from '../csi/index.ts'
import type { Case } from './case.ts'
import { ALL_CASES } from './cases/all-cases.ts'
import { cleanRun } from './clean-run.ts'
import { CLUSTER_CASES } from './cluster/all-cluster-cases.ts'
import { openCheck } from './run-check.ts'
import type { RunReport } from './run-check.ts'
import { ALL_FAULTS } from './testing/all-faults.ts'
import { driverUnderCheck, volumesOf } from './testing/check-under-test.ts'
import type { DriverUnderCheck } from './testing/check-under-test.ts'
import { createVolume, useVolume } from './volume-steps.ts'

const canMount = await createSystemHost().mounts.available()
const withoutMounts = canMount ? false : 'this process is not allowed to mount'

async function runOn({ options, world }: DriverUnderCheck, cases: readonly Case[]): Promise<RunReport> {
  using session = await openCheck(options, world)
  return await session.run(cases, { onResult: () => {} })
}

test('the bundled driver passes every case, and none is left out', { skip: withoutMounts }, async (t) => {
  const under = await driverUnderCheck(t)
  const { results, left } = await runOn(under, ALL_CASES)
  const others = results.filter(({ outcome }) => outcome.kind !== 'passed')
  deepEqual(
    others.map(({ case: { id }, outcome }) => ({ id, outcome })),
    [],
  )
  equal(results.length, ALL_CASES.length)
  deepEqual(left, [])
  deepEqual(await volumesOf(under), [])
  deepEqual(readdirSync(under.options.work), [], 'no journal and no path is left')
})

// The field is OPTIONAL, so a request without it is valid; the specification has no other words for that.
const WITHOUT_MUST = ['create/without-capacity']

test('each case has an ID of its own, a section, and a clause that the specification makes binding', () => {
  const every = [...ALL_CASES, ...CLUSTER_CASES]
  equal(new Set(every.map(({ id }) => id)).size, every.length)
  for (const { id, clause, section } of every) {
    match(id, /^[a-z]+\/[a-z0-9-]+$/)
    match(clause, WITHOUT_MUST.includes(id) ? /OPTIONAL/ : /MUST|SHALL|REQUIRED/, id)
    ok(section !== '', id)
  }
})

test('a failed case shows what was expected, found and called', async (t) => {
  const under = await driverUnderCheck(
    t,
    ALL_FAULTS.find(({ id }) => id === 'create-rounds-down'),
  )
  const { results } = await runOn(
    under,
    ALL_CASES.filter(({ id }) => id === 'create/large-enough'),
  )
  const [result] = results
  ok(result?.outcome.kind === 'failed')
  const { expected, found, calls } = result.outcome.failure
  equal(expected, `capacity_bytes of at least ${16 * 1024 * 1024}`)
  match(found, /^\d+$/)
  equal(calls.at(-1)?.rpc, 'CreateVolume')
})

test('contexts are the same whatever the order of their entries, which Go drivers shuffle', async (t) => {
  let calls = 0
  const shuffled = (): Record<string, string> => ((calls += 1) % 2 === 0 ? { a: '1', b: '2' } : { b: '2', a: '1' })
  const under = await driverUnderCheck(t, {
    id: 'x',
    does: 'sends the entries of maps in another order each time',
    handlers: ({ real }) => ({
      createVolume: async (request) => {
        const { volume } = await real.createVolume(request)
        return { volume: volume && { ...volume, volumeContext: shuffled() } }
      },
      controllerPublishVolume: async (request) => {
        await real.controllerPublishVolume({ ...request, volumeContext: {} })
        return { publishContext: shuffled() }
      },
    }),
  })
  const ids = ['create/same-context', 'attach/same-context']
  const { results } = await runOn(
    under,
    ALL_CASES.filter(({ id }) => ids.includes(id)),
  )
  deepEqual(
    results.map(({ outcome }) => outcome),
    [{ kind: 'passed' }, { kind: 'passed' }],
  )
})

test('volumes of others are not touched', async (t) => {
  const under = await driverUnderCheck(t)
  const { driver, connection } = connectDriver({ endpoint: under.options.endpoint, clock: under.world.clock })
  const { volume } = await driver.createVolume({
    name: 'precious',
    volumeCapabilities: [{ accessType: { $case: 'mount', value: {} }, accessMode: { mode: 1 } }],
  })
  connection.close()
  await runOn(
    under,
    ALL_CASES.filter(({ id }) => /^(create|delete)\//.test(id)),
  )
  deepEqual(await volumesOf(under), [volume?.volumeId])
})

// A precious volume exists, and the driver returns it for every name.
async function withPrecious(t: TestContext) {
  const touched: string[] = []
  const { promise: held, resolve: isHeld } = Promise.withResolvers<void>()
  let holds = false
  const touch =
    <Request extends { volumeId: string }, Response>(name: string, call: (request: Request) => Promise<Response>) =>
    (request: Request): Promise<Response> => {
      touched.push(name)
      return call(request)
    }
  const under = await driverUnderCheck(t, {
    id: 'x',
    does: 'returns the same volume for every name',
    handlers: ({ real }) => ({
      createVolume: async (request, { signal }) => {
        if (holds) {
          holds = false
          isHeld()
          await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        }
        return real.createVolume({ ...request, name: 'precious' })
      },
      deleteVolume: touch('delete', real.deleteVolume),
      controllerPublishVolume: touch('attach', real.controllerPublishVolume),
      controllerExpandVolume: touch('expand', real.controllerExpandVolume),
      nodePublishVolume: touch('publish', real.nodePublishVolume),
    }),
  })
  const { driver, connection } = connectDriver({ endpoint: under.options.endpoint, clock: under.world.clock })
  await driver.createVolume({
    name: 'precious',
    capacityRange: { requiredBytes: under.options.settings.sizeBytes },
    volumeCapabilities: [{ accessType: { $case: 'mount', value: {} }, accessMode: { mode: 1 } }],
    accessibilityRequirements: { requisite: [{ segments: { 'topology.holdfast.dev/zone': 'a' } }] },
  })
  connection.close()
  return { ...under, touched, held, holdReplies: () => (holds = true) }
}

test('a volume that the driver listed before the run and returns as new fails the case and is not touched', async (t) => {
  const under = await withPrecious(t)
  const [precious] = await volumesOf(under)
  const ids = ['create/returns-volume', 'delete/repeat', 'data/kept', 'expand/grows']
  const { results, left } = await runOn(
    under,
    ALL_CASES.filter(({ id }) => ids.includes(id)),
  )
  for (const { outcome } of results) {
    ok(outcome.kind === 'failed')
    match(outcome.failure.found, new RegExp(`volume ${precious}, which the driver listed before this run`))
  }
  deepEqual([results.length, left, under.touched], [ids.length, [], []])
  deepEqual(await volumesOf(under), [precious])
})

test('a volume that the driver listed before the run is not deleted by --clean, even if the driver returns it as new', async (t) => {
  const under = await withPrecious(t)
  const precious = await volumesOf(under)
  under.holdReplies()
  const one: Case = {
    id: 'test/held',
    title: 'never ends',
    clause: '',
    section: '',
    needs: [],
    run: async (check) => void (await createVolume(check, 'a')),
  }
  let run = ''
  const session = await openCheck(under.options, under.world)
  const running = session.run([one], { onPlan: (_plan, id) => (run = id), onResult: () => {} })
  await under.held
  // As kill -9 leaves it: the journal has the name and no ID.
  const journal = join(under.options.work, run)
  const killed = `${under.options.work}-killed`
  cpSync(journal, join(killed, run), { recursive: true })
  session[Symbol.dispose]()
  await running.catch(() => {})
  const clean = { work: killed, run, secrets: new Map(), callTimeoutMs: 10_000 }
  deepEqual(await cleanRun(clean, under.world), [])
  deepEqual([await volumesOf(under), under.touched], [precious, []])
})

test('what an interrupted run left is removed by its journal', { skip: withoutMounts }, async (t) => {
  const under = await driverUnderCheck(t)
  let isUsed = (): void => {}
  const used = new Promise<void>((resolve) => (isUsed = resolve))
  let kill = (): void => {}
  const killed = new Promise<void>((resolve) => (kill = resolve))
  const endless: Case = {
    id: 'test/endless',
    title: 'never ends',
    clause: '',
    section: '',
    needs: [],
    run: async (check) => {
      await useVolume(check, await createVolume(check, 'a'))
      isUsed()
      await killed
    },
  }
  let run = ''
  const session = await openCheck(under.options, under.world)
  const running = session.run([endless], { onPlan: (_plan, id) => (run = id), onResult: () => {} })
  await used
  session[Symbol.dispose]()

  equal((await volumesOf(under)).length, 1)
  const cleaned: string[] = []
  const clean = { work: under.options.work, run, secrets: new Map(), callTimeoutMs: 10_000 }
  deepEqual(await cleanRun({ ...clean, onCleaned: (what) => void cleaned.push(what) }, under.world), [])
  equal(cleaned.length, 1)
  deepEqual(await volumesOf(under), [])
  equal(existsSync(join(under.options.work, run)), false)
  kill()
  await running.catch(() => {})
})

test('a volume whose reply was lost is found again by its name and deleted', async (t) => {
  let isLost = true
  const under = await driverUnderCheck(t, {
    id: 'x',
    does: 'loses the first reply',
    handlers: ({ real }) => ({
      createVolume: async (request, { signal }) => {
        const response = await real.createVolume(request)
        if (isLost)
          await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        return response
      },
    }),
  })
  const one: Case = {
    id: 'test/lost',
    title: 'creates',
    clause: '',
    section: '',
    needs: [],
    run: async (check) => {
      await createVolume(check, 'a').catch(() => {})
      isLost = false
    },
  }
  const options = { ...under.options, settings: { ...under.options.settings, callTimeoutMs: 300 } }
  const { left } = await runOn({ ...under, options }, [one])
  deepEqual(left, [])
  deepEqual(await volumesOf(under), [])
})

test(
  'a volume that the driver let go while it was published is not left behind',
  { skip: withoutMounts },
  async (t) => {
    const deleted = new Set<string>()
    const under = await driverUnderCheck(t, {
      id: 'x',
      does: 'deletes volumes in use, and does not know them afterwards',
      handlers: ({ real }) => ({
        deleteVolume: (request) => {
          deleted.add(request.volumeId)
          return Promise.resolve({})
        },
        nodeUnpublishVolume: async (request) => {
          const reply = await real.nodeUnpublishVolume(request)
          if (deleted.has(request.volumeId)) throw new CsiError('NOT_FOUND', request.volumeId)
          return reply
        },
      }),
    })
    const { results, left } = await runOn(
      under,
      ALL_CASES.filter(({ id }) => id === 'delete/in-use'),
    )
    deepEqual([results.map(({ outcome }) => outcome), left], [[{ kind: 'passed' }], []])
  },
)
