import { deepEqual, equal } from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openRawClient } from '../../src/apiserver/testing/raw-client.ts'
import type { RawClient } from '../../src/apiserver/testing/raw-client.ts'
import { startTestServer } from '../../src/apiserver/testing/start-test-server.ts'
import type { TestServer } from '../../src/apiserver/testing/start-test-server.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { ROOT } from '../../scripts/run.ts'
import { ACCEPTED_DIFFERENCES } from './differential/accepted-differences.ts'
import type { AcceptedDifference } from './differential/accepted-differences.ts'
import { compareReplies } from './differential/compare-replies.ts'
import type { Difference } from './differential/compare-replies.ts'
import type { ComparedRequest } from './differential/compared-request.ts'
import { jobRequests } from './differential/job-requests.ts'
import { creations, randomWrite } from './differential/object-requests.ts'
import { createPlayer } from './differential/play-requests.ts'
import type { Player } from './differential/play-requests.ts'
import { applyStory, deletions, historyStory, reads } from './differential/story-requests.ts'
import { compareWatches } from './differential/compare-watches.ts'
import { startKubernetes } from './start-kubernetes.ts'
import type { RunningKubernetes } from './start-kubernetes.ts'

// HOLDFAST_SEED=N sends the requests of another seed, and HOLDFAST_REQUESTS=N more for each; then no entry of the table has to be needed.
const SEEDS = process.env['HOLDFAST_SEED'] === undefined ? [2, 7, 11] : [Number(process.env['HOLDFAST_SEED'])]
const RANDOM_WRITES = Number(process.env['HOLDFAST_REQUESTS'] ?? 4000)
const IS_USUAL = process.env['HOLDFAST_SEED'] === undefined && process.env['HOLDFAST_REQUESTS'] === undefined
const APPLY_STORIES = 80
const PAGE = 'docs/api-differences.md'

describe('our server and kube-apiserver, asked the same', () => {
  let kubernetes: RunningKubernetes
  let holdfast: TestServer
  let clients: { ours: RawClient; theirs: RawClient }
  let players: { ours: Player; theirs: Player }
  const used = new Set<AcceptedDifference>()

  before(async () => {
    kubernetes = await startKubernetes({ serviceAccounts: true })
    holdfast = await startTestServer()
    clients = {
      ours: await openRawClient(holdfast, { user: 'admin', groups: ['system:masters'] }),
      theirs: await openRawClient({ address: kubernetes.address, caPem: kubernetes.ca }, { token: kubernetes.token() }),
    }
    players = { ours: createPlayer(clients.ours), theirs: createPlayer(clients.theirs) }
    // Without its controllers, Kubernetes has no account for pods.
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } })
    const path = '/api/v1/namespaces/default/serviceaccounts'
    await until(async () => {
      const { status } = await clients.theirs.ask({
        method: 'POST',
        path,
        headers: { 'content-type': 'application/json' },
        body,
      })
      return status === 201 || status === 409
    })
  })
  after(async () => {
    clients.ours.close()
    clients.theirs.close()
    await holdfast[Symbol.asyncDispose]()
    await kubernetes.stop()
  })

  const unexpectedIn = async (requests: readonly ComparedRequest[]): Promise<string[]> => {
    const unexpected: string[] = []
    for (const request of requests) {
      const [ours, theirs] = await Promise.all([players.ours.play(request), players.theirs.play(request)])
      const title = `${request.title} (${request.method} ${request.path})`
      unexpected.push(...unaccepted(request.title, compareReplies(ours, theirs)).map((text) => `${title}: ${text}`))
    }
    return unexpected
  }
  const unaccepted = (title: string, differences: readonly Difference[]): string[] =>
    differences.flatMap((difference) => {
      const accepted = ACCEPTED_DIFFERENCES.find((entry) => entry.matches(title, difference))
      if (accepted) used.add(accepted)
      const { at, ours, theirs } = difference
      return accepted ? [] : [`${at}\n  Holdfast   ${show(ours)}\n  Kubernetes ${show(theirs)}`]
    })
  const check = async (requests: readonly ComparedRequest[]): Promise<void> => {
    const unexpected = await unexpectedIn(requests)
    equal(unexpected.length, 0, `${unexpected.length} differences\n${unexpected.slice(0, 20).join('\n')}`)
  }

  test('creates every kind of object the same', async () => {
    const all = creations()
    const definitions = all.findIndex(({ title }) => title.includes('CustomResourceDefinition')) + 1
    await check(all.slice(0, definitions))
    // Kubernetes serves a new kind a moment later.
    await until(async () => (await clients.theirs.ask({ path: '/apis/example.com/v1/widgets' })).status === 200)
    await check(all.slice(definitions))
  })
  test('validates Jobs and the templates of CronJobs the same', () => check(jobRequests()))
  test('reads and selects the same: lists, tables, metadata, pages and versions', () => check(reads()))
  test('lists the same at older versions, and goes on with a list that has changed', () => check(historyStory()))
  for (const [place, seed] of SEEDS.entries()) {
    const random = createSeededRandom(seed)
    test(`validates, defaults and patches the same: seed ${seed}`, () =>
      check(Array.from({ length: RANDOM_WRITES }, () => randomWrite(random))))
    test(`tracks the managers of applied objects the same: seed ${seed}`, () =>
      check(
        Array.from({ length: APPLY_STORIES }, (_, index) => applyStory(random, place * APPLY_STORIES + index)).flat(),
      ))
  }
  test('shows watchers the same events', async () => deepEqual(unaccepted('watch', await compareWatches(clients)), []))
  test('deletes the same, with preconditions and finalizers', () => check(deletions()))

  test('every accepted difference is needed, and documented with its reason', () => {
    if (IS_USUAL)
      deepEqual(
        ACCEPTED_DIFFERENCES.filter((entry) => !used.has(entry)).map(({ what }) => what),
        [],
      )
    const rows = readFileSync(join(ROOT, PAGE), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| What'))
    deepEqual(
      rows,
      ACCEPTED_DIFFERENCES.map(({ what, reason }) => `| ${what} | ${reason} |`),
    )
  })
})

const show = (value: unknown): string => (JSON.stringify(value) ?? 'undefined').slice(0, 500)

async function until(holds: () => Promise<boolean>): Promise<void> {
  // The servers say nothing when they have got there: they are asked again.
  while (!(await holds())) await once(AbortSignal.timeout(50), 'abort')
}
