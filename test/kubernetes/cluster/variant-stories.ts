import { deepEqual, equal, notEqual, ok } from 'node:assert/strict'
import { hasCondition } from '../../../src/api/conditions.ts'
import { NODES } from '../../../src/api/kinds/node.ts'
import { PODS } from '../../../src/api/kinds/pod.ts'
import { STORAGE_CLASSES } from '../../../src/api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../../../src/api/kinds/volume-attachment.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOTS } from '../../../src/api/kinds/volume-snapshot.ts'
import { sharedDriverValues } from './driver-values.ts'
import type { ClusterStage } from './open-cluster-stage.ts'
import { POD_LIMIT } from './release.ts'
import type { Release } from './release.ts'
import { claimRef, holdersOf, runningContainers, untilEvent } from './story-helpers.ts'
import { named } from './story-objects.ts'
import type { Tell } from './story-helpers.ts'

/** Runs the story with a driver of its own, which the chart installs with these settings. */
async function withVariant(
  stage: ClusterStage,
  { name, isAllInOne = false }: { name: string; isAllInOne?: boolean },
  settings: readonly string[],
  story: (release: Release) => Promise<void>,
): Promise<void> {
  const driver = `${name}.test.holdfast.dev`
  const values = sharedDriverValues({ driver, backend: `${stage.backend}-${name}`, isAllInOne })
  const release = await stage.openRelease({ name, namespace: `csi-${name}`, driver, values })
  await release.install(...settings)
  for (const node of ['node-1', 'node-2']) await release.untilRegistered(node)
  await stage.api.create(STORAGE_CLASSES, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: driver,
    allowVolumeExpansion: true,
  })
  await story(release)
  await stage.api.delete(STORAGE_CLASSES, { name })
  await release.uninstall()
}

/** A claim of the variant serves a pod, and goes away again. */
async function useVolume(stage: ClusterStage, storageClassName: string, claim: string): Promise<void> {
  await stage.createClaim(claim, { storageClassName })
  equal(await stage.runPod(claim, 'echo ok > /data/f; cat /data/f > /result', { claim }), 'ok\n')
  await stage.removeClaim(claim)
}

const sidecarArgs = ({ spec }: Awaited<ReturnType<Release['pods']>>[number]): readonly string[] =>
  spec.containers.find(({ name }) => name === 'csi-sidecar')?.args ?? []

