import { deepEqual, equal, ok } from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PERSISTENT_VOLUMES } from '../../../src/api/kinds/persistent-volume.ts'
import { SECRETS } from '../../../src/api/kinds/secret.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOTS } from '../../../src/api/kinds/volume-snapshot.ts'
import { POD_LIMIT } from './release.ts'
import { DRIVER } from './open-cluster-stage.ts'
import { claimRef, untilVolumes, volumesAtBackend } from './story-helpers.ts'
import { named, NAMESPACE } from './story-objects.ts'
import type { Tell } from './story-helpers.ts'

/** What pods do with volumes. */
export function tellVolumeStories(tell: Tell): void {
  tell('a pod writes to a fresh claim, is deleted, and another pod reads the data', async (stage) => {
    await stage.createClaim('first')
    await stage.runPod('writer', 'echo kept > /data/file', { claim: 'first' })
    equal(await stage.runPod('reader', 'cat /data/file > /result', { claim: 'first' }), 'kept\n')
    const { spec } = await stage.untilClaim('first', ({ status }) => status?.phase === 'Bound')
    await stage.api.delete(...claimRef('first'))
    await stage.untilGone(PERSISTENT_VOLUMES, { name: spec.volumeName ?? '' })
    deepEqual(volumesAtBackend(stage), [], 'the driver has nothing left')
  })

  tell('WaitForFirstConsumer: the volume is created for the node of the first pod', async (stage) => {
    await stage.createClaim('late', { storageClassName: 'late' })
    equal(
      await stage.runPod('first-consumer', 'echo there > /data/file; cat /data/file > /result', { claim: 'late' }),
      'there\n',
    )
    const claim = await stage.untilClaim('late', ({ status }) => status?.phase === 'Bound')
    equal(claim.metadata.annotations?.['volume.kubernetes.io/selected-node'], 'node-1')
    await stage.api.delete(...claimRef('late'))
  })

  tell('a raw block volume is a device in the pod, and keeps what is written to it', async (stage) => {
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

  tell('a claim is expanded while a pod uses it', async (stage) => {
    await stage.createClaim('growing')
    await stage.createPod('grower', 'sleep 10000', { claim: 'growing' })
    await stage.untilRunning('grower')
    const spec = { resources: { requests: { storage: '2Mi' } } }
    await stage.api.patch(...claimRef('growing'), { type: 'merge', value: { spec } })
    await stage.untilClaim('growing', ({ status }) => status?.capacity?.['storage'] === '2Mi')
    await stage.deletePod('grower')
    await stage.api.delete(...claimRef('growing'))
  })

  tell('a snapshot is taken, and a volume restored from it has its data', async (stage) => {
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
    async (stage) => {
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
      const [claims] = JSON.parse(call.context['csi.storage.k8s.io/serviceAccount.tokens'] ?? '[]') as {
        aud: unknown
      }[]
      deepEqual(claims?.aud, ['vault'])
      await untilVolumes(stage, (ids) => !ids.some((id) => id.startsWith('csi-')))
    },
  )

  tell('H60, S3-176: secrets of the one namespace that the chart opens reach the driver', async (stage) => {
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
}
