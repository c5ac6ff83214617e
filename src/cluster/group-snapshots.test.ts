import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Api } from '../api/api.ts'
import { EVENTS } from '../api/kinds/event.ts'
import { NAMESPACES } from '../api/kinds/namespace.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import {
  VOLUME_GROUP_SNAPSHOT_CLASSES,
  VOLUME_GROUP_SNAPSHOT_CONTENTS,
  VOLUME_GROUP_SNAPSHOTS,
} from '../api/kinds/volume-group-snapshot.ts'
import type { VolumeGroupSnapshotSpec } from '../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../api/kinds/volume-snapshot.ts'
import type { DeletionPolicy } from '../api/kinds/volume-snapshot.ts'
import {
  createClaim,
  createPod,
  DRIVER,
  getClaim,
  getPod,
  isGone,
  NAMESPACE,
  startClusterUnderTest,
} from './testing/describe-cluster.ts'

const createClass = (
  api: Api,
  { driver = DRIVER, deletionPolicy = 'Delete' as DeletionPolicy, isDefault = false } = {},
) =>
  api.create(VOLUME_GROUP_SNAPSHOT_CLASSES, {
    apiVersion: 'groupsnapshot.storage.k8s.io/v1',
    kind: 'VolumeGroupSnapshotClass',
    metadata: {
      name: 'groups',
      annotations: isDefault ? { 'groupsnapshot.storage.kubernetes.io/is-default-class': 'true' } : {},
    },
    driver,
    deletionPolicy,
  })
const SELECTED: VolumeGroupSnapshotSpec = {
  // Both kinds of requirement count.
  source: {
    selector: { matchLabels: { app: 'db' }, matchExpressions: [{ key: 'scratch', operator: 'DoesNotExist' }] },
  },
  volumeGroupSnapshotClassName: 'groups',
}
const createGroup = (api: Api, name: string, spec = SELECTED, namespace = NAMESPACE) =>
  api.create(VOLUME_GROUP_SNAPSHOTS, {
    apiVersion: 'groupsnapshot.storage.k8s.io/v1',
    kind: 'VolumeGroupSnapshot',
    metadata: { namespace, name },
    spec,
  })
const getGroup = (api: Api, name: string) => api.get(VOLUME_GROUP_SNAPSHOTS, { namespace: NAMESPACE, name })
const isReady = async (api: Api, name: string): Promise<boolean> =>
  (await getGroup(api, name)).status?.readyToUse === true
const label = (api: Api, name: string, labels: Record<string, string>) =>
  api.patch(
    PERSISTENT_VOLUME_CLAIMS,
    { namespace: NAMESPACE, name },
    { type: 'merge', value: { metadata: { labels } } },
  )

/** Bound claims `data`, `log` and `scratch`, the first two in the group. */
async function startWithClaims(context: Parameters<typeof startClusterUnderTest>[0], options = {}) {
  const cluster = await startClusterUnderTest(context, options)
  const { api, until } = cluster
  for (const name of ['data', 'log', 'scratch']) {
    await createClaim(api, name)
    await createPod(api, `pod-${name}`, name)
    await until('the pod runs', async () => (await getPod(api, `pod-${name}`)).status?.phase === 'Running')
    await label(api, name, { app: 'db', ...(name === 'scratch' ? { scratch: 'yes' } : {}) })
  }
  return cluster
}
const eventsOf = async (api: Api, kind: string): Promise<string[]> =>
  (await api.list(EVENTS)).items
    .filter(({ involvedObject }) => involvedObject.kind === kind)
    .map(({ reason }) => reason ?? '')

