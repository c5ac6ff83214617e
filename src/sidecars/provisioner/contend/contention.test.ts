import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { EVENTS } from '../../../api/kinds/event.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import { createSeededRandom } from '../../../base/random.ts'
import { CsiError } from '../../../csi/index.ts'
import type { CreateVolumeRequest } from '../../../csi/generated/csi/v1/csi.ts'
import type { CsiHandlers } from '../../../csi/kit/index.ts'
import { defineController, keyIfPresent, on, startControllers } from '../../../kube/controller/index.ts'
import { createVolumeRequest } from '../create-volume-request.ts'
import { selectedNodeOf } from '../../../storage/names.ts'
import { DEFAULT_CONFIG, openParts } from '../testing/describe-parts.ts'
import type { PartsUnderTest } from '../testing/describe-parts.ts'
import { testClaim, testClass } from '../testing/objects.ts'
import type { ClaimMemory, ReadObjects } from '../provision-view.ts'
import { createOn } from '../../../testing/objects.ts'
import { contentionSteps } from './contention-steps.ts'
import { nextContentionStep } from './next-contention-step.ts'
import type { ContentionStep, ContentionView } from './next-contention-step.ts'

const GI = 2n ** 30n
const REF = { namespace: 'default', name: 'data' }
const SECOND = 1000

type GetCapacity = NonNullable<CsiHandlers['getCapacity']>
type World = PartsUnderTest & {
  answer: GetCapacity
  readonly asked: string[]
  /** Until they are taken out again, claims are as good as gone. */
  readonly hidden: Set<string>
  readonly busy: () => number
}
type WorldOptions = {
  nodes?: readonly string[]
  baseMs?: number
  hasCapacity?: boolean
  apiOf?: (api: Api, node: string) => Api
}

function requestOf(claim: PersistentVolumeClaim): CreateVolumeRequest {
  const request = createVolumeRequest({
    volumeName: 'v',
    claim,
    class: testClass({ parameters: { type: 'ssd' } }),
    fsType: '',
    requestedBytes: GI,
    singleNodeMultiWriter: false,
    extraMetadata: false,
  })
  if (request.kind !== 'ok') throw new Error('the request can be made')
  return request.value
}

/** One instance on each node, each with a queue as the provisioner has it. */
async function startWorld(
  context: TestContext,
  { nodes = ['n1'], baseMs = 20 * SECOND, hasCapacity = true, apiOf = (api) => api }: WorldOptions = {},
): Promise<World> {
  const asked: string[] = []
  const script: { answer: GetCapacity } = { answer: () => Promise.resolve({ availableCapacity: GI }) }
  const getCapacity: GetCapacity = (request, call) => {
    asked.push(
      `${request.accessibleTopology?.segments['node'] ?? ''} ${JSON.stringify(request.parameters)} ${request.volumeCapabilities.length}`,
    )
    return script.answer(request, call)
  }
  const others: CsiHandlers = {
    createVolume: () => Promise.reject(new Error('not called')),
    deleteVolume: () => Promise.reject(new Error('not called')),
  }
  const world = await openParts(context, { handlers: { ...others, ...(hasCapacity ? { getCapacity } : {}) } })
  const { clock, parts } = world
  const hidden = new Set<string>()
  let mostBusy = 0
  for (const [index, nodeName] of nodes.entries()) {
    const config = { ...DEFAULT_CONFIG, nodeDeploymentBaseDelayMs: baseMs }
    const own = { ...parts, random: createSeededRandom(index + 1), api: apiOf(parts.api, nodeName) }
    const starting = startControllers(own, new AbortController().signal, (role) => {
      const claims = role.follow(PERSISTENT_VOLUME_CLAIMS)
      const queue = role.createQueue({ name: nodeName, lanes: { default: 1 } })
      const steps = contentionSteps(
        { ...config, ownNode: { name: nodeName, segments: { node: nodeName }, immediateBinding: true } },
        parts,
        role,
      )
      const controller = defineController<ContentionView, ContentionStep, ClaimMemory, ReadObjects>({
        name: nodeName,
        queue,
        watch: [on(claims, keyIfPresent)],
        view: (key, { memory, reads }) => {
          const claim = hidden.has(key) ? undefined : claims.get(key)
          const waitMs = memory?.turnAtMs === undefined ? undefined : memory.turnAtMs - clock.monotonicMs()
          const held = { waitMs, answer: reads.room }
          return claim && { seen: { claim, nodeName, request: requestOf(claim) }, held }
        },
        decide: nextContentionStep,
        perform: steps,
      })
      const { start } = queue
      queue.start = (work) =>
        start((key) => {
          const startedMs = clock.monotonicMs()
          return Promise.resolve(work(key)).finally(
            () => (mostBusy = Math.max(mostBusy, clock.monotonicMs() - startedMs)),
          )
        })
      return [controller]
    })
    await world.started(starting)
  }
  return Object.assign(script, { ...world, asked, hidden, busy: () => mostBusy })
}

const createClaim = (api: Api): Promise<PersistentVolumeClaim> =>
  createOn(api, PERSISTENT_VOLUME_CLAIMS, testClaim({}, REF))
const selected = async ({ api }: World): Promise<string> => selectedNodeOf(await api.get(PERSISTENT_VOLUME_CLAIMS, REF))
const eventsOf = async ({ api }: World): Promise<string[]> =>
  (await api.list(EVENTS)).items
    .filter(({ involvedObject }) => involvedObject?.name === 'data')
    .map(({ type, reason, message, count }) => `${count} ${type} ${reason}: ${message}`)

