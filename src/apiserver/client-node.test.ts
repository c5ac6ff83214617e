import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import {
  ApiException,
  ApiextensionsV1Api,
  AppsV1Api,
  CoordinationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  Exec,
  KubeConfig,
  KubernetesObjectApi,
  ListWatch,
  makeInformer,
  PatchStrategy,
  RbacAuthorizationV1Api,
  setHeaderOptions,
  StorageV1Api,
  VersionApi,
  Watch,
} from '@kubernetes/client-node'
import type { KubernetesObject, V1ConfigMap, V1PersistentVolumeClaim, V1Pod, V1Status } from '@kubernetes/client-node'
import { CONFIG_MAPS } from '../api/kinds/config-map.ts'
import type { ConfigMap } from '../api/kinds/config-map.ts'
import { SYSTEM_USER } from './core/user.ts'
import { startTestServer } from './testing/start-test-server.ts'
import type { TestServer } from './testing/start-test-server.ts'

const NAMESPACE = 'default'
// The size of the server's watch window.
const WINDOW_BYTES = 32 * 1024 * 1024

const claim = (name: string): V1PersistentVolumeClaim => ({
  metadata: { name, labels: { app: 'web' } },
  spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'fast', resources: { requests: { storage: '1024Mi' } } },
})
const pod = (name: string): V1Pod => ({
  metadata: { name },
  spec: {
    containers: [
      { name: 'web', image: 'web:1' },
      { name: 'log', image: 'log:1' },
    ],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
  },
})

// The typed clients send a JSON patch unless told otherwise.
const JSON_PATCH = setHeaderOptions('Content-Type', PatchStrategy.JsonPatch)
const MERGE = setHeaderOptions('Content-Type', PatchStrategy.MergePatch)
const STRATEGIC = setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch)

/** The Status of a rejected call. */
async function refusal(call: Promise<unknown>): Promise<V1Status> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  ok(error instanceof ApiException, `the call should be refused with a Status, not end with ${String(error)}`)
  // The client keeps the text of a response that its API description does not have.
  const status = JSON.parse(String(error.body)) as V1Status
  equal(status.kind, 'Status')
  equal(status.code, error.code)
  return status
}

type Seen = { kind: string; name: string; revision: string }

/** Records the events of an informer, and waits for some of them. */
function recordEvents<T extends KubernetesObject>(informer: {
  on(verb: 'add' | 'update' | 'delete', callback: (object: T) => void): void
}) {
  const seen: Seen[] = []
  let wake = (): void => {}
  for (const kind of ['add', 'update', 'delete'] as const) {
    informer.on(kind, ({ metadata }) => {
      seen.push({ kind, name: metadata?.name ?? '', revision: metadata?.resourceVersion ?? '' })
      wake()
    })
  }
  const until = async (isDone: () => boolean): Promise<void> => {
    while (!isDone()) await new Promise<void>((resolve) => void (wake = resolve))
  }
  const texts = (): string[] => seen.map(({ kind, name }) => `${kind} ${name}`)
  return { texts, told: (text: string) => until(() => texts().includes(text)), until }
}

