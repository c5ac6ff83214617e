import { deepEqual, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../api/api.ts'
import { NAMESPACES } from '../api/kinds/namespace.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import { PODS } from '../api/kinds/pod.ts'
import type { CSIVolumeSource, Pod, PodSpec } from '../api/kinds/pod.ts'
import { SECRETS } from '../api/kinds/secret.ts'
import { SERVICE_ACCOUNTS } from '../api/kinds/service-account.ts'
import { VOLUME_ATTACHMENTS } from '../api/kinds/volume-attachment.ts'
import type { ObjectMeta } from '../api/object.ts'
import { createSilentLogger } from '../base/logger.ts'
import { POD_HANDLES_ANNOTATION } from '../compat/mirror-csi-driver.ts'
import { ALPHA_CSI_DRIVERS } from '../compat/alpha-csi-driver.ts'
import type { AlphaCSIDriverSpec } from '../compat/alpha-csi-driver.ts'
import { defineDriver } from '../csi/kit/index.ts'
import type { CsiHandlers } from '../csi/kit/index.ts'
import { createOn, podOf } from '../testing/objects.ts'
import { startClusterUnderTest } from './testing/describe-cluster.ts'
import type { ClusterUnderTest } from './testing/describe-cluster.ts'

// The documents about the registry and about in-line volumes, together: everything is said in their own words, by objects of v1alpha1
// and by pods, in a whole cluster. Each node agent has the rights of its node.

const DRIVER = 'vault.example.com'
const NAMESPACE = 'shop'

type Call = {
  readonly method: keyof CsiHandlers
  readonly request: {
    readonly volumeId: string
    readonly secrets: unknown
    readonly readonly: unknown
    readonly volumeContext: Readonly<Record<string, string>>
  }
}
type Story = ClusterUnderTest & {
  readonly calls: Call[]
  called(method: keyof CsiHandlers, volumeId?: string): Call['request'][]
}

type StoryOptions = {
  /** Where the driver runs. Default: everywhere. */
  readonly nodes?: readonly string[]
  /** Volumes are staged. Default true. */
  readonly stages?: boolean
}

/** A driver that does nothing, with a record of what it was asked. */
async function startStory(
  context: TestContext,
  { nodes = ['node-1', 'node-2'], stages = true }: StoryOptions = {},
): Promise<Story> {
  const calls: Call[] = []
  const recorded = (method: keyof CsiHandlers, answer: object = {}) => ({
    [method]: (request: Call['request']) => Promise.resolve((calls.push({ method, request }), answer)),
  })
  const serverOf = (node: string) => {
    const handlers = {
      ...recorded('createVolume', {
        volume: { volumeId: 'made', capacityBytes: 0n, volumeContext: {}, accessibleTopology: [] },
      }),
      ...recorded('deleteVolume'),
      ...recorded('controllerPublishVolume', { publishContext: {} }),
      ...recorded('controllerUnpublishVolume'),
      ...(stages ? { ...recorded('nodeStageVolume'), ...recorded('nodeUnstageVolume') } : {}),
      ...recorded('nodePublishVolume'),
      ...recorded('nodeUnpublishVolume'),
      nodeGetInfo: () => Promise.resolve({ nodeId: `id-of-${node}` }),
    } as CsiHandlers
    return defineDriver(
      { name: DRIVER, version: '1', features: { publishReadonly: true } },
      { handlers, log: createSilentLogger() },
    )
  }
  const cluster = await startClusterUnderTest(context, {
    nodes: 2,
    drivers: () => nodes.map((node) => ({ node, server: serverOf(node) })),
  })
  const { api } = cluster
  await api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } })
  await api.create(SERVICE_ACCOUNTS, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { namespace: NAMESPACE, name: 'seller' },
  })
  const called = (method: keyof CsiHandlers, volumeId?: string) =>
    calls
      .filter((call) => call.method === method && (volumeId === undefined || call.request.volumeId === volumeId))
      .map(({ request }) => request)
  return { ...cluster, calls, called }
}

/** An object of the registry, under a name of its own. */
const describeDriver = (api: Api, spec: Omit<AlphaCSIDriverSpec, 'driver'>, metadata: ObjectMeta = {}) =>
  api.create(ALPHA_CSI_DRIVERS, {
    apiVersion: 'csi.storage.k8s.io/v1alpha1',
    kind: 'CSIDriver',
    metadata: { name: 'the-vault', ...metadata },
    spec: { driver: DRIVER, ...spec },
  })