test('of many nodes exactly one gets the claim, within the base delay, and no worker waits', async (context) => {
  const world = await startWorld(context, { nodes: ['n1', 'n2', 'n3', 'n4', 'n5'] })
  await createClaim(world.api)
  await world.settled()
  equal(await selected(world), '')
  await world.advance(20 * SECOND)
  ok((await selected(world)).startsWith('n'))
  deepEqual(world.writes, ['update persistentvolumeclaims data'])
  equal(world.busy(), 0)
  const winner = await selected(world)
  await world.advance(600 * SECOND)
  equal(await selected(world), winner)
  equal(world.writes.length, 1)
})
test('the driver is asked about this node for the very volume', async (context) => {
  const world = await startWorld(context)
  await createClaim(world.api)
  await world.advance(20 * SECOND)
  deepEqual(world.asked, ['n1 {"type":"ssd"} 1'])
})
test('a node without room leaves the claim, says so once, and takes it when there is room', async (context) => {
  const world = await startWorld(context)
  world.answer = () => Promise.resolve({ availableCapacity: GI / 2n })
  await createClaim(world.api)
  await world.advance(600 * SECOND)
  equal(await selected(world), '')
  ok(world.asked.length >= 10 && world.asked.length < 20, `${world.asked.length} questions in 10 min`)
  const events = await eventsOf(world)
  equal(events.length, 1)
  equal(
    events[0],
    '1 Normal WaitForCapacity: node n1 has 536870912 bytes available, and the claim requests 1073741824 bytes.',
  )
  world.answer = () => Promise.resolve({ availableCapacity: GI })
  await world.advance(60 * SECOND)
  equal(await selected(world), 'n1')
})
test('the node with room gets it, whoever comes first', async (context) => {
  const world = await startWorld(context, { nodes: ['n1', 'n2', 'n3'] })
  world.answer = ({ accessibleTopology }) =>
    Promise.resolve({ availableCapacity: accessibleTopology?.segments['node'] === 'n2' ? GI : 0n })
  await createClaim(world.api)
  await world.advance(20 * SECOND)
  equal(await selected(world), 'n2')
})
for (const [behaviour, hasCapacity] of [
  ['a driver that fails to say takes it', true],
  ['a driver that can not say is not asked', false],
] as const) {
  test(behaviour, async (context) => {
    const world = await startWorld(context, { hasCapacity })
    world.answer = () => Promise.reject(new CsiError('INTERNAL', 'no idea'))
    await createClaim(world.api)
    await world.advance(20 * SECOND)
    equal(await selected(world), 'n1')
    equal(world.asked.length, hasCapacity ? 1 : 0)
  })
}
test('who meets a conflict waits longer than before', async (context) => {
  // Every update but the third finds that the claim was changed just before.
  let updates = 0
  const atMs: number[] = []
  const apiOf = (api: Api): Api => ({
    ...api,
    update: async (type, object, options) => {
      atMs.push(nowMs())
      if (++updates < 3)
        await api.patch(PERSISTENT_VOLUME_CLAIMS, REF, {
          type: 'merge',
          value: { metadata: { labels: { changed: String(updates) } } },
        })
      return api.update(type, object, options)
    },
  })
  const world = await startWorld(context, { apiOf })
  const nowMs = (): number => world.clock.monotonicMs()
  await createClaim(world.api)
  await world.advance(600 * SECOND)
  equal(await selected(world), 'n1')
  const [first = 0, second = 0, third = 0] = atMs
  equal(atMs.length, 3)
  ok(first <= 20 * SECOND)
  ok(second - first >= 20 * SECOND && second - first <= 40 * SECOND, `${second - first}`)
  ok(third - second >= 40 * SECOND && third - second <= 60 * SECOND, `${third - second}`)
})
test('a claim that comes back waits longer here, until it is forgotten', async (context) => {
  const world = await startWorld(context)
  const giveBack = async (): Promise<number> => {
    const claim = await world.api.get(PERSISTENT_VOLUME_CLAIMS, REF)
    await world.api.update(PERSISTENT_VOLUME_CLAIMS, { ...claim, metadata: { ...claim.metadata, annotations: {} } })
    const startMs = world.clock.monotonicMs()
    while ((await selected(world)) === '') await world.advance(100)
    return world.clock.monotonicMs() - startMs
  }
  await createClaim(world.api)
  await world.advance(20 * SECOND)
  ok((await giveBack()) >= 20 * SECOND)
  ok((await giveBack()) >= 40 * SECOND)
  const touch = (touched: string) =>
    world.api.patch(PERSISTENT_VOLUME_CLAIMS, REF, { type: 'merge', value: { metadata: { labels: { touched } } } })
  world.hidden.add('default/data')
  await touch('1')
  await world.settled()
  world.hidden.delete('default/data')
  ok((await giveBack()) <= 20 * SECOND + 100)
})
test('without delays it still asks for room no more than once a second', async (context) => {
  const world = await startWorld(context, { baseMs: 0 })
  world.answer = () => Promise.resolve({ availableCapacity: 0n })
  await createClaim(world.api)
  await world.advance(10 * SECOND)
  equal(world.asked.length, 11)
})