describe('@kubernetes/client-node', () => {
  let server: TestServer
  let config: KubeConfig
  let core: CoreV1Api
  let storage: StorageV1Api

  before(async () => {
    server = await startTestServer()
    config = new KubeConfig()
    config.loadFromFile(server.kubeconfigPath)
    core = config.makeApiClient(CoreV1Api)
    storage = config.makeApiClient(StorageV1Api)
    await storage.createStorageClass({ body: { metadata: { name: 'fast' }, provisioner: 'hostpath.holdfast.dev' } })
  })
  after(() => server[Symbol.asyncDispose]())

  const asToken = (token: string): KubeConfig => {
    const other = new KubeConfig()
    const cluster = config.getCurrentCluster()
    ok(cluster)
    other.loadFromClusterAndUser(cluster, { name: 'robot', token })
    return other
  }

  test('reads the version', async () => {
    match((await config.makeApiClient(VersionApi).getCode()).gitVersion, /^v1\.\d+\./)
  })

  test('creates, reads, lists, replaces and deletes a claim', async () => {
    const made = await core.createNamespacedPersistentVolumeClaim({ namespace: NAMESPACE, body: claim('crud') })
    equal(made.spec?.resources?.requests?.['storage'], '1Gi')
    equal(made.spec?.volumeMode, 'Filesystem')
    ok(made.metadata?.creationTimestamp instanceof Date)
    const read = await core.readNamespacedPersistentVolumeClaim({ namespace: NAMESPACE, name: 'crud' })
    deepEqual(read, made)
    const { items, metadata } = await core.listNamespacedPersistentVolumeClaim({
      namespace: NAMESPACE,
      labelSelector: 'app in (web)',
      fieldSelector: 'metadata.name=crud',
    })
    deepEqual(
      items.map((item) => item.metadata?.uid),
      [made.metadata.uid],
    )
    ok(Number(metadata?.resourceVersion) >= Number(made.metadata.resourceVersion))
    if (read.metadata) read.metadata.labels = { app: 'other' }
    const changed = await core.replaceNamespacedPersistentVolumeClaim({
      namespace: NAMESPACE,
      name: 'crud',
      body: read,
    })
    deepEqual(changed.metadata?.labels, { app: 'other' })
    const deleted = await core.deleteNamespacedPersistentVolumeClaim({ namespace: NAMESPACE, name: 'crud' })
    ok(deleted.metadata?.deletionTimestamp, 'its finalizer holds it')
    await core.patchNamespacedPersistentVolumeClaim(
      { namespace: NAMESPACE, name: 'crud', body: [{ op: 'remove', path: '/metadata/finalizers' }] },
      JSON_PATCH,
    )
    equal(
      (await refusal(core.readNamespacedPersistentVolumeClaim({ namespace: NAMESPACE, name: 'crud' }))).reason,
      'NotFound',
    )
  })

  test('a replaced object reads back as it was sent: nothing is lost between its types and ours', async () => {
    await core.createPersistentVolume({
      body: {
        metadata: { name: 'round' },
        spec: {
          capacity: { storage: '5Gi' },
          accessModes: ['ReadWriteOnce'],
          csi: {
            driver: 'hostpath.holdfast.dev',
            volumeHandle: 'h',
            nodeStageSecretRef: { name: 's', namespace: 'default' },
            volumeAttributes: { a: 'b' },
          },
          nodeAffinity: {
            required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }] },
          },
        },
      },
    })
    const read = await core.readPersistentVolume({ name: 'round' })
    const again = await core.replacePersistentVolume({ name: 'round', body: read })
    equal(
      again.metadata?.resourceVersion,
      read.metadata?.resourceVersion,
      'nothing changed, so there is no new revision',
    )
    deepEqual(again, read)
  })

  test('works with the kinds of other groups', async () => {
    const driver = await storage.createCSIDriver({
      body: { metadata: { name: 'hostpath.holdfast.dev' }, spec: { tokenRequests: [{ audience: 'vault' }] } },
    })
    equal(driver.spec.attachRequired, true)
    const attachment = await storage.createVolumeAttachment({
      body: {
        metadata: { name: 'va' },
        spec: { attacher: 'hostpath.holdfast.dev', nodeName: 'n1', source: { persistentVolumeName: 'round' } },
      },
    })
    equal(attachment.status?.attached, false)
    const attached = await storage.patchVolumeAttachmentStatus(
      { name: 'va', body: { status: { attached: true, attachmentMetadata: { device: '/dev/x' } } } },
      STRATEGIC,
    )
    deepEqual([attached.status?.attached, attached.status?.attachmentMetadata], [true, { device: '/dev/x' }])
    const roles = config.makeApiClient(RbacAuthorizationV1Api)
    await roles.createNamespacedRole({
      namespace: NAMESPACE,
      body: { metadata: { name: 'reader' }, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
    })
    deepEqual(
      (await roles.readNamespacedRole({ namespace: NAMESPACE, name: 'reader' })).rules?.map(({ verbs }) => verbs),
      [['get']],
    )
    const leases = config.makeApiClient(CoordinationV1Api)
    const lease = await leases.createNamespacedLease({
      namespace: NAMESPACE,
      body: {
        metadata: { name: 'leader' },
        spec: { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: new Date(1_900_000_000_000) as never },
      },
    })
    equal(new Date(lease.spec?.renewTime as unknown as string).getTime(), 1_900_000_000_000)
    const sets = config.makeApiClient(AppsV1Api)
    const template = { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'db', image: 'db' }] } }
    await sets.createNamespacedStatefulSet({
      namespace: NAMESPACE,
      body: {
        metadata: { name: 'db' },
        spec: { serviceName: 'db', selector: { matchLabels: { app: 'db' } }, template },
      },
    })
    equal(
      (
        await sets.patchNamespacedStatefulSetScale(
          { namespace: NAMESPACE, name: 'db', body: { spec: { replicas: 3 } } },
          STRATEGIC,
        )
      ).spec?.replicas,
      3,
    )
  })

  test('keeps the bytes of a secret', async () => {
    const data = { key: Buffer.from([0, 255, 1]).toString('base64') }
    await core.createNamespacedSecret({
      namespace: NAMESPACE,
      body: { metadata: { name: 'bytes' }, data, stringData: { text: 'grün' } },
    })
    deepEqual((await core.readNamespacedSecret({ namespace: NAMESPACE, name: 'bytes' })).data, {
      ...data,
      text: Buffer.from('grün').toString('base64'),
    })
  })

  test('patches by strategic merge: lists are merged by key', async () => {
    await core.createNamespacedPod({ namespace: NAMESPACE, body: pod('patched') })
    const patched = await core.patchNamespacedPod(
      {
        namespace: NAMESPACE,
        name: 'patched',
        body: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'log', image: 'log:2' }] } },
      },
      STRATEGIC,
    )
    deepEqual(
      patched.spec?.containers.map(({ image }) => image),
      ['web:1', 'log:2'],
    )
    deepEqual(patched.metadata?.labels, { a: 'b' })
  })

  test('patches by merge and by JSON patch', async () => {
    const merged = await core.patchNamespacedPod(
      { namespace: NAMESPACE, name: 'patched', body: { metadata: { labels: { a: null, c: 'd' } } } },
      MERGE,
    )
    deepEqual(merged.metadata?.labels, { c: 'd' })
    const changed = await core.patchNamespacedPod(
      {
        namespace: NAMESPACE,
        name: 'patched',
        body: [
          { op: 'test', path: '/metadata/labels/c', value: 'd' },
          { op: 'replace', path: '/spec/containers/0/image', value: 'web:2' },
        ],
      },
      JSON_PATCH,
    )
    equal(changed.spec?.containers[0]?.image, 'web:2')
    const failed = await refusal(
      core.patchNamespacedPod(
        { namespace: NAMESPACE, name: 'patched', body: [{ op: 'test', path: '/metadata/labels/c', value: 'x' }] },
        JSON_PATCH,
      ),
    )
    equal(failed.code, 422)
  })

  test('is refused with a Status that says why', async () => {
    const missing = await refusal(core.readNamespacedPod({ namespace: NAMESPACE, name: 'missing' }))
    deepEqual(
      [missing.code, missing.reason, missing.message, missing.details?.kind],
      [404, 'NotFound', 'pods "missing" not found', 'pods'],
    )
    const again = await refusal(storage.createStorageClass({ body: { metadata: { name: 'fast' }, provisioner: 'x' } }))
    deepEqual([again.code, again.reason], [409, 'AlreadyExists'])
    const body = claim('bad')
    if (body.spec) body.spec.accessModes = []
    const invalid = await refusal(core.createNamespacedPersistentVolumeClaim({ namespace: NAMESPACE, body }))
    deepEqual(
      [invalid.code, invalid.reason, invalid.details?.causes?.map(({ field, reason }) => `${field} ${reason}`)],
      [422, 'Invalid', ['spec.accessModes FieldValueRequired']],
    )
    const stale = await refusal(
      storage.replaceStorageClass({
        name: 'fast',
        body: { metadata: { name: 'fast', resourceVersion: '1' }, provisioner: 'hostpath.holdfast.dev' },
      }),
    )
    deepEqual([stale.code, stale.reason], [409, 'Conflict'])
    const nowhere = await refusal(
      core.createNamespacedConfigMap({ namespace: 'nowhere', body: { metadata: { name: 'x' } } }),
    )
    deepEqual([nowhere.code, nowhere.message], [404, 'namespaces "nowhere" not found'])
  })

  test('works with a custom resource as soon as its definition is established', async () => {
    const definitions = config.makeApiClient(ApiextensionsV1Api)
    const custom = config.makeApiClient(CustomObjectsApi)
    const spec = { type: 'object', required: ['size'], properties: { size: { type: 'integer', minimum: 1 } } }
    await definitions.createCustomResourceDefinition({
      body: {
        metadata: { name: 'widgets.example.com' },
        spec: {
          group: 'example.com',
          names: { plural: 'widgets', kind: 'Widget' },
          scope: 'Namespaced',
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              subresources: { status: {} },
              schema: {
                openAPIV3Schema: {
                  type: 'object',
                  properties: { spec, status: { type: 'object', properties: { ready: { type: 'boolean' } } } },
                },
              },
            },
          ],
        },
      },
    })
    const established = await definitions.readCustomResourceDefinition({ name: 'widgets.example.com' })
    equal(established.status?.conditions?.find(({ type }) => type === 'Established')?.status, 'True')
    const place = { group: 'example.com', version: 'v1', namespace: NAMESPACE, plural: 'widgets' }
    type Widget = KubernetesObject & { spec: { size: number }; status?: { ready: boolean } }
    const made = (await custom.createNamespacedCustomObject({
      ...place,
      body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'one' }, spec: { size: 3 } },
    })) as Widget
    equal(made.spec.size, 3)
    const list = (await custom.listNamespacedCustomObject(place)) as { items: Widget[] }
    deepEqual(
      list.items.map(({ metadata }) => metadata?.name),
      ['one'],
    )
    const wrong = await refusal(
      custom.createNamespacedCustomObject({
        ...place,
        body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'two' }, spec: { size: 0 } },
      }),
    )
    deepEqual([wrong.code, wrong.details?.causes?.[0]?.field], [422, 'spec.size'])
    // Custom resources have no merge keys, so the client must request another type of patch.
    const patched = (await custom.patchNamespacedCustomObject(
      { ...place, name: 'one', body: { spec: { size: 4 } } },
      MERGE,
    )) as Widget
    equal(patched.spec.size, 4)
    const ready = (await custom.patchNamespacedCustomObjectStatus(
      { ...place, name: 'one', body: { status: { ready: true }, spec: { size: 9 } } },
      MERGE,
    )) as Widget
    deepEqual([ready.status, ready.spec], [{ ready: true }, { size: 4 }])
    equal((await refusal(custom.patchNamespacedCustomObject({ ...place, name: 'one', body: {} }, STRATEGIC))).code, 415)
    await custom.deleteNamespacedCustomObject({ ...place, name: 'one' })
    equal((await refusal(custom.getNamespacedCustomObject({ ...place, name: 'one' }))).reason, 'NotFound')
    await definitions.deleteCustomResourceDefinition({ name: 'widgets.example.com' })
  })

  test('finds kinds by discovery, and then patches by strategic merge by itself', async () => {
    const objects = KubernetesObjectApi.makeApiClient(config)
    const header = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'found' } }
    await objects.create({ ...header, provisioner: 'x.example.com' } as KubernetesObject)
    await objects.patch({ ...header, metadata: { name: 'found', labels: { a: 'b' } } })
    deepEqual((await objects.read(header)).metadata?.labels, { a: 'b' })
    ok(
      (await objects.list('storage.k8s.io/v1', 'StorageClass')).items.some(
        ({ metadata }) => metadata?.name === 'found',
      ),
    )
    await objects.delete(header)
    equal((await refusal(objects.read(header))).reason, 'NotFound')
  })

  test('a token lets a service account in, with its own rights', async () => {
    await core.createNamespacedServiceAccount({ namespace: NAMESPACE, body: { metadata: { name: 'robot' } } })
    const { status } = await core.createNamespacedServiceAccountToken({
      namespace: NAMESPACE,
      name: 'robot',
      body: { spec: { audiences: [], expirationSeconds: 3600 } },
    })
    ok(status?.token && status.expirationTimestamp)
    const lifetimeMs = status.expirationTimestamp.getTime() - Date.now()
    ok(lifetimeMs > 3_500_000 && lifetimeMs <= 3_601_000, `it lives for ${lifetimeMs} ms`)
    const robot = asToken(status.token).makeApiClient(CoreV1Api)
    const forbidden = await refusal(robot.listNamespacedPod({ namespace: NAMESPACE }))
    deepEqual([forbidden.code, forbidden.reason], [403, 'Forbidden'])
    match(forbidden.message ?? '', /User "system:serviceaccount:default:robot" cannot list resource "pods"/)
    const roles = config.makeApiClient(RbacAuthorizationV1Api)
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' }
    await roles.createNamespacedRoleBinding({
      namespace: NAMESPACE,
      body: {
        metadata: { name: 'robot' },
        roleRef,
        subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: NAMESPACE }],
      },
    })
    ok((await robot.listNamespacedPod({ namespace: NAMESPACE })).items.length > 0)
    equal((await refusal(robot.deleteNamespacedPod({ namespace: NAMESPACE, name: 'patched' }))).code, 403)
    const bad = asToken(`${status.token}x`).makeApiClient(CoreV1Api)
    await rejects(
      bad.listNamespacedPod({ namespace: NAMESPACE }),
      (error) => error instanceof ApiException && error.code === 401,
    )
  })

  test('a command in a container is refused, and the refusal says why', async () => {
    const socketError = await new Exec(config)
      .exec(NAMESPACE, 'patched', 'web', ['ls'], new PassThrough(), new PassThrough(), null, false)
      .then(
        () => undefined,
        // The error event of a web socket.
        (reason: { message?: string }) => reason.message,
      )
    match(socketError ?? '', /Unexpected server response: 405/)
    const status = await refusal(
      core.connectPostNamespacedPodExec({ namespace: NAMESPACE, name: 'patched', command: 'ls' }),
    )
    deepEqual([status.code, status.message], [405, 'pods/exec is not served: this server runs no containers'])
  })

  describe('Watch', () => {
    type Told = [type: string, name: string | undefined]

    /** Follows ConfigMaps until the end of the stream, or until `last` was reported. */
    async function watchConfigMaps(
      query: Record<string, string | number | boolean>,
      isLast: (told: Told) => boolean,
    ): Promise<{ told: Told[]; objects: KubernetesObject[]; error: unknown }> {
      const told: Told[] = []
      const objects: KubernetesObject[] = []
      const { promise: ended, resolve: onEnd } = Promise.withResolvers<unknown>()
      const { promise: enough, resolve: onEnough } = Promise.withResolvers<undefined>()
      const callback = (type: string, object: KubernetesObject): void => {
        const event: Told = [type, object.metadata?.name]
        told.push(event)
        objects.push(object)
        if (isLast(event)) onEnough(undefined)
      }
      const request = await new Watch(config).watch(
        `/api/v1/namespaces/${NAMESPACE}/configmaps`,
        query,
        callback,
        onEnd,
      )
      const error = await Promise.race([enough, ended])
      request.abort()
      return { told, objects, error }
    }

    test('tells every change after a revision, in order', async () => {
      const { metadata } = await core.listNamespacedConfigMap({ namespace: NAMESPACE })
      await core.createNamespacedConfigMap({ namespace: NAMESPACE, body: { metadata: { name: 'followed' } } })
      await core.patchNamespacedConfigMap(
        { namespace: NAMESPACE, name: 'followed', body: { data: { a: 'b' } } },
        STRATEGIC,
      )
      await core.deleteNamespacedConfigMap({ namespace: NAMESPACE, name: 'followed' })
      const { told, objects } = await watchConfigMaps(
        { resourceVersion: metadata?.resourceVersion ?? '' },
        ([type]) => type === 'DELETED',
      )
      deepEqual(told, [
        ['ADDED', 'followed'],
        ['MODIFIED', 'followed'],
        ['DELETED', 'followed'],
      ])
      ok(objects.every(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'ConfigMap'))
      const revisions = objects.map((object) => Number(object.metadata?.resourceVersion))
      deepEqual(
        revisions,
        revisions.toSorted((a, b) => a - b),
      )
    })

    test('ends without an error when its time is up', async () => {
      const { told, error } = await watchConfigMaps(
        { timeoutSeconds: 1, fieldSelector: 'metadata.name=nothing' },
        () => false,
      )
      deepEqual([told, error], [[], null])
    })

    test('begins with everything there is, then a bookmark', async () => {
      const query = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true }
      const { told, objects } = await watchConfigMaps(query, ([type]) => type === 'BOOKMARK')
      deepEqual(told, [
        ['ADDED', 'kube-root-ca.crt'],
        ['BOOKMARK', undefined],
      ])
      deepEqual(objects.at(-1)?.metadata?.annotations, { 'k8s.io/initial-events-end': 'true' })
    })

    test('is refused where it may not be', async () => {
      const { promise, resolve } = Promise.withResolvers<{ statusCode?: number }>()
      await new Watch(asToken('wrong')).watch('/api/v1/pods', {}, () => {}, resolve)
      equal((await promise).statusCode, 401)
    })
  })

  describe('makeInformer', () => {
    const list = (labelSelector: string) => () => core.listNamespacedConfigMap({ namespace: NAMESPACE, labelSelector })
    const path = `/api/v1/namespaces/${NAMESPACE}/configmaps`
    const create = (name: string, app: string) =>
      core.createNamespacedConfigMap({ namespace: NAMESPACE, body: { metadata: { name, labels: { app } } } })
    const change = (name: string) =>
      core.patchNamespacedConfigMap({ namespace: NAMESPACE, name, body: { data: { changed: 'yes' } } }, STRATEGIC)
    const remove = (name: string) => core.deleteNamespacedConfigMap({ namespace: NAMESPACE, name })

    test('tells what is there, then what is added, changed and deleted', async () => {
      await create('first', 'inform')
      const informer = makeInformer<V1ConfigMap>(config, path, list('app=inform'), 'app=inform')
      const { texts, told } = recordEvents(informer)
      await informer.start()
      await told('add first')
      await create('second', 'inform')
      await create('elsewhere', 'other')
      await change('first')
      await remove('second')
      await told('delete second')
      deepEqual(texts(), ['add first', 'add second', 'update first', 'delete second'])
      // An object that leaves the selection is deleted for the watcher.
      await core.patchNamespacedConfigMap(
        { namespace: NAMESPACE, name: 'first', body: { metadata: { labels: { app: 'other' } } } },
        STRATEGIC,
      )
      await told('delete first')
      equal(informer.get('first', NAMESPACE), undefined)
      await informer.stop()
    })

    test('goes on where it was, without a new list, after the server has ended the watch', async () => {
      let lists = 0
      const listFn = () => {
        lists += 1
        return list('app=resume')()
      }
      const { promise: gap, resolve: closeGap } = Promise.withResolvers<void>()
      let reached = (): void => {}
      const inGap = new Promise<void>((resolve) => void (reached = resolve))
      // The second end in a row without an event is followed by a delay, which the test controls.
      const delayFn = (): Promise<void> => {
        reached()
        return gap
      }
      const informer = new ListWatch<V1ConfigMap>(
        `${path}?timeoutSeconds=1`,
        new Watch(config),
        listFn,
        false,
        'app=resume',
        undefined,
        { delayFn },
      )
      const { texts, told } = recordEvents(informer)
      let errors = 0
      informer.on('error', () => void (errors += 1))
      await create('kept', 'resume')
      await informer.start()
      await told('add kept')
      await inGap
      await change('kept')
      await create('new', 'resume')
      await remove('new')
      closeGap()
      await told('delete new')
      await informer.stop()
      deepEqual(texts(), ['add kept', 'update kept', 'add new', 'delete new'])
      deepEqual([lists, errors], [1, 0])
    })

    test('lists again when it was away for too long', async () => {
      const informer = makeInformer<V1ConfigMap>(config, path, list('app=late'), 'app=late')
      const { texts, told } = recordEvents(informer)
      await create('stays', 'late')
      await create('goes', 'late')
      await informer.start()
      await told('add goes')
      await informer.stop()
      const since = Number((informer as unknown as ListWatch<V1ConfigMap>).latestResourceVersion())
      await remove('goes')
      await exceedWindow()
      await create('comes', 'late')

      const expired = Promise.withResolvers<V1Status>()
      const ended = Promise.withResolvers<unknown>()
      await new Watch(config).watch(
        path,
        { resourceVersion: since },
        (type, status: V1Status) => (type === 'ERROR' ? expired.resolve(status) : undefined),
        ended.resolve,
      )
      const { code, reason, message } = await expired.promise
      deepEqual([code, reason], [410, 'Expired'])
      match(message ?? '', /^too old resource version: \d+ \(\d+\)$/)
      equal(await ended.promise, null, 'the stream ends cleanly after the error')

      await informer.start()
      await told('add comes')
      deepEqual(texts(), ['add goes', 'add stays', 'delete goes', 'add comes'])
      await change('stays')
      await told('update stays')
      await informer.stop()
    })

    /** Writes enough that earlier changes are no longer in the window. */
    async function exceedWindow(): Promise<void> {
      const api = server.server.core.as(SYSTEM_USER)
      const data = { filling: 'x'.repeat(1_000_000) }
      const body: ConfigMap = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'filling', namespace: NAMESPACE },
        data,
      }
      await api.create(CONFIG_MAPS, body)
      for (let written = 0; written < WINDOW_BYTES; written += 1_000_000) {
        await api.patch(
          CONFIG_MAPS,
          { namespace: NAMESPACE, name: 'filling' },
          { type: 'merge', value: { metadata: { annotations: { written: String(written) } } } },
        )
      }
      await api.delete(CONFIG_MAPS, { namespace: NAMESPACE, name: 'filling' })
    }
  })

  test('its watches end cleanly when the server stops', async () => {
    const other = await startTestServer()
    const otherConfig = new KubeConfig()
    otherConfig.loadFromFile(other.kubeconfigPath)
    const { promise: ended, resolve: onEnd } = Promise.withResolvers<unknown>()
    const { promise: open, resolve: onOpen } = Promise.withResolvers<void>()
    await new Watch(otherConfig).watch('/api/v1/namespaces', {}, () => onOpen(), onEnd)
    await open
    await other[Symbol.asyncDispose]()
    equal(await ended, null)
  })

  test('the server forgets watches that the client has left', { timeout: 10_000 }, async () => {
    const { hub } = server.server.core.parts
    while (hub.subscribers() > 0) await core.readNamespace({ name: NAMESPACE })
  })
})