const HANDLES = { annotations: { [POD_HANDLES_ANNOTATION]: 'true' } }

const createPod = (api: Api, name: string, csi: Partial<CSIVolumeSource>, spec: Partial<PodSpec> = {}): Promise<Pod> =>
  createOn(
    api,
    PODS,
    podOf(name, {
      namespace: NAMESPACE,
      volumes: [{ name: 'data', csi: { driver: DRIVER, ...csi } }],
      spec: { serviceAccountName: 'seller', ...spec },
    }),
  )
const untilRunning = ({ api, until }: Story, name: string) =>
  until(`${name} runs`, async () => (await api.get(PODS, { namespace: NAMESPACE, name })).status?.phase === 'Running')
async function deletePod({ api, until }: Story, name: string): Promise<void> {
  await api.delete(PODS, { namespace: NAMESPACE, name })
  await until(
    `${name} is gone`,
    async () => (await api.list(PODS)).items.length === 0 && (await api.list(VOLUME_ATTACHMENTS)).items.length === 0,
  )
}

describe('an in-line volume of a driver that the registry describes', () => {
  test('S2-2, S2-15, H3, H40: that existed before, and one with secret content, need neither claim nor volume object, and are never made or deleted', async (context) => {
    const story = await startStory(context, { stages: false })
    const { api, calls, called } = story
    await describeDriver(api, { volumeLifecycleModes: ['Ephemeral'] }, HANDLES)
    await createPod(api, 'former', { volumeHandle: 'disk-7' })
    await untilRunning(story, 'former')
    deepEqual(
      (await api.list(VOLUME_ATTACHMENTS)).items.map(({ spec }) => spec.source.inlineVolumeSpec?.csi?.volumeHandle),
      ['disk-7'],
    )
    deepEqual(
      calls.map(({ method }) => method),
      ['controllerPublishVolume', 'nodePublishVolume'],
    )
    await deletePod(story, 'former')
    const before = calls.splice(0)

    await createPod(api, 'secret', { volumeAttributes: { path: 'keys/web' } })
    await untilRunning(story, 'secret')
    deepEqual(
      called('nodePublishVolume').map(({ volumeContext }) => volumeContext),
      [{ path: 'keys/web' }],
    )
    deepEqual(
      calls.map(({ method }) => method),
      ['nodePublishVolume'],
    )
    await deletePod(story, 'secret')
    deepEqual([(await api.list(PERSISTENT_VOLUMES)).items, (await api.list(PERSISTENT_VOLUME_CLAIMS)).items], [[], []])
    deepEqual(
      [...before, ...calls].filter(({ method }) => method === 'createVolume' || method === 'deleteVolume'),
      [],
    )
  })

  test('S2-5, S2-10, S2-11, S2-13, H44: says whether it is read-only when it is attached, and each call has the secret that the pod names for it, of the pod’s namespace', async (context) => {
    const story = await startStory(context)
    const { api, called } = story
    await describeDriver(api, { volumeLifecycleModes: ['Ephemeral'] }, HANDLES)
    for (const namespace of [NAMESPACE, 'default']) {
      for (const name of ['attach', 'stage', 'publish'])
        await api.create(SECRETS, {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { namespace, name },
          stringData: { user: `user of ${name} in ${namespace}`, word: name },
        })
    }
    const secrets = {
      controllerPublishSecretRef: { name: 'attach' },
      nodeStageSecretRef: { name: 'stage' },
      nodePublishSecretRef: { name: 'publish' },
    }
    await createPod(api, 'reader', { volumeHandle: 'read', readOnly: true, ...secrets })
    await createPod(api, 'writer', { volumeHandle: 'written' })
    for (const name of ['reader', 'writer']) await untilRunning(story, name)
    deepEqual(
      [
        called('controllerPublishVolume', 'read')[0]?.readonly,
        called('controllerPublishVolume', 'written')[0]?.readonly,
      ],
      [true, false],
    )
    const wordsOf = (volumeId: string) =>
      [
        called('controllerPublishVolume', volumeId),
        called('nodeStageVolume', volumeId),
        called('nodePublishVolume', volumeId),
      ].map(([request]) => request?.secrets)
    deepEqual(
      wordsOf('read'),
      ['attach', 'stage', 'publish'].map((name) => ({ user: `user of ${name} in shop`, word: name })),
    )
    deepEqual(wordsOf('written'), [{}, {}, {}])
    for (const name of ['reader', 'writer']) await api.delete(PODS, { namespace: NAMESPACE, name })
    await story.until('all is undone', async () => (await api.list(VOLUME_ATTACHMENTS)).items.length === 0)
    deepEqual(
      [
        called('nodeUnpublishVolume').length,
        called('nodeUnstageVolume').length,
        called('controllerUnpublishVolume').length,
      ],
      [2, 2, 2],
    )
  })

  test('S2-3: names its driver, or the pod is refused', async (context) => {
    const { api } = await startStory(context)
    for (const driver of ['', undefined])
      await rejects(
        createPod(api, 'web', { driver } as Partial<CSIVolumeSource>),
        /spec\.volumes\[0\]\.csi\.driver: Required value/,
      )
    await rejects(createPod(api, 'web', { driver: 7 } as unknown as Partial<CSIVolumeSource>), /driver/)
  })
})

