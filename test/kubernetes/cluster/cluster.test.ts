import { deepEqual, equal, notEqual, ok } from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { EVENTS } from '../../../src/api/kinds/event.ts'
import { LEASES } from '../../../src/api/kinds/lease.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../src/api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../../src/api/kinds/persistent-volume.ts'
import { PODS } from '../../../src/api/kinds/pod.ts'
import type { Pod } from '../../../src/api/kinds/pod.ts'
import { SECRETS } from '../../../src/api/kinds/secret.ts'
import { STORAGE_CLASSES } from '../../../src/api/kinds/storage-class.ts'
import type { StorageClass } from '../../../src/api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../../../src/api/kinds/volume-attachment.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOTS } from '../../../src/api/kinds/volume-snapshot.ts'
import { missingForContainers } from './build-test-images.ts'
import { DRIVER, DRIVER_NAMESPACE, listEvents, openClusterStage, POD_LIMIT } from './open-cluster-stage.ts'
import type { ClusterStage } from './open-cluster-stage.ts'

const missing = missingForContainers()
const NAMESPACE = 'default'
const named = (name: string) => ({ namespace: NAMESPACE, name })
const claimRef = (name: string) => [PERSISTENT_VOLUME_CLAIMS, named(name)] as const
const MOUNTS = { 'csi-controller': 'socket-dir', 'csi-node': 'plugin-dir' } as const
const ENOUGH_PODS = 50

