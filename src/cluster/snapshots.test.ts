import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Api } from '../api/api.ts'
import { EVENTS } from '../api/kinds/event.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../api/kinds/volume-snapshot.ts'
import type { DeletionPolicy, VolumeSnapshot, VolumeSnapshotSpec } from '../api/kinds/volume-snapshot.ts'
import {
  createClaim,
  createPod,
  deletePod,
  DRIVER,
  getClaim,
  getPod,
  isGone,
  NAMESPACE,
  startClusterUnderTest,
} from './testing/describe-cluster.ts'

const createClass = async (
  api: Api,
  { name = 'snaps', deletionPolicy = 'Delete' as DeletionPolicy, isDefault = false } = {},
) =>
  api.create(VOLUME_SNAPSHOT_CLASSES, {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotClass',
    metadata: {
      name,
      annotations: isDefault ? { 'snapshot.storage.kubernetes.io/is-default-class': 'true' } : {},
    },
    driver: DRIVER,
    deletionPolicy,
  })

const createSnapshot = (api: Api, name: string, spec: VolumeSnapshotSpec): Promise<VolumeSnapshot> =>
  api.create(VOLUME_SNAPSHOTS, {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshot',
    metadata: { namespace: NAMESPACE, name },
    spec,
  })
const getSnapshot = (api: Api, name: string) => api.get(VOLUME_SNAPSHOTS, { namespace: NAMESPACE, name })
const isReady = async (api: Api, name: string): Promise<boolean> =>
  (await getSnapshot(api, name)).status?.readyToUse === true
const of = (claim: string, className: string | undefined = 'snaps'): VolumeSnapshotSpec => ({
  source: { persistentVolumeClaimName: claim },
  ...(className === undefined ? {} : { volumeSnapshotClassName: className }),
})

/** A bound claim `data`, used by a pod once. */
async function startWithClaim(context: Parameters<typeof startClusterUnderTest>[0]) {
  const cluster = await startClusterUnderTest(context, {})
  const { api, until } = cluster
  await createClaim(api, 'data')
  await createPod(api, 'web', 'data')
  await until('the pod runs', async () => (await getPod(api, 'web')).status?.phase === 'Running')
  return cluster
}

describe('a snapshot', () => {
  test('is taken, restored into a new claim, and deleted with all that belongs to it', async (context) => {
    const { api, until } = await startWithClaim(context)
    await createClass(api)
    await createSnapshot(api, 'monday', of('data'))
    await until('the snapshot is ready', () => isReady(api, 'monday'))
    const snapshot = await getSnapshot(api, 'monday')
    const content = await api.get(VOLUME_SNAPSHOT_CONTENTS, { name: `snapcontent-${snapshot.metadata.uid}` })
    equal(snapshot.status?.boundVolumeSnapshotContentName, content.metadata.name)
    equal(snapshot.status?.restoreSize, '1Mi')
    ok(snapshot.status?.creationTime)
    equal(content.spec.driver, DRIVER)
    ok(content.status?.snapshotHandle)
    equal(content.metadata.annotations?.['snapshot.storage.kubernetes.io/volumesnapshot-being-created'], undefined)
    await until(
      'the claim is released',
      async () =>
        !(await getClaim(api, 'data')).metadata.finalizers?.includes(
          'snapshot.storage.kubernetes.io/pvc-as-source-protection',
        ),
    )
    const reasons = (await api.list(EVENTS)).items
      .filter(({ involvedObject }) => involvedObject.kind === 'VolumeSnapshot')
      .map(({ reason }) => reason)
    deepEqual(reasons, ['CreatingSnapshot', 'SnapshotCreated', 'SnapshotReady'])

    await createClaim(api, 'copy', {
      dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'monday' },
    })
    await createPod(api, 'reader', 'copy')
    await until('the copy is used', async () => (await getPod(api, 'reader')).status?.phase === 'Running')

    await api.delete(VOLUME_SNAPSHOTS, { namespace: NAMESPACE, name: 'monday' })
    await until('the snapshot is gone', () => isGone(getSnapshot(api, 'monday')))
    deepEqual((await api.list(VOLUME_SNAPSHOT_CONTENTS)).items, [])
  })

  test('gets the default class of its driver', async (context) => {
    const { api, until } = await startWithClaim(context)
    await createClass(api, { isDefault: true })
    await createSnapshot(api, 'monday', of('data', undefined))
    await until('the snapshot is ready', () => isReady(api, 'monday'))
    equal((await getSnapshot(api, 'monday')).spec.volumeSnapshotClassName, 'snaps')
  })

  test('of a missing class says so, goes on when the class is there, and never keeps its claim', async (context) => {
    const { api, until } = await startWithClaim(context)
    await createSnapshot(api, 'monday', of('data', 'nope'))
    await until('it says so', async () => (await getSnapshot(api, 'monday')).status?.error !== undefined)
    match(
      (await getSnapshot(api, 'monday')).status?.error?.message ?? '',
      /volumesnapshotclass.snapshot.storage.k8s.io "nope" not found/,
    )
    equal(
      (await getClaim(api, 'data')).metadata.finalizers?.some((each) => each.startsWith('snapshot')),
      false,
    )
    await createClass(api, { name: 'nope' })
    await until('the snapshot is ready', () => isReady(api, 'monday'))
    equal((await getSnapshot(api, 'monday')).status?.error, undefined)
  })

  test('with policy Retain leaves its content, which another snapshot can use', async (context) => {
    const { api, until, advance } = await startWithClaim(context)
    await createClass(api, { deletionPolicy: 'Retain' })
    await createSnapshot(api, 'monday', of('data'))
    await until('the snapshot is ready', () => isReady(api, 'monday'))
    await api.delete(VOLUME_SNAPSHOTS, { namespace: NAMESPACE, name: 'monday' })
    await until('the snapshot is gone', () => isGone(getSnapshot(api, 'monday')))
    await advance(600_000)
    const [kept] = (await api.list(VOLUME_SNAPSHOT_CONTENTS)).items
    ok(kept?.status?.snapshotHandle)
    await api.create(VOLUME_SNAPSHOT_CONTENTS, {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshotContent',
      metadata: { name: 'by-hand' },
      spec: {
        driver: DRIVER,
        deletionPolicy: 'Delete',
        source: { snapshotHandle: kept.status.snapshotHandle },
        volumeSnapshotRef: { namespace: NAMESPACE, name: 'again' },
      },
    })
    await createSnapshot(api, 'again', { source: { volumeSnapshotContentName: 'by-hand' } })
    await until('the snapshot is ready', () => isReady(api, 'again'))
    equal(
      (await api.get(VOLUME_SNAPSHOT_CONTENTS, { name: 'by-hand' })).spec.volumeSnapshotRef.uid,
      (await getSnapshot(api, 'again')).metadata.uid,
    )
  })

  test('of a claim that is deleted at once is still taken', async (context) => {
    const { api, until } = await startWithClaim(context)
    await createClass(api)
    await createSnapshot(api, 'monday', of('data'))
    await deletePod(api, 'web')
    await api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: 'data' })
    await until('the snapshot is ready', () => isReady(api, 'monday'))
    await until('the claim is gone', () => isGone(getClaim(api, 'data')))
  })
})
