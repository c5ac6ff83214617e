import { deepEqual, equal, notEqual, ok } from 'node:assert/strict'
import { LEASES } from '../../../src/api/kinds/lease.ts'
import { PODS } from '../../../src/api/kinds/pod.ts'
import type { Pod } from '../../../src/api/kinds/pod.ts'
import { DRIVER, DRIVER_NAMESPACE } from './open-cluster-stage.ts'
import { claimRef, runningContainers } from './story-helpers.ts'
import type { Tell } from './story-helpers.ts'

/** What the chart installs, and how it is changed. */
export function tellDeploymentStories(tell: Tell): void {
  tell(
    'S3-126, S3-127, S3-133, S3-140: the controller part runs as a Deployment of two replicas, whose containers share the directory of the socket',
    async (stage) => {
      const pods = await stage.release.pods('csi-controller')
      equal(pods.length, 2)
      for (const pod of pods) {
        deepEqual(runningContainers(pod), ['csi-driver', 'csi-sidecar', 'liveness-probe'])
        deepEqual(volumeOf(pod, 'socket-dir'), { name: 'socket-dir', emptyDir: {} })
        for (const container of pod.spec.containers) ok(mountOf(pod, container.name, 'socket-dir') === '/csi')
        equal(pod.metadata.ownerReferences?.[0]?.kind, 'ReplicaSet')
      }
      // Both parts of the driver were called, each over its socket.
      const called = new Set(stage.driverCalls().map(({ method }) => method))
      for (const method of ['CreateVolume', 'ControllerPublishVolume', 'NodeStageVolume', 'NodePublishVolume'])
        ok(called.has(method), method)
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
    async (stage) => {
      const [pod] = await stage.release.pods('csi-node')
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

  tell('S3-140: when the leading replica is killed, the other one takes over', async (stage) => {
    const holder = async (): Promise<string> => {
      const { items } = await stage.api.list(LEASES, { namespace: DRIVER_NAMESPACE })
      return (
        items.find(({ metadata }) => metadata.name?.startsWith('external-attacher-leader'))?.spec?.holderIdentity ?? ''
      )
    }
    const before = await holder()
    const pods = await stage.release.pods('csi-controller')
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
}

const volumeOf = ({ spec }: Pod, name: string): object | undefined =>
  spec.volumes?.find((volume) => volume.name === name)

const mountOf = ({ spec }: Pod, container: string, volume: string): string | undefined =>
  spec.containers.find(({ name }) => name === container)?.volumeMounts?.find(({ name }) => name === volume)?.mountPath