describe('on Kubernetes with a kubelet', { skip: missing && `containers need ${missing}` }, () => {
  let stage: ClusterStage
  before(
    async () => {
      stage = await openClusterStage()
      for (const each of [
        classWith('shared'),
        classWith('late', { volumeBindingMode: 'WaitForFirstConsumer' }),
        classWith('secret', {
          parameters: {
            'csi.storage.k8s.io/provisioner-secret-name': 'backend',
            'csi.storage.k8s.io/provisioner-secret-namespace': NAMESPACE,
            'csi.storage.k8s.io/node-publish-secret-name': 'backend',
            'csi.storage.k8s.io/node-publish-secret-namespace': NAMESPACE,
          },
        }),
      ])
        await stage.api.create(STORAGE_CLASSES, each)
    },
    { timeout: 900_000 },
  )
  after(() => stage?.stop())

  const tell = (title: string, story: () => Promise<void>): void =>
    void test(title, { timeout: 600_000 }, async () => {
      try {
        await story()
      } catch (error) {
        if (error instanceof Error) error.message += `\n\n${await listEvents(stage.api)}\n\n${stage.logs()}`
        throw error
      }
    })

  tell('a pod writes to a fresh claim, is deleted, and another pod reads the data', async () => {
    await stage.createClaim('first')
    await stage.runPod('writer', 'echo kept > /data/file', { claim: 'first' })
    equal(await stage.runPod('reader', 'cat /data/file > /result', { claim: 'first' }), 'kept\n')
    const { spec } = await stage.untilClaim('first', ({ status }) => status?.phase === 'Bound')
    await stage.api.delete(...claimRef('first'))
    await stage.untilGone(PERSISTENT_VOLUMES, { name: spec.volumeName ?? '' })
    deepEqual(volumesAtBackend(stage), [], 'the driver has nothing left')
  })

  tell(
    'S3-126, S3-127, S3-133, S3-140: the controller part runs as a Deployment of two replicas, whose containers share the directory of the socket',
    async () => {
      const pods = await stage.driverPods('csi-controller')
      equal(pods.length, 2)
      for (const pod of pods) {
        deepEqual(runningContainers(pod), ['csi-driver', 'csi-sidecar', 'liveness-probe'])
        deepEqual(volumeOf(pod, 'socket-dir'), { name: 'socket-dir', emptyDir: {} })
        for (const container of pod.spec.containers)
          ok(mountOf(pod, container.name, MOUNTS['csi-controller']) === '/csi')
        equal(pod.metadata.ownerReferences?.[0]?.kind, 'ReplicaSet')
      }
      const { items } = await stage.api.list(LEASES, { namespace: DRIVER_NAMESPACE })
      const holders = items
        .filter(({ metadata }) => metadata.name?.includes('shared-test'))
        .map(({ spec }) => spec?.holderIdentity)
      ok(holders.length >= 4, 'a lease for each role')
      ok(
        holders.every((holder) => pods.some(({ metadata }) => holder?.includes(metadata.name ?? '?'))),
        holders.join(),
      )
    },
  )

  tell(
    'S3-134, S3-135, S3-136, S3-137: the node part has registered the driver, and each container mounts what it needs',
    async () => {
      const [pod] = await stage.driverPods('csi-node')
      ok(pod)
      deepEqual(runningContainers(pod), ['csi-driver', 'liveness-probe', 'node-driver-registrar'])
      const path = (name: string): unknown => (volumeOf(pod, name) as { hostPath?: unknown } | undefined)?.hostPath
      deepEqual(path('registration-dir'), { path: '/var/lib/kubelet/plugins_registry', type: 'DirectoryOrCreate' })
      deepEqual(path('kubelet-dir'), { path: '/var/lib/kubelet', type: 'Directory' })
      deepEqual(path('plugin-dir'), { path: `/var/lib/kubelet/plugins/${DRIVER}`, type: 'DirectoryOrCreate' })
      const mounted = (volume: string) =>
        pod.spec.containers.filter(({ name }) => mountOf(pod, name, volume) !== undefined).map(({ name }) => name)
      deepEqual(mounted('registration-dir'), ['node-driver-registrar'])
      deepEqual(mounted('kubelet-dir'), ['csi-driver'])
      equal(mountOf(pod, 'node-driver-registrar', 'registration-dir'), '/registration')
      equal(mountOf(pod, 'csi-driver', 'plugin-dir'), '/csi')
      const kubeletDir = pod.spec.containers[0]?.volumeMounts?.find(({ name }) => name === 'kubelet-dir')
      deepEqual([kubeletDir?.mountPath, kubeletDir?.mountPropagation], ['/var/lib/kubelet', 'Bidirectional'])
    },
  )

  tell('WaitForFirstConsumer: the volume is created for the node of the first pod', async () => {
    await stage.createClaim('late', { storageClassName: 'late' })
    equal(
      await stage.runPod('first-consumer', 'echo there > /data/file; cat /data/file > /result', { claim: 'late' }),
      'there\n',
    )
    const claim = await stage.untilClaim('late', ({ status }) => status?.phase === 'Bound')
    equal(claim.metadata.annotations?.['volume.kubernetes.io/selected-node'], 'node-1')
    await stage.api.delete(...claimRef('late'))
  })

  tell('a raw block volume is a device in the pod, and keeps what is written to it', async () => {
    await stage.createClaim('block', { volumeMode: 'Block' })
    await stage.runPod('block-writer', 'echo raw > /tmp/in; dd if=/tmp/in of=/dev/data conv=fsync', {
      blockClaim: 'block',
    })
    equal(
      await stage.runPod('block-reader', 'dd if=/dev/data bs=4 count=1 of=/result', { blockClaim: 'block' }),
      'raw\n',
    )
    await stage.api.delete(...claimRef('block'))
  })

  tell('a claim is expanded while a pod uses it', async () => {
    await stage.createClaim('growing')
    await stage.createPod('grower', 'sleep 10000', { claim: 'growing' })
    await stage.untilRunning('grower')
    const spec = { resources: { requests: { storage: '2Mi' } } }
    await stage.api.patch(...claimRef('growing'), { type: 'merge', value: { spec } })
    await stage.untilClaim('growing', ({ status }) => status?.capacity?.['storage'] === '2Mi')
    await stage.deletePod('grower')
    await stage.api.delete(...claimRef('growing'))
  })

  tell('a snapshot is taken, and a volume restored from it has its data', async () => {
    await stage.createClaim('original')
    await stage.runPod('before', 'echo old > /data/file; sync', { claim: 'original' })
    await stage.api.create(VOLUME_SNAPSHOT_CLASSES, {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshotClass',
      metadata: { name: 'shared' },
      driver: DRIVER,
      deletionPolicy: 'Delete',
    })
    await stage.api.create(VOLUME_SNAPSHOTS, {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshot',
      metadata: named('snapshot'),
      spec: { volumeSnapshotClassName: 'shared', source: { persistentVolumeClaimName: 'original' } },
    })
    await stage.until(VOLUME_SNAPSHOTS, named('snapshot'), (made) => made?.status?.readyToUse === true, POD_LIMIT)
    await stage.runPod('change', 'echo new > /data/file; sync', { claim: 'original' })
    const dataSource = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'snapshot' }
    await stage.createClaim('restored', { dataSource })
    equal(await stage.runPod('restored', 'cat /data/file > /result', { claim: 'restored' }), 'old\n')
    await stage.api.delete(VOLUME_SNAPSHOTS, named('snapshot'))
    await stage.untilGone(VOLUME_SNAPSHOTS, named('snapshot'))
    deepEqual(readdirSync(join(stage.backend, 'snapshots')), [])
    for (const name of ['original', 'restored']) await stage.api.delete(...claimRef(name))
  })

  tell(
    'an inline ephemeral volume lives as long as its pod; the driver gets the pod and a token for its audience',
    async () => {
      const volumes = [{ name: 'scratch', csi: { driver: DRIVER } }]
      equal(await stage.runPod('inline', 'echo x > /scratch/y; cat /scratch/y > /result', { volumes }), 'x\n')
      const call = stage
        .driverCalls()
        .findLast(
          ({ method, context }) =>
            method === 'NodePublishVolume' && context['csi.storage.k8s.io/pod.name'] === 'inline',
        )
      ok(call)
      equal(call.context['csi.storage.k8s.io/pod.namespace'], NAMESPACE)
      equal(call.context['csi.storage.k8s.io/serviceAccount.name'], 'default')
      equal(call.context['csi.storage.k8s.io/ephemeral'], 'true')
      const tokens = JSON.parse(call.context['csi.storage.k8s.io/serviceAccount.tokens'] ?? '{}') as Record<
        string,
        { token: string }
      >
      const claims = Buffer.from(tokens['vault']?.token.split('.')[1] ?? '', 'base64url').toString()
      deepEqual((JSON.parse(claims) as { aud: unknown }).aud, ['vault'])
      deepEqual(
        volumesAtBackend(stage).filter((name) => name.startsWith('csi-')),
        [],
      )
    },
  )

  tell('H60, S3-176: secrets of the one namespace that the chart opens reach the driver', async () => {
    await stage.api.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: named('backend'),
      data: { password: Buffer.from('hush').toString('base64') },
    })
    await stage.createClaim('with-secret', { storageClassName: 'secret' })
    await stage.runPod('with-secret', 'echo x > /data/y', { claim: 'with-secret' })
    const { spec } = await stage.untilClaim('with-secret', ({ status }) => status?.phase === 'Bound')
    const seen = stage.driverCalls().filter(({ volumeId }) => volumeId === spec.volumeName)
    const keysOf = (wanted: string) => seen.find(({ method }) => method === wanted)?.secrets
    deepEqual(keysOf('CreateVolume'), ['password'])
    deepEqual(keysOf('NodePublishVolume'), ['password'])
    deepEqual(keysOf('ControllerPublishVolume'), [])
    await stage.api.delete(...claimRef('with-secret'))
  })

  tell('S3-140: when the leading replica is killed, the other one takes over', async () => {
    const holder = async (): Promise<string> => {
      const { items } = await stage.api.list(LEASES, { namespace: DRIVER_NAMESPACE })
      return (
        items.find(({ metadata }) => metadata.name?.startsWith('external-attacher-leader'))?.spec?.holderIdentity ?? ''
      )
    }
    const before = await holder()
    const pods = await stage.driverPods('csi-controller')
    const leader = pods.find(({ metadata }) => before.includes(metadata.name ?? '?'))
    ok(leader, `${before} is no pod`)
    await stage.api.delete(
      PODS,
      { namespace: DRIVER_NAMESPACE, name: leader.metadata.name ?? '' },
      { gracePeriodSeconds: 0 },
    )
    await stage.createClaim('taken-over')
    equal(await stage.runPod('taken-over', 'echo ok > /data/f; cat /data/f > /result', { claim: 'taken-over' }), 'ok\n')
    notEqual(await holder(), before)
    await stage.api.delete(...claimRef('taken-over'))
  })

  for (const [what, words] of [
    ['our sidecars', ['holdfast', 'sidecar']],
    ["the driver's controller part", ['shared-driver.ts', '--controller']],
    ["the driver's node part", ['shared-driver.ts', '--node']],
  ] as const) {
    tell(`kill -9 of ${what} loses nothing: the pod starts, and its data is there`, async () => {
      const name = `killed-${words.at(-1)?.replaceAll('-', '')}`
      await stage.createClaim(name)
      await stage.createPod(name, 'echo kept > /data/file; sync; sleep 10000', { claim: name })
      ok((await stage.kill(...words)) > 0, 'there was something to kill')
      await stage.untilRunning(name)
      await stage.deletePod(name)
      equal(await stage.runPod(`${name}-reader`, 'cat /data/file > /result', { claim: name }), 'kept\n')
      await stage.api.delete(...claimRef(name))
    })
  }

  tell('kill -9 of the kubelet: the pod keeps its volume, and is cleaned up after the restart', async () => {
    await stage.createClaim('lasting')
    await stage.createPod('lasting', 'echo kept > /data/file; sync; sleep 10000', { claim: 'lasting' })
    await stage.untilRunning('lasting')
    await stage.killKubelet('node-1')
    await stage.api.delete(PODS, named('lasting'))
    await stage.startKubelet('node-1')
    await stage.until(PODS, named('lasting'), (pod) => pod === undefined, POD_LIMIT)
    equal(await stage.runPod('after-restart', 'cat /data/file > /result', { claim: 'lasting' }), 'kept\n')
    await stage.api.delete(...claimRef('lasting'))
  })

  tell(`${ENOUGH_PODS} pods at once get their volumes, and all of them go away again`, async () => {
    const names = Array.from({ length: ENOUGH_PODS }, (_, index) => `many-${index}`)
    await Promise.all(names.map((name) => stage.createClaim(name)))
    const results = await Promise.all(
      names.map((name) => stage.runPod(name, `echo ${name} > /data/f; cat /data/f > /result`, { claim: name })),
    )
    deepEqual(
      results,
      names.map((name) => `${name}\n`),
    )
    await Promise.all(names.map((name) => stage.api.delete(...claimRef(name))))
    await Promise.all(names.map((name) => stage.untilGone(...claimRef(name))))
  })

  tell('a second node: a volume that is in use is refused there, and moves with its pod', async () => {
    await stage.addNode('node-2')
    await stage.untilRegistered('node-2')
    await stage.createClaim('moving')
    await stage.createPod('here', 'echo moved > /data/file; sync; sleep 10000', {
      claim: 'moving',
      spec: { nodeName: 'node-1' },
    })
    await stage.untilRunning('here')
    await stage.createPod('there', 'cat /data/file > /result', { claim: 'moving', spec: { nodeName: 'node-2' } })
    await untilEvent(stage, 'there', 'FailedAttachVolume', /Multi-Attach error/)
    await stage.deletePod('here')
    const ended = await stage.until(PODS, named('there'), (pod) => pod?.status?.phase === 'Succeeded', POD_LIMIT)
    equal(ended?.status?.containerStatuses?.[0]?.state?.terminated?.message, 'moved\n')
    await stage.deletePod('there')
    await stage.api.delete(...claimRef('moving'))
  })

  tell('at the end nothing is left: no volumes, no attachments, nothing in the backend', async () => {
    const { items: claims } = await stage.api.list(PERSISTENT_VOLUME_CLAIMS)
    for (const { metadata } of claims) await stage.untilGone(...claimRef(metadata.name ?? ''))
    const { items: volumes } = await stage.api.list(PERSISTENT_VOLUMES)
    for (const { metadata } of volumes) await stage.untilGone(PERSISTENT_VOLUMES, { name: metadata.name ?? '' })
    deepEqual((await stage.api.list(VOLUME_ATTACHMENTS)).items, [])
    deepEqual(volumesAtBackend(stage), [])
  })
})

