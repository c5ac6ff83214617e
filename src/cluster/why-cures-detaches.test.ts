import { equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../api/api.ts'
import { VOLUME_ATTACHMENTS } from '../api/kinds/volume-attachment.ts'
import type { VolumeAttachment } from '../api/kinds/volume-attachment.ts'
import { abandonOnAbort } from '../base/abort.ts'
import { defineDriver } from '../csi/kit/index.ts'
import { defineController, DONE, on } from '../kube/controller/index.ts'
import {
  createClaim,
  createPod,
  deletePod,
  getClaim,
  getPod,
  startClusterUnderTest,
} from './testing/describe-cluster.ts'
import type { ClusterUnderTest } from './testing/describe-cluster.ts'
import { why } from './why.ts'

const NAME = 'own.example.com'
const DETACHES = 12
const LONG = { limitMs: 600_000 }

/** Storage that detaches nothing until it is told to. */
function createSlowStorage() {
  const recovered = Promise.withResolvers<void>()
  return {
    recover: recovered.resolve,
    detach: (signal: AbortSignal): Promise<void> => abandonOnAbort(recovered.promise, signal),
  }
}
type SlowStorage = ReturnType<typeof createSlowStorage>

/** As the attacher of kubernetes-csi: one queue, and one pool of workers for attaching and detaching. Returns what ends it. */
async function startGoAttacher(
  { startControllers }: ClusterUnderTest,
  storage: SlowStorage,
  { workerThreads }: { workerThreads: number },
): Promise<() => void> {
  const ended = new AbortController()
  type Step = { kind: 'attach' } | { kind: 'detach' } | { kind: 'wait'; reason: { code: string } }
  await startControllers(({ follow, createQueue, api }) => {
    const attachments = follow(VOLUME_ATTACHMENTS)
    const patch = ({ metadata: { name = '' } }: VolumeAttachment, value: object, subresource?: 'status') =>
      api.patch(VOLUME_ATTACHMENTS, { name }, { type: 'merge', value }, subresource ? { subresource } : {})
    return [
      defineController<VolumeAttachment, Step>({
        name: 'go-attacher',
        queue: createQueue({ name: 'go-attacher', lanes: { default: workerThreads } }),
        watch: [on(attachments, ({ key }) => key)],
        view: (name) => (ended.signal.aborted ? undefined : attachments.get(name)),
        decide: ({ metadata, status }) => {
          if (metadata.deletionTimestamp !== undefined) return { kind: 'detach' }
          return status?.attached ? { kind: 'wait', reason: { code: 'Attached' } } : { kind: 'attach' }
        },
        perform: {
          attach: async (_step, { view }) => {
            await patch(view, { status: { attached: true } }, 'status')
            return DONE
          },
          detach: async (_step, { view, signal }) => {
            await storage.detach(AbortSignal.any([signal, ended.signal]))
            await patch(view, { metadata: { finalizers: null } })
            return DONE
          },
        },
        onError: () => DONE,
      }),
    ]
  })
  return () => ended.abort(new Error('the attacher was stopped'))
}

const isRunning = (api: Api) => async (): Promise<boolean> => (await getPod(api, 'web')).status?.phase === 'Running'

const detachesOf = async (api: Api): Promise<number> =>
  (await api.list(VOLUME_ATTACHMENTS)).items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).length

/** A Go attacher whose workers are all detaching, and a pod whose volume it does not attach. `sentence` is what `why` says about the pod. */
async function openBusy(context: TestContext) {
  const storage = createSlowStorage()
  context.after(() => storage.recover())
  const cluster = await startClusterUnderTest(context, {
    drivers: ({ log }) => {
      const handlers = {
        createVolume: ({ name }: { name: string }) =>
          Promise.resolve({ volume: { volumeId: name, capacityBytes: 1024n ** 2n } }),
        deleteVolume: () => Promise.resolve({}),
        controllerPublishVolume: () => Promise.resolve({ publishContext: {} }),
        controllerUnpublishVolume: async (_request: unknown, { signal }: { signal: AbortSignal }) => {
          await storage.detach(signal)
          return {}
        },
        nodeGetInfo: () => Promise.resolve({ nodeId: 'n1' }),
        nodePublishVolume: () => Promise.resolve({}),
        nodeUnpublishVolume: () => Promise.resolve({}),
      }
      return [{ server: defineDriver({ name: NAME, version: '1' }, { handlers, log }) }]
    },
  })
  const { api, until, advance, stopPart } = cluster
  const old = Array.from({ length: DETACHES }, (_, index) => `old-${index + 1}`)
  for (const name of [...old, 'data']) await createClaim(api, name)
  for (const name of old) await createPod(api, name, name)
  const isBound = async (): Promise<boolean> => (await getClaim(api, 'data')).status?.phase === 'Bound'
  await until('the claim is bound', isBound)
  for (const name of old)
    await until(`${name} runs`, async () => (await getPod(api, name)).status?.phase === 'Running', LONG)
  await stopPart('sidecars')
  const endAttacher = await startGoAttacher(cluster, storage, { workerThreads: 10 })
  for (const name of old) await deletePod(api, name)
  await until('all of them are to be detached', async () => (await detachesOf(api)) === DETACHES, LONG)
  await createPod(api, 'web', 'data')
  await advance(120_000)
  equal(await isRunning(api)(), false)
  const { sentence } = await why(api, 'pod/web')
  match(
    sentence,
    /The attacher also has 12 volumes to detach, the first since \S+Z\. An attacher with one pool of workers/,
  )
  return { ...cluster, storage, endAttacher, sentence }
}

describe('a volume that is not attached because an attacher is busy with detaches', () => {
  test('is attached once the attacher has more worker threads than detaches', async (context) => {
    const cluster = await openBusy(context)
    const { api, until, storage, endAttacher, sentence } = cluster
    match(sentence, /or raise its --worker-threads\.$/)
    endAttacher()
    await startGoAttacher(cluster, storage, { workerThreads: DETACHES + 1 })
    await until('the pod runs', isRunning(api), LONG)
    equal(await detachesOf(api), DETACHES, 'detaching is as slow as before')
  })

  test('is attached once detaching is fast again', async (context) => {
    const { api, until, storage, sentence } = await openBusy(context)
    const [, oldest = ''] = /find out why detaching takes long \(holdfast why (\S+)\)/.exec(sentence) ?? []
    match(
      (await why(api, oldest)).sentence,
      /is waiting for external-attacher of own\.example\.com CSI driver to detach/,
    )
    storage.recover()
    await until('the pod runs', isRunning(api), LONG)
    await until('everything is detached', async () => (await detachesOf(api)) === 0, LONG)
  })

  test("is attached once Holdfast's attacher has taken over, while detaching is as slow as before", async (context) => {
    const { api, until, endAttacher, startPart } = await openBusy(context)
    endAttacher()
    await startPart('sidecars')
    await until('the pod runs', isRunning(api), LONG)
    equal(await detachesOf(api), DETACHES)
    ok((await why(api, 'pod/web')).sentence.startsWith('Pod web is running'))
  })
})