describe('a group snapshot', () => {
  test('is taken of all claims that the selector picks, restored from, and deleted with its members', async (context) => {
    const { api, until } = await startWithClaims(context)
    await createClass(api)
    await createGroup(api, 'monday')
    await until('the group is ready', () => isReady(api, 'monday'))
    const group = await getGroup(api, 'monday')
    const content = await api.get(VOLUME_GROUP_SNAPSHOT_CONTENTS, { name: `groupsnapcontent-${group.metadata.uid}` })
    equal(group.status?.boundVolumeGroupSnapshotContentName, content.metadata.name)
    equal(content.status?.volumeSnapshotInfoList?.length, 2)
    deepEqual(await eventsOf(api, 'VolumeGroupSnapshot'), [
      'CreatingGroupSnapshot',
      'GroupSnapshotCreated',
      'GroupSnapshotReady',
    ])
    const membersReady = async () =>
      (await api.list(VOLUME_SNAPSHOTS)).items.filter(({ status }) => status?.readyToUse === true).length === 2
    await until('the members are ready', membersReady)
    const members = (await api.list(VOLUME_SNAPSHOTS)).items
    deepEqual(members.map(({ spec }) => spec.source.persistentVolumeClaimName ?? '').toSorted(), ['data', 'log'])
    for (const member of members) {
      equal(member.metadata.ownerReferences?.[0]?.uid, group.metadata.uid)
      equal(member.status?.volumeGroupSnapshotName, 'monday')
      equal(member.status?.restoreSize, '1Mi')
      ok(member.status?.creationTime)
    }
    await until('the claims are released', async () =>
      (await Promise.all(['data', 'log'].map((name) => getClaim(api, name)))).every(
        ({ metadata }) => !metadata.finalizers?.some((name) => name.startsWith('snapshot.')),
      ),
    )

    await createClaim(api, 'copy', {
      dataSource: {
        apiGroup: 'snapshot.storage.k8s.io',
        kind: 'VolumeSnapshot',
        name: members[0]?.metadata.name ?? '',
      },
    })
    await createPod(api, 'reader', 'copy')
    await until('the copy is used', async () => (await getPod(api, 'reader')).status?.phase === 'Running')

    await api.delete(VOLUME_GROUP_SNAPSHOTS, { namespace: NAMESPACE, name: 'monday' })
    await until('the group is gone', () => isGone(getGroup(api, 'monday')))
    await until('its members are gone', async () => (await api.list(VOLUME_SNAPSHOTS)).items.length === 0)
    await until('their contents are gone', async () => (await api.list(VOLUME_SNAPSHOT_CONTENTS)).items.length === 0)
    deepEqual((await api.list(VOLUME_GROUP_SNAPSHOT_CONTENTS)).items, [])
  })

  test('gets the default class, and its members cannot be deleted alone', async (context) => {
    const { api, until, advance } = await startWithClaims(context)
    await createClass(api, { isDefault: true })
    await createGroup(api, 'monday', { source: { selector: { matchLabels: { app: 'db' } } } })
    await until('the group is ready', () => isReady(api, 'monday'))
    equal((await getGroup(api, 'monday')).spec.volumeGroupSnapshotClassName, 'groups')
    const [member] = (await api.list(VOLUME_SNAPSHOTS)).items
    const ref = { namespace: NAMESPACE, name: member?.metadata.name ?? '' }
    await api.delete(VOLUME_SNAPSHOTS, ref)
    await until('it says so', async () => (await eventsOf(api, 'VolumeSnapshot')).includes('SnapshotDeletePending'))
    await advance(600_000)
    ok((await api.get(VOLUME_SNAPSHOTS, ref)).metadata.deletionTimestamp)
    await api.delete(VOLUME_GROUP_SNAPSHOTS, { namespace: NAMESPACE, name: 'monday' })
    await until('all members are gone', async () => (await api.list(VOLUME_SNAPSHOTS)).items.length === 0)
  })

  test('that is retained can be brought back, with its members', async (context) => {
    const { api, until } = await startWithClaims(context)
    await createClass(api, { deletionPolicy: 'Retain' })
    await createGroup(api, 'monday')
    await until('the group is ready', () => isReady(api, 'monday'))
    await api.delete(VOLUME_GROUP_SNAPSHOTS, { namespace: NAMESPACE, name: 'monday' })
    await until('the members are gone', async () => (await api.list(VOLUME_SNAPSHOTS)).items.length === 0)
    const [kept] = (await api.list(VOLUME_GROUP_SNAPSHOT_CONTENTS)).items
    const handles = (kept?.status?.volumeSnapshotInfoList ?? []).map(({ snapshotHandle = '' }) => snapshotHandle)
    equal(handles.length, 2)
    await api.create(VOLUME_GROUP_SNAPSHOT_CONTENTS, {
      apiVersion: 'groupsnapshot.storage.k8s.io/v1',
      kind: 'VolumeGroupSnapshotContent',
      metadata: { name: 'by-hand' },
      spec: {
        driver: DRIVER,
        deletionPolicy: 'Delete',
        source: {
          groupSnapshotHandles: {
            volumeGroupSnapshotHandle: kept?.status?.volumeGroupSnapshotHandle ?? '',
            volumeSnapshotHandles: handles,
          },
        },
        volumeGroupSnapshotRef: { namespace: NAMESPACE, name: 'again' },
      },
    })
    // The retained content would be found for the same handle.
    await api.delete(VOLUME_GROUP_SNAPSHOT_CONTENTS, { name: kept?.metadata.name ?? '' })
    await createGroup(api, 'again', { source: { volumeGroupSnapshotContentName: 'by-hand' } })
    await until('the group is ready', () => isReady(api, 'again'))
    await api.create(VOLUME_SNAPSHOT_CONTENTS, {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshotContent',
      metadata: { name: 'member-by-hand' },
      spec: {
        driver: DRIVER,
        deletionPolicy: 'Delete',
        source: { snapshotHandle: handles[0] ?? '' },
        volumeSnapshotRef: { namespace: NAMESPACE, name: 'member' },
      },
    })
    await api.create(VOLUME_SNAPSHOTS, {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshot',
      metadata: { namespace: NAMESPACE, name: 'member' },
      spec: { source: { volumeSnapshotContentName: 'member-by-hand' } },
    })
    const member = () => api.get(VOLUME_SNAPSHOTS, { namespace: NAMESPACE, name: 'member' })
    await until('the member belongs to the group', async () => (await member()).metadata.ownerReferences !== undefined)
    equal((await member()).status?.volumeGroupSnapshotName, 'again')
    await api.delete(VOLUME_GROUP_SNAPSHOTS, { namespace: NAMESPACE, name: 'again' })
    await until('the group is gone', () => isGone(getGroup(api, 'again')))
    await until('the member is gone', () => isGone(member()))
  })

  test('that is invalid keeps neither its claims nor its namespace', async (context) => {
    const { api, until } = await startWithClaims(context)
    await createClass(api, { driver: 'other.example.com' })
    await createGroup(api, 'monday')
    const error = async () => (await getGroup(api, 'monday')).status?.error?.message ?? ''
    await until('it says so', async () => (await error()) !== '')
    match(await error(), /^Volume CSI driver \(hostpath\.holdfast\.dev\) mismatch with VolumeGroupSnapshotClass/)
    equal(
      (await getClaim(api, 'data')).metadata.finalizers?.some((name) => name.startsWith('snapshot.')),
      false,
    )
    await api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } })
    await createGroup(api, 'monday', SELECTED, 'shop')
    await createGroup(api, 'tuesday', { source: { volumeGroupSnapshotContentName: 'nope' } }, 'shop')
    const inShop = (name: string) => api.get(VOLUME_GROUP_SNAPSHOTS, { namespace: 'shop', name })
    await until('both say so', async () =>
      (await Promise.all(['monday', 'tuesday'].map(inShop))).every(({ status }) => status?.error !== undefined),
    )
    await api.delete(NAMESPACES, { name: 'shop' })
    await until('the namespace is gone', () => isGone(api.get(NAMESPACES, { name: 'shop' })))
  })

  test('says so if nobody takes it, or if the gate is off', async (context) => {
    const { api, until, advance } = await startWithClaims(context, { gates: { CSIVolumeGroupSnapshot: false } })
    await createClass(api)
    await createGroup(api, 'monday')
    await until('it says so', async () => (await eventsOf(api, 'VolumeGroupSnapshot')).length > 0)
    deepEqual(await eventsOf(api, 'VolumeGroupSnapshot'), ['GroupSnapshotsDisabled'])
    // Of a driver that no snapshotter is running for.
    await api.create(VOLUME_SNAPSHOT_CONTENTS, {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshotContent',
      metadata: { name: 'elsewhere' },
      spec: {
        driver: 'other.example.com',
        deletionPolicy: 'Retain',
        source: { snapshotHandle: 'h' },
        volumeSnapshotRef: { namespace: NAMESPACE, name: 'lost' },
      },
    })
    await api.create(VOLUME_SNAPSHOTS, {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshot',
      metadata: { namespace: NAMESPACE, name: 'lost' },
      spec: { source: { volumeSnapshotContentName: 'elsewhere' } },
    })
    await advance(59_000)
    deepEqual(await eventsOf(api, 'VolumeSnapshot'), [])
    await advance(600_000)
    deepEqual(await eventsOf(api, 'VolumeSnapshot'), ['SnapshotterNotResponding'])
  })
})
