import { equal, match, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { ApiError } from '../api/api-error.ts'
import type { Api } from '../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { VOLUME_GROUP_SNAPSHOT_CLASSES, VOLUME_GROUP_SNAPSHOTS } from '../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../api/kinds/volume-snapshot.ts'
import type { ResourceType } from '../api/resource-type.ts'
import type { SimulatedClusterOptions } from './start-simulated-cluster.ts'
import { carryOut } from './testing/carry-out.ts'
import { createClaim, createPod, DRIVER, getPod, isGone, NAMESPACE } from './testing/describe-cluster.ts'
import { startClusterUnderTest } from './testing/describe-cluster.ts'
import { why } from './why.ts'

const MONDAY = { namespace: NAMESPACE, name: 'monday' }
const isReady = (api: Api) => async (): Promise<boolean> =>
  (await api.get(VOLUME_SNAPSHOTS, MONDAY)).status?.readyToUse === true
const isDeleted = (api: Api) => () => isGone(api.get(VOLUME_SNAPSHOTS, MONDAY))
const contentsOf = async (api: Api) => (await api.list(VOLUME_SNAPSHOT_CONTENTS)).items
const LONG = { limitMs: 900_000 }

/** A running pod with the claim `data`, and a class of snapshots. */
async function start(context: TestContext, options: SimulatedClusterOptions = {}) {
  const cluster = await startClusterUnderTest(context, options)
  const { api, until } = cluster
  await createClaim(api, 'data')
  await createPod(api, 'web', 'data')
  await until('the pod runs', async () => (await getPod(api, 'web')).status?.phase === 'Running')
  await api.create(VOLUME_SNAPSHOT_CLASSES, {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotClass',
    metadata: { name: 'snaps' },
    driver: DRIVER,
    deletionPolicy: 'Delete',
  })
  return cluster
}

const takeSnapshot = (api: Api) =>
  api.create(VOLUME_SNAPSHOTS, {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshot',
    metadata: MONDAY,
    spec: { volumeSnapshotClassName: 'snaps', source: { persistentVolumeClaimName: 'data' } },
  })
const setFinalizers = (api: Api, finalizers: readonly string[]) =>
  api.patch(VOLUME_SNAPSHOTS, MONDAY, { type: 'merge', value: { metadata: { finalizers } } })

describe('a snapshot that is being deleted', () => {
  test('is gone once the snapshotter is running', async (context) => {
    const { api, until, advance, stopPart, startPart } = await start(context)
    await takeSnapshot(api)
    await until('the snapshot is ready', isReady(api))
    await stopPart('sidecars')
    await api.delete(VOLUME_SNAPSHOTS, MONDAY)
    await advance(60_000)
    match(
      (await why(api, 'vs/monday')).sentence,
      /to delete the snapshot\. Check that the csi-snapshotter of driver \S+ is running\.$/,
    )
    await startPart('sidecars')
    await until('the snapshot is gone', isDeleted(api), LONG)
    await until('its content is gone', async () => (await contentsOf(api)).length === 0, LONG)
  })

  test('is gone once the claim that is restored from it is deleted', async (context) => {
    const { api, until, advance, stopPart, startPart } = await start(context)
    await takeSnapshot(api)
    await until('the snapshot is ready', isReady(api))
    await stopPart('sidecars')
    await createClaim(api, 'copy', {
      dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'monday' },
    })
    await advance(5000)
    await api.delete(VOLUME_SNAPSHOTS, MONDAY)
    await advance(60_000)
    match(
      (await why(api, 'vs/monday')).sentence,
      /waiting for claim copy: Snapshot is being used to restore a PVC\. Wait until claim default\/copy is bound, or delete it\.$/,
    )
    await api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: 'copy' })
    await startPart('sidecars')
    await until('the snapshot is gone', isDeleted(api), LONG)
  })

  test('is gone once a finalizer of somebody else is removed', async (context) => {
    const { api, until, advance } = await start(context)
    await takeSnapshot(api)
    await until('the snapshot is ready', isReady(api))
    const { finalizers = [] } = (await api.get(VOLUME_SNAPSHOTS, MONDAY)).metadata
    await setFinalizers(api, [...finalizers, 'backup.example.com/keep'])
    await api.delete(VOLUME_SNAPSHOTS, MONDAY)
    await advance(60_000)
    match(
      (await why(api, 'vs/monday')).sentence,
      /finalizers remain: backup\.example\.com\/keep\. Check the controller that added the finalizer\./,
    )
    await setFinalizers(api, [])
    await until('the snapshot is gone', isDeleted(api), LONG)
  })
})

