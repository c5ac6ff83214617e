import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { CSI_DRIVERS } from '../api/kinds/csi-driver.ts'
import { CSI_NODES } from '../api/kinds/csi-node.ts'
import { NODES } from '../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import { PODS } from '../api/kinds/pod.ts'
import type { Volume } from '../api/kinds/pod.ts'
import { STORAGE_CLASSES } from '../api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../api/kinds/volume-attachment.ts'
import { classOf, createOn, podOf } from '../testing/objects.ts'
import { createClaim, createPod, deletePod, getPod, isGone, NAMESPACE } from './testing/describe-cluster.ts'
import { openSeparateParts } from './testing/describe-separate-parts.ts'

const DRIVERS = ['a.example.com', 'b.example.com', 'c.example.com']
const [A = '', B = '', C = ''] = DRIVERS

test('S3-144: three drivers on one node serve one pod at the same time, each its own volumes; when one leaves, the others go on', async (context) => {
  const parts = await openSeparateParts(context, { drivers: DRIVERS })
  const { api, calls, machine, until } = parts
  for (const driver of DRIVERS) {
    await createOn(api, STORAGE_CLASSES, classOf({ provisioner: driver }, driver))
    await api.create(CSI_DRIVERS, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: driver },
      spec: { attachRequired: driver !== C, podInfoOnMount: true, volumeLifecycleModes: ['Persistent', 'Ephemeral'] },
    })
  }
  await parts.startControllers()
  for (const driver of [A, B]) await parts.startSidecar(driver)
  await parts.startNode('node-1')
  const registered = async (): Promise<string[]> =>
    ((await api.get(CSI_NODES, { name: 'node-1' })).spec.drivers ?? []).map(({ name }) => name).sort()
  await until('all three are registered', async () => (await registered()).length === 3)
  deepEqual(await registered(), DRIVERS)
  deepEqual(
    JSON.parse(
      (await api.get(NODES, { name: 'node-1' })).metadata.annotations?.['csi.volume.kubernetes.io/nodeid'] ?? '{}',
    ),
    Object.fromEntries(DRIVERS.map((driver) => [driver, 'node-1'])),
  )

  for (const driver of [A, B]) await createClaim(api, driver, { storageClassName: driver })
  const volumes: Volume[] = [
    ...[A, B].map((claimName) => ({ name: claimName.slice(0, 1), persistentVolumeClaim: { claimName } })),
    { name: 'c', csi: { driver: C } },
  ]
  await createOn(api, PODS, podOf('web', { volumes }))
  await until('the pod runs', async () => (await getPod(api, 'web')).status?.phase === 'Running')
  deepEqual((await api.list(VOLUME_ATTACHMENTS)).items.map(({ spec }) => spec.attacher).sort(), [A, B])
  const volumesOf = (driver: string): Set<unknown> =>
    new Set(
      calls
        .filter((call) => call.driver === driver && call.method === 'NodePublishVolume')
        .map(({ request }) => (request as { volumeId: string }).volumeId),
    )
  const handles = new Map(
    (await api.list(PERSISTENT_VOLUMES)).items.map(({ spec }) => [spec.csi?.driver, spec.csi?.volumeHandle]),
  )
  deepEqual([volumesOf(A), volumesOf(B), volumesOf(C).size], [new Set([handles.get(A)]), new Set([handles.get(B)]), 1])

  // The one in the middle goes away for good.
  await machine.files.removeFile(`/cluster/node-1/plugins_registry/${B}-reg.sock`)
  await until('it is taken out', async () => (await registered()).length === 2)
  deepEqual(await registered(), [A, C])
  await createClaim(api, 'more', { storageClassName: A })
  await createPod(api, 'more', 'more')
  await until('a pod of another driver runs', async () => (await getPod(api, 'more')).status?.phase === 'Running')
  await deletePod(api, 'more')
  await api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: 'more' })
  await until('it is gone', () => isGone(getPod(api, 'more')))
  equal((await getPod(api, 'web')).status?.phase, 'Running')
})