/** The other ways to deploy a driver, each on the running cluster. They need the second node. */
export function tellVariantStories(tell: Tell): void {
  tell(
    'S3-139: a StatefulSet has one instance without leader election, and no second one while its node is unresponsive',
    (stage) =>
      withVariant(
        stage,
        { name: 'single' },
        [
          '--set=controller.kind=StatefulSet,controller.replicas=1,controller.leaderElection.enabled=false',
          '--set=controller.nodeSelector.kubernetes\\.io/hostname=node-2',
        ],
        async (release) => {
          const [pod, ...more] = await release.pods('csi-controller')
          ok(pod)
          deepEqual(more, [])
          equal(pod.metadata.ownerReferences?.[0]?.kind, 'StatefulSet')
          equal(pod.spec.nodeName, 'node-2')
          ok(!sidecarArgs(pod).includes('--leader-election'))
          await useVolume(stage, 'single', 'with-one')
          deepEqual(holdersOf(await release.leases()), {}, 'nobody holds a lease')

          await stage.killKubelet('node-2')
          await stage.until(
            NODES,
            { name: 'node-2' },
            (node) => !hasCondition(node?.status?.conditions, 'Ready'),
            POD_LIMIT,
          )
          const ref = { namespace: release.namespace, name: pod.metadata.name ?? '' }
          await stage.api.delete(PODS, ref)
          await stage.createClaim('without-one', { storageClassName: 'single' })
          // The controller of claims has seen it, and the one of StatefulSets had as much time.
          await untilEvent(stage, 'without-one', 'ExternalProvisioning', /single\.test\.holdfast\.dev/)
          equal((await stage.api.get(PODS, ref)).metadata.uid, pod.metadata.uid)
          await stage.startKubelet('node-2')
          await stage.until(PODS, ref, (found) => found !== undefined && found.metadata.uid !== pod.metadata.uid)
          await stage.untilClaim('without-one', ({ status }) => status?.phase === 'Bound')
          await stage.removeClaim('without-one')
        },
      ),
  )

  tell('S3-141: a Deployment of one replica with leader election replaces a replica that is lost', (stage) =>
    withVariant(stage, { name: 'replaced' }, ['--set=controller.replicas=1'], async (release) => {
      const [pod, ...more] = await release.pods('csi-controller')
      ok(pod)
      deepEqual(more, [])
      equal(pod.metadata.ownerReferences?.[0]?.kind, 'ReplicaSet')
      ok(sidecarArgs(pod).includes('--leader-election'))
      await useVolume(stage, 'replaced', 'before-loss')
      const before = holdersOf(await release.leases())
      ok(Object.values(before).every((holder) => holder.includes(pod.metadata.name ?? '?')))
      const ref = { namespace: release.namespace, name: pod.metadata.name ?? '' }
      await stage.api.delete(PODS, ref, { gracePeriodSeconds: 0 })
      await useVolume(stage, 'replaced', 'after-loss')
      const after = holdersOf(await release.leases())
      deepEqual(Object.keys(after), Object.keys(before))
      notEqual(Object.values(after)[0], Object.values(before)[0])
    }),
  )

  tell('S3-138: driver, registrar and sidecars share the pods of one DaemonSet, and one of them leads', (stage) =>
    withVariant(
      stage,
      { name: 'everywhere', isAllInOne: true },
      ['--set=controller.kind=DaemonSet'],
      async (release) => {
        deepEqual(await release.pods('csi-controller'), [])
        const pods = await release.pods('csi-node')
        deepEqual(new Set(pods.map(({ spec }) => spec.nodeName)), new Set(['node-1', 'node-2']))
        for (const pod of pods) {
          deepEqual(runningContainers(pod), ['csi-driver', 'csi-sidecar', 'liveness-probe', 'node-driver-registrar'])
          ok(sidecarArgs(pod).includes('--leader-election'))
        }
        await useVolume(stage, 'everywhere', 'led')
        const holders = holdersOf(await release.leases())
        ok(Object.keys(holders).length >= 4, 'a lease for each role')
        for (const holder of Object.values(holders))
          equal(pods.filter(({ metadata }) => holder.includes(metadata.name ?? '?')).length, 1, holder)
        // Whoever leads the provisioner is lost.
        const leader = pods.find(({ metadata }) => Object.values(holders)[0]?.includes(metadata.name ?? '?'))
        const ref = { namespace: release.namespace, name: leader?.metadata.name ?? '' }
        await stage.api.delete(PODS, ref, { gracePeriodSeconds: 0 })
        await useVolume(stage, 'everywhere', 'led-by-other')
      },
    ),
  )

  tell(
    'S3-142: the containers with credentials run on infrastructure nodes alone, and user pods elsewhere',
    async (stage) => {
      const mark = (value: object) => stage.api.patch(NODES, { name: 'node-2' }, { type: 'merge', value })
      await mark({
        metadata: { labels: { infrastructure: 'yes' } },
        spec: { taints: [{ key: 'infrastructure', effect: 'NoSchedule' }] },
      })
      const settings = [
        '--set=controller.nodeSelector.infrastructure=yes',
        '--set=controller.tolerations[0].key=infrastructure,controller.tolerations[0].effect=NoSchedule',
      ]
      try {
        await withVariant(stage, { name: 'confined' }, settings, (release) => runConfined(stage, release))
      } finally {
        await mark({ metadata: { labels: { infrastructure: null } }, spec: { taints: null } })
      }
    },
  )

  tell('S3-129, S3-130, S3-131, S3-132: each helper is needed for its own operation only', (stage) => {
    const only = (...roles: string[]): string[] => [
      ...['provisioner', 'attacher', 'resizer', 'snapshotter'].map(
        (role) => `--set=roles.${role}.enabled=${roles.includes(role)}`,
      ),
      '--set=driver.csiDriver.spec.attachRequired=false,livenessProbe.enabled=false',
    ]
    return withVariant(stage, { name: 'pieces' }, only('resizer'), async (release) => {
      for (const pod of await release.pods('csi-controller'))
        deepEqual(runningContainers(pod), ['csi-driver', 'csi-sidecar'], 'no liveness probe')
      for (const pod of await release.pods('csi-node'))
        deepEqual(runningContainers(pod), ['csi-driver', 'node-driver-registrar'])
      // Without a provisioner, nobody creates the volume.
      await stage.createClaim('pieces', { storageClassName: 'pieces' })
      await untilEvent(stage, 'pieces', 'ExternalProvisioning', /pieces\.test\.holdfast\.dev/)
      deepEqual(Object.keys(holdersOf(await release.leases())), ['external-resizer-pieces-test-holdfast-dev'])

      await release.install(...only('provisioner'))
      await stage.untilClaim('pieces', ({ status }) => status?.phase === 'Bound')
      // A driver that does not attach needs no attacher.
      await stage.createPod('pieces', 'sleep 10000', { claim: 'pieces' })
      await stage.untilRunning('pieces')
      const { items } = await stage.api.list(VOLUME_ATTACHMENTS)
      deepEqual(
        items.filter(({ spec }) => spec.attacher === release.driver),
        [],
      )
      // Without a resizer and a snapshotter, the volume does not grow, and no snapshot is taken.
      const spec = { resources: { requests: { storage: '2Mi' } } }
      await stage.api.patch(...claimRef('pieces'), { type: 'merge', value: { spec } })
      await untilEvent(stage, 'pieces', 'ExternalExpanding', /./)
      await takeSnapshot(stage, release.driver)
      await stage.until(
        VOLUME_SNAPSHOTS,
        named('pieces'),
        (found) => found?.status?.boundVolumeSnapshotContentName !== undefined,
      )

      await release.install(...only('provisioner', 'resizer', 'snapshotter'))
      await stage.untilClaim('pieces', ({ status }) => status?.capacity?.['storage'] === '2Mi')
      await stage.until(VOLUME_SNAPSHOTS, named('pieces'), (found) => found?.status?.readyToUse === true, POD_LIMIT)
      await stage.api.delete(VOLUME_SNAPSHOTS, named('pieces'))
      await stage.untilGone(VOLUME_SNAPSHOTS, named('pieces'))
      await stage.deletePod('pieces')
      await stage.removeClaim('pieces')
    })
  })

  tell('S3-132: the liveness probe has a driver restarted that does not answer any more', (stage) => {
    const quick = [
      'initialDelaySeconds=1',
      'periodSeconds=2',
      'timeoutSeconds=2',
      'failureThreshold=2',
      'probeTimeout=1s',
    ]
    const settings = [`--set=${quick.map((each) => `livenessProbe.${each}`).join(',')}`, '--set=controller.replicas=1']
    return withVariant(stage, { name: 'hanging' }, settings, async (release) => {
      const [pod] = await release.pods('csi-controller')
      ok(pod)
      const restarts = (found: typeof pod | undefined): number =>
        found?.status?.containerStatuses?.find(({ name }) => name === 'csi-driver')?.restartCount ?? 0
      const before = restarts(pod)
      equal(await stage.signal('SIGSTOP', 'shared-driver.ts', '--controller', release.driver), 1)
      const ref = { namespace: release.namespace, name: pod.metadata.name ?? '' }
      await stage.until(PODS, ref, (found) => restarts(found) > before, POD_LIMIT)
      await useVolume(stage, 'hanging', 'after-restart')
    })
  })
}

