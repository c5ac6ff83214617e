import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { EVENTS } from '../../../api/kinds/event.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import { createSeededRandom } from '../../../base/random.ts'
import { CsiError } from '../../../csi/index.ts'
import type { CsiHandlers } from '../../../csi/kit/index.ts'
import { DONE, startController } from '../../../kube/controller.ts'
import { createWorkQueue } from '../../../kube/work-queue.ts'
import { createVolumeRequest } from '../create-volume-request.ts'
import { selectedNodeOf } from '../../../storage/names.ts'
import type { ProvisionPlan } from '../plan-volume.ts'
import { DEFAULT_CONFIG, openParts } from '../testing/describe-parts.ts'
import type { PartsUnderTest } from '../testing/describe-parts.ts'
import { testClaim, testClass } from '../testing/objects.ts'
import { createContention } from './create-contention.ts'
import type { Contention } from './create-contention.ts'

const GI = 2n ** 30n
const REF = { namespace: 'default', name: 'data' }
const SECOND = 1000

type GetCapacity = NonNullable<CsiHandlers['getCapacity']>
type World = PartsUnderTest & {
  answer: GetCapacity
  readonly asked: string[]
  readonly contentions: ReadonlyMap<string, Contention>
  readonly busy: () => number
}
type WorldOptions = {
  nodes?: readonly string[]
  baseMs?: number
  hasCapacity?: boolean
  apiOf?: (api: Api, node: string) => Api
}

function planOf(claim: PersistentVolumeClaim): ProvisionPlan {
  const storageClass = testClass({ parameters: { type: 'ssd' } })
  const request = createVolumeRequest({
    volumeName: 'v',
    claim,
    class: storageClass,
    fsType: '',
    requestedBytes: GI,
    singleNodeMultiWriter: false,
    extraMetadata: false,
  })
  if (request.kind !== 'ok') throw new Error('the request can be made')
  return {
    request: request.value,
    claim,
    class: storageClass,
    secrets: {},
    fsType: '',
    selectedNode: '',
    topology: true,
  }
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
  const claims = parts.informers.get(PERSISTENT_VOLUME_CLAIMS)
  const contentions = new Map<string, Contention>()
  let mostBusy = 0
  for (const [index, name] of nodes.entries()) {
    const random = createSeededRandom(index + 1)
    const config = { ...DEFAULT_CONFIG, nodeDeploymentBaseDelayMs: baseMs }
    const contention = createContention(config, {
      ...parts,
      random,
      api: apiOf(parts.api, name),
      ownNode: { name, segments: { node: name } },
    })
    contentions.set(name, contention)
    const queue = createWorkQueue({ clock, random, lanes: { default: 1 } })
    const reconcile = async (key: string, signal: AbortSignal) => {
      const claim = claims.get(key)
      return claim && selectedNodeOf(claim) === '' ? contention.contend(claim, planOf(claim), signal) : DONE
    }
    const controller = startController({
      name,
      queue,
      log: parts.log,
      reconcile: (key, { signal }) => {
        const startedMs = clock.monotonicMs()
        return reconcile(key, signal).finally(() => (mostBusy = Math.max(mostBusy, clock.monotonicMs() - startedMs)))
      },
    })
    const unwatch = claims.onChange(({ key }) => queue.add(key))
    await world.started(
      Promise.resolve({ isIdle: () => queue.depth() === 0, stop: async () => (unwatch(), await controller.stop()) }),
    )
  }
  return Object.assign(script, { ...world, asked, contentions, busy: () => mostBusy })
}

async function createClaim(api: Api): Promise<void> {
  const { uid: _, resourceVersion: _version, ...metadata } = testClaim().metadata
  await api.create(PERSISTENT_VOLUME_CLAIMS, { ...testClaim(), metadata: { ...metadata, ...REF } })
}
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
    '1 Normal WaitForCapacity: Not enough room (node: n1, requested: 1073741824 bytes, available: 536870912 bytes); waits for a node with more room.',
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
  const { uid = '' } = (await world.api.get(PERSISTENT_VOLUME_CLAIMS, REF)).metadata
  world.contentions.get('n1')?.forget(uid)
  ok((await giveBack()) <= 20 * SECOND + 100)
})
test('without delays it still asks for room no more than once a second', async (context) => {
  const world = await startWorld(context, { baseMs: 0 })
  world.answer = () => Promise.resolve({ availableCapacity: 0n })
  await createClaim(world.api)
  await world.advance(10 * SECOND)
  equal(world.asked.length, 11)
})
