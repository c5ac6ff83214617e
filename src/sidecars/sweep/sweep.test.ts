import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../../api/api.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { openTestCore } from '../../apiserver/testing/open-test-core.ts'
import type { Clock } from '../../base/clock.ts'
import { ControllerCapability, CsiError } from '../../csi/index.ts'
import type { Driver } from '../../csi/index.ts'
import { ATTACHED_HANDLE, PROVISIONED_BY } from '../../storage/names.ts'
import { uniqueVolumeName } from '../../storage/unique-volume-name.ts'
import { claimOf, createWithStatus, volumeOf } from '../../testing/objects.ts'
import type { DriverFacts } from '../discover-driver.ts'
import { journalRef, parseJournal } from './journal.ts'
import { sweep } from './sweep.ts'
import type { SweepParts, Swept } from './sweep.ts'

const DRIVER = 'test.holdfast.dev'
const NAMESPACE = 'default'
const HOUR_MS = 3_600_000
const facts: DriverFacts = {
  name: DRIVER,
  version: '1',
  services: new Set(),
  group: new Set(),
  expandsOnNodeOnly: false,
  controller: new Set([ControllerCapability.LIST_VOLUMES, ControllerCapability.LIST_VOLUMES_PUBLISHED_NODES]),
}

/** A backend that several clusters may share. */
function createBackend() {
  const volumes = new Map<string, { nodeIds: string[] }>()
  const deleted: string[] = []
  let error: CsiError | undefined
  const driver = {
    listVolumes: () =>
      Promise.resolve({
        entries: Array.from(volumes, ([volumeId, { nodeIds }]) => ({
          volume: { volumeId, capacityBytes: 1n },
          status: { publishedNodeIds: nodeIds },
        })),
        nextToken: '',
      }),
    deleteVolume: ({ volumeId }: { volumeId: string }) => {
      if (error) return Promise.reject(error)
      deleted.push(volumeId)
      volumes.delete(volumeId)
      return Promise.resolve({})
    },
    // Nothing else is called.
  } as unknown as Driver
  return { driver, volumes, deleted, fail: (with_: CsiError) => void (error = with_) }
}

type Backend = ReturnType<typeof createBackend>

async function openCluster(context: TestContext, { driver }: Backend) {
  const { api } = await openTestCore(context)
  let nowMs = Date.parse('2030-01-01T00:00:00Z')
  // Pauses end at once.
  const clock: Clock = {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    setTimer: (_delayMs, callback) => {
      queueMicrotask(callback)
      return { cancel: () => {} }
    },
  }
  const run = (more: Partial<SweepParts> = {}): Promise<Swept> =>
    sweep({
      ...{ api, driver, facts, clock, settleMs: 0, timeoutMs: 1000 },
      ...{ signal: new AbortController().signal, journalNamespace: NAMESPACE },
      ...more,
    })
  return { api, run, pass: (ms: number) => void (nowMs += ms) }
}

const provision = async (
  api: Api,
  { volumes }: Backend,
  name: string,
  policy: 'Delete' | 'Retain' = 'Delete',
): Promise<void> => {
  volumes.set(`handle-${name}`, { nodeIds: [] })
  await createWithStatus(
    api,
    PERSISTENT_VOLUMES,
    volumeOf({
      name,
      metadata: { annotations: { [PROVISIONED_BY]: DRIVER } },
      spec: { csi: { driver: DRIVER, volumeHandle: `handle-${name}` }, persistentVolumeReclaimPolicy: policy },
    }),
  )
}

/** As a person does who removes finalizers by hand. */
const forceAway = async (api: Api, name: string): Promise<void> => {
  await api.patch(PERSISTENT_VOLUMES, { name }, { type: 'merge', value: { metadata: { finalizers: null } } })
  await api.delete(PERSISTENT_VOLUMES, { name })
}

/** A volume of this cluster that lost its object long ago. */
async function openWithOrphan(context: TestContext, policy: 'Delete' | 'Retain' = 'Delete') {
  const backend = createBackend()
  const cluster = await openCluster(context, backend)
  await provision(cluster.api, backend, 'v1', policy)
  deepEqual((await cluster.run()).leaks, [])
  await forceAway(cluster.api, 'v1')
  await cluster.run()
  cluster.pass(2 * HOUR_MS)
  return { backend, ...cluster }
}