describe('a driver that the registry describes', () => {
  const FACTS = (pod: Pod) => ({
    'csi.kubernetes.io/pod.name': 'web',
    'csi.kubernetes.io/pod.namespace': 'shop',
    'csi.kubernetes.io/pod.uid': pod.metadata.uid,
    'csi.kubernetes.io/serviceAccount.name': 'seller',
  })
  const contexts = ({ called }: Story, method: keyof CsiHandlers) =>
    called(method).map(({ volumeContext }) => volumeContext)

  test('S1-15: is told about the pod when it publishes, and only then, if it asks', async (context) => {
    const story = await startStory(context)
    await describeDriver(story.api, { podInfoRequiredOnMount: true, volumeLifecycleModes: ['Ephemeral'] }, HANDLES)
    const pod = await createPod(story.api, 'web', { volumeHandle: 'disk-7', volumeAttributes: { tier: 'fast' } })
    await untilRunning(story, 'web')
    deepEqual(contexts(story, 'nodePublishVolume'), [{ tier: 'fast', ...FACTS(pod) }])
    for (const method of ['controllerPublishVolume', 'nodeStageVolume'] as const)
      deepEqual(contexts(story, method), [{ tier: 'fast' }])
  })

  for (const [what, spec] of [
    ['leaves it out', {}],
    ['says null', { podInfoRequiredOnMount: null }],
    ['says no', { podInfoRequiredOnMount: false }],
  ] as const) {
    test(`S1-16: is told nothing about the pod if it ${what}`, async (context) => {
      const story = await startStory(context)
      await describeDriver(story.api, { volumeLifecycleModes: ['Ephemeral'], ...spec }, HANDLES)
      await createPod(story.api, 'web', { volumeHandle: 'disk-7' })
      await untilRunning(story, 'web')
      deepEqual(contexts(story, 'nodePublishVolume'), [{}])
    })
  }

  test('S1-26, H10: has nothing attached if whoever made the object wrote skipAttach', async (context) => {
    const story = await startStory(context)
    await describeDriver(story.api, { skipAttach: true, volumeLifecycleModes: ['Ephemeral'] }, HANDLES)
    await createPod(story.api, 'web', { volumeHandle: 'disk-7' })
    await untilRunning(story, 'web')
    deepEqual(
      story.calls.map(({ method }) => method),
      ['nodeStageVolume', 'nodePublishVolume'],
    )
    deepEqual((await story.api.list(VOLUME_ATTACHMENTS)).items, [])
  })

  for (const [deployed, nodes, name] of [
    ['on every node, under its own name', ['node-1', 'node-2'], DRIVER],
    ['on one node, under another name', ['node-2'], 'the-vault'],
  ] as const) {
    test(`S1-5: is treated as its object says, deployed ${deployed}, at any socket and by nobody that the registry knows`, async (context) => {
      const story = await startStory(context, { nodes })
      await describeDriver(
        story.api,
        { attachRequired: false, podInfoRequiredOnMount: true, volumeLifecycleModes: ['Ephemeral'] },
        { name, ...HANDLES },
      )
      const pod = await createPod(story.api, 'web', { volumeHandle: 'disk-7' }, { nodeName: 'node-2' })
      await untilRunning(story, 'web')
      deepEqual(contexts(story, 'nodePublishVolume'), [FACTS(pod)])
      deepEqual(story.called('controllerPublishVolume'), [])
    })
  }
})