test('the content of a snapshot that was removed by force is deleted once it is annotated', async (context) => {
  const { api, until, advance, stopPart, startPart } = await start(context)
  await takeSnapshot(api)
  await until('the snapshot is ready', isReady(api))
  await stopPart('controllers')
  await setFinalizers(api, [])
  await api.delete(VOLUME_SNAPSHOTS, MONDAY)
  const [content] = await contentsOf(api)
  const name = content?.metadata.name ?? ''
  await api.delete(VOLUME_SNAPSHOT_CONTENTS, { name })
  await advance(60_000)
  const { sentence } = await why(api, `vsc/${name}`)
  match(sentence, /VolumeSnapshot default\/monday is gone, but the content lacks the annotation/)
  equal(
    await carryOut(api, sentence),
    `kubectl annotate volumesnapshotcontent ${name} snapshot.storage.kubernetes.io/volumesnapshot-being-deleted=yes`,
  )
  await startPart('controllers')
  await until('the content is gone', async () => (await contentsOf(api)).length === 0, LONG)
})

describe('a snapshot that nobody takes', () => {
  test('is taken once the snapshotter is running', async (context) => {
    const { api, until, advance, stopPart, startPart } = await start(context)
    await stopPart('sidecars')
    await takeSnapshot(api)
    await advance(5000)
    match((await why(api, 'vs/monday')).sentence, /check that the csi-snapshotter of driver \S+ is running\.$/)
    await startPart('sidecars')
    await until('the snapshot is ready', isReady(api), LONG)
  })

  test('is taken once the snapshot controller is running', async (context) => {
    const { api, until, advance, stopPart, startPart } = await start(context)
    await stopPart('controllers')
    await takeSnapshot(api)
    await advance(5000)
    match((await why(api, 'vs/monday')).sentence, /check that the snapshot controller is running/)
    await startPart('controllers')
    await until('the snapshot is ready', isReady(api), LONG)
  })

  test('of a group is taken once the feature gate is enabled', async (context) => {
    const gates = { CSIVolumeGroupSnapshot: false }
    const { api, until, advance, stopPart, startPart } = await start(context, { gates })
    await api.patch(
      PERSISTENT_VOLUME_CLAIMS,
      { namespace: NAMESPACE, name: 'data' },
      { type: 'merge', value: { metadata: { labels: { app: 'db' } } } },
    )
    await api.create(VOLUME_GROUP_SNAPSHOT_CLASSES, {
      apiVersion: 'groupsnapshot.storage.k8s.io/v1',
      kind: 'VolumeGroupSnapshotClass',
      metadata: { name: 'groups' },
      driver: DRIVER,
      deletionPolicy: 'Delete',
    })
    await api.create(VOLUME_GROUP_SNAPSHOTS, {
      apiVersion: 'groupsnapshot.storage.k8s.io/v1',
      kind: 'VolumeGroupSnapshot',
      metadata: MONDAY,
      spec: { source: { selector: { matchLabels: { app: 'db' } } }, volumeGroupSnapshotClassName: 'groups' },
    })
    await advance(60_000)
    match(
      (await why(api, 'vgs/monday')).sentence,
      /check that the snapshot controller is running .* with the feature gate CSIVolumeGroupSnapshot\.$/,
    )
    gates.CSIVolumeGroupSnapshot = true
    for (const part of ['controllers', 'sidecars']) {
      await stopPart(part)
      await startPart(part)
    }
    const isTaken = async () => (await api.get(VOLUME_GROUP_SNAPSHOTS, MONDAY)).status?.readyToUse === true
    await until('the group is ready', isTaken, LONG)
  })
})

test('a claim is restored once the snapshot CRDs are installed and the snapshot is taken', async (context) => {
  const { api, until, advance } = await start(context)
  let isInstalled = false
  // The CRDs of the simulated cluster cannot be removed: `why` and the person do without them.
  const refuse = ({ group, plural }: ResourceType): void => {
    if (!isInstalled && group === 'snapshot.storage.k8s.io')
      throw new ApiError('NotFound', `the server could not find the requested resource (${plural})`)
  }
  const person: Api = {
    ...api,
    get: async (type, ref, options) => (refuse(type), api.get(type, ref, options)),
    list: async (type, options) => (refuse(type), api.list(type, options)),
    create: async (type, object, options) => (refuse(type), api.create(type, object, options)),
  }
  await createClaim(api, 'copy', {
    dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'monday' },
  })
  await advance(5000)
  match(
    (await why(person, 'pvc/copy')).sentence,
    /VolumeSnapshot monday: the server doesn't have a resource type "volumesnapshots"\. Install the snapshot CRDs and the snapshot controller once for the cluster/,
  )
  await rejects(takeSnapshot(person), { reason: 'NotFound' })
  isInstalled = true
  match((await why(person, 'pvc/copy')).sentence, /"monday" not found\. Create it, or use another data source/)
  await takeSnapshot(person)
  const isBound = async () =>
    (await api.get(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: 'copy' })).status?.phase === 'Bound'
  await until('the claim is bound', isBound, LONG)
})