describe('sweep --delete', () => {
  test('deletes an own volume after the grace period, and forgets it', async (context) => {
    const { api, backend, run, pass } = await openWithOrphan(context)
    deepEqual((await run({ deleteAfterMs: 3 * HOUR_MS })).deletions, [
      { handle: 'handle-v1', result: 'kept', because: 'the grace period ends in 3600 s' },
    ])
    pass(2 * HOUR_MS)
    deepEqual((await run({ deleteAfterMs: 3 * HOUR_MS })).deletions, [{ handle: 'handle-v1', result: 'deleted' }])
    deepEqual(backend.deleted, ['handle-v1'])
    const journal = parseJournal(await api.get(CONFIG_MAPS, journalRef(DRIVER, NAMESPACE)))
    deepEqual([journal.own.size, journal.orphans.size], [0, 0])
  })

  test('writes the intent before the call, and keeps it if the driver fails', async (context) => {
    const { api, backend, run } = await openWithOrphan(context)
    backend.fail(new CsiError('INTERNAL', 'no', { rpc: 'DeleteVolume' }))
    const [deletion] = (await run({ deleteAfterMs: HOUR_MS })).deletions
    equal(deletion?.result, 'failed')
    const { orphans } = parseJournal(await api.get(CONFIG_MAPS, journalRef(DRIVER, NAMESPACE)))
    ok(orphans.get('handle-v1')?.deletingMs !== undefined)
  })

  test('asks before each volume', async (context) => {
    const { backend, run } = await openWithOrphan(context)
    const { deletions } = await run({ deleteAfterMs: HOUR_MS, confirm: () => Promise.resolve(false) })
    deepEqual(deletions, [{ handle: 'handle-v1', result: 'kept', because: 'you did not confirm it' }])
    deepEqual(backend.deleted, [])
  })

  test('leaves a volume that was restored before the answer', async (context) => {
    const { api, backend, run } = await openWithOrphan(context)
    const confirm = async (): Promise<boolean> => {
      await provision(api, backend, 'v1')
      return true
    }
    const { deletions } = await run({ deleteAfterMs: HOUR_MS, confirm })
    deepEqual(deletions, [{ handle: 'handle-v1', result: 'kept', because: 'a PersistentVolume names it' }])
  })

  test('leaves a volume that was retained: it may have been moved to another cluster', async (context) => {
    const { run } = await openWithOrphan(context, 'Retain')
    const { leaks, deletions } = await run({ deleteAfterMs: HOUR_MS })
    deepEqual(
      leaks.map(({ kind }) => kind),
      ['volume-without-object'],
    )
    deepEqual(deletions, [])
  })

  type InUse = [use: string, set: (parts: { api: Api; backend: Backend }) => Promise<unknown>, because: string]
  const uses: InUse[] = [
    [
      'attached to a node',
      ({ backend }) => Promise.resolve(backend.volumes.set('handle-v1', { nodeIds: ['id-1'] })),
      'it is attached to id-1',
    ],
    [
      'of a claim whose pod may still run',
      ({ api }) => createWithStatus(api, PERSISTENT_VOLUME_CLAIMS, claimOf({ spec: { volumeName: 'v1' } })),
      'a claim still refers to its PersistentVolume',
    ],
    [
      'with a VolumeAttachment',
      ({ api }) =>
        createWithStatus(api, VOLUME_ATTACHMENTS, {
          apiVersion: 'storage.k8s.io/v1',
          kind: 'VolumeAttachment',
          metadata: { name: 'va', annotations: { [ATTACHED_HANDLE]: 'handle-v1' } },
          spec: { attacher: DRIVER, nodeName: 'n1', source: { persistentVolumeName: 'v1' } },
        }),
      'a VolumeAttachment refers to it',
    ],
    [
      'that a node reports in use',
      ({ api }) =>
        createWithStatus(api, NODES, {
          apiVersion: 'v1',
          kind: 'Node',
          metadata: { name: 'n1' },
          status: { volumesInUse: [uniqueVolumeName(DRIVER, 'handle-v1')] },
        }),
      'node n1 reports it in use',
    ],
  ]
  for (const [use, set, because] of uses)
    test(`never touches a volume ${use}`, async (context) => {
      const { api, backend, run } = await openWithOrphan(context)
      await set({ api, backend })
      deepEqual((await run({ deleteAfterMs: HOUR_MS })).deletions, [{ handle: 'handle-v1', result: 'kept', because }])
      deepEqual(backend.deleted, [])
    })

  test('two clusters on one driver: neither offers the volumes of the other', async (context) => {
    const backend = createBackend()
    const [one, other] = [await openCluster(context, backend), await openCluster(context, backend)]
    await provision(one.api, backend, 'of-one')
    await provision(other.api, backend, 'of-other')
    for (const { run } of [one, other]) await run({ deleteAfterMs: HOUR_MS })
    await forceAway(one.api, 'of-one')
    await one.run({ deleteAfterMs: HOUR_MS })
    for (const { pass } of [one, other]) pass(2 * HOUR_MS)
    const seen = await other.run({ deleteAfterMs: HOUR_MS })
    deepEqual(seen.deletions, [])
    deepEqual(
      seen.leaks.map(({ kind, handle }) => [kind, handle]),
      [['volume-without-object', 'handle-of-one']],
    )
    const { deletions } = await one.run({ deleteAfterMs: HOUR_MS })
    deepEqual(deletions, [{ handle: 'handle-of-one', result: 'deleted' }])
    deepEqual([...backend.volumes.keys()], ['handle-of-other'])
  })
})