const classWith = (name: string, more: Partial<StorageClass> = {}): StorageClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  provisioner: DRIVER,
  allowVolumeExpansion: true,
  ...more,
})

const volumesAtBackend = ({ backend }: ClusterStage): string[] => readdirSync(join(backend, 'volumes'))

const runningContainers = ({ status }: Pod): string[] =>
  (status?.containerStatuses ?? [])
    .filter(({ state }) => state?.running !== undefined)
    .map(({ name }) => name)
    .sort()

const volumeOf = ({ spec }: Pod, name: string): object | undefined =>
  spec.volumes?.find((volume) => volume.name === name)

const mountOf = ({ spec }: Pod, container: string, volume: string): string | undefined =>
  spec.containers.find(({ name }) => name === container)?.volumeMounts?.find(({ name }) => name === volume)?.mountPath

async function untilEvent({ api }: ClusterStage, object: string, reason: string, text: RegExp): Promise<void> {
  const selection = { namespace: NAMESPACE, fieldSelector: `involvedObject.name=${object},reason=${reason}` }
  const signal = AbortSignal.timeout(POD_LIMIT.limitMs)
  for await (const event of api.watch(EVENTS, { ...selection, signal })) {
    if (event.type !== 'BOOKMARK' && text.test(event.object.message ?? '')) return
  }
}