async function runConfined(stage: ClusterStage, release: Release): Promise<void> {
  const pods = await release.pods('csi-controller')
  deepEqual(
    pods.map(({ spec }) => spec.nodeName),
    ['node-2', 'node-2'],
  )
  const { items } = await stage.api.list(PODS, { namespace: release.namespace })
  const withSidecars = items.filter(({ spec }) => spec.containers.some(({ name }) => name === 'csi-sidecar'))
  deepEqual([...new Set(withSidecars.map(({ spec }) => spec.nodeName))], ['node-2'])
  const users = ['user-1', 'user-2', 'user-3']
  for (const name of users) {
    await stage.createClaim(name, { storageClassName: 'confined' })
    await stage.createPod(name, 'sleep 10000', { claim: name })
  }
  for (const name of users) {
    equal((await stage.untilRunning(name)).spec.nodeName, 'node-1')
    await stage.deletePod(name)
    await stage.removeClaim(name)
  }
}

async function takeSnapshot({ api }: ClusterStage, driver: string): Promise<void> {
  await api.create(VOLUME_SNAPSHOT_CLASSES, {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotClass',
    metadata: { name: 'pieces' },
    driver,
    deletionPolicy: 'Delete',
  })
  await api.create(VOLUME_SNAPSHOTS, {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshot',
    metadata: named('pieces'),
    spec: { volumeSnapshotClassName: 'pieces', source: { persistentVolumeClaimName: 'pieces' } },
  })
}
