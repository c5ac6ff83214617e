import { equal, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { openTestCore } from '../testing/open-test-core.ts'

const SNAPSHOTS: ResourceType = {
  group: 'snapshot.storage.k8s.io',
  version: 'v1',
  kind: 'VolumeSnapshot',
  plural: 'volumesnapshots',
  namespaced: true,
}
const CONTENTS: ResourceType = {
  group: 'snapshot.storage.k8s.io',
  version: 'v1',
  kind: 'VolumeSnapshotContent',
  plural: 'volumesnapshotcontents',
  namespaced: false,
}
const GROUP_CLASSES = (version: string): ResourceType => ({
  group: 'groupsnapshot.storage.k8s.io',
  version,
  kind: 'VolumeGroupSnapshotClass',
  plural: 'volumegroupsnapshotclasses',
  namespaced: false,
})

const snapshot = (spec: object): KubeObject =>
  ({
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshot',
    metadata: { namespace: 'default', name: 'one' },
    spec,
  }) as KubeObject
const fromClaim = (name: string): KubeObject => snapshot({ source: { persistentVolumeClaimName: name } })

describe('snapshot CRDs', () => {
  const open = async (context: TestContext) => (await openTestCore(context)).api

  test('a snapshot has exactly one source', async (context) => {
    const api = await open(context)
    await rejects(
      api.create(SNAPSHOTS, snapshot({ source: {} })),
      /exactly one of volumeSnapshotContentName and persistentVolumeClaimName must be set/,
    )
    await rejects(
      api.create(SNAPSHOTS, snapshot({ source: { persistentVolumeClaimName: 'a', volumeSnapshotContentName: 'b' } })),
      /exactly one of/,
    )
    await rejects(api.create(SNAPSHOTS, snapshot({})), /spec.source: Required value/)
    await api.create(SNAPSHOTS, fromClaim('data'))
  })

  test('the source of a snapshot can be neither changed nor removed', async (context) => {
    const api = await open(context)
    await api.create(SNAPSHOTS, fromClaim('data'))
    const change = (source: object) =>
      api.patch(SNAPSHOTS, { namespace: 'default', name: 'one' }, { type: 'merge', value: { spec: { source } } })
    await rejects(change({ persistentVolumeClaimName: 'other' }), /persistentVolumeClaimName is immutable/)
    await rejects(
      change({ persistentVolumeClaimName: null, volumeSnapshotContentName: 'x' }),
      /persistentVolumeClaimName is required once set/,
    )
  })

  test('a class name that is set is not empty', async (context) => {
    const api = await open(context)
    await rejects(
      api.create(SNAPSHOTS, snapshot({ source: { persistentVolumeClaimName: 'a' }, volumeSnapshotClassName: '' })),
      /volumeSnapshotClassName must not be the empty string when set/,
    )
  })

  test('a content names its snapshot completely', async (context) => {
    const api = await open(context)
    const content = (ref: object): KubeObject =>
      ({
        apiVersion: 'snapshot.storage.k8s.io/v1',
        kind: 'VolumeSnapshotContent',
        metadata: { name: 'one' },
        spec: { deletionPolicy: 'Delete', driver: 'd', source: { snapshotHandle: 'h' }, volumeSnapshotRef: ref },
      }) as KubeObject
    await rejects(
      api.create(CONTENTS, content({ name: 'one' })),
      /both spec.volumeSnapshotRef.name and spec.volumeSnapshotRef.namespace must be set/,
    )
    await api.create(CONTENTS, content({ name: 'one', namespace: 'default' }))
  })

  test('status is written only through its own path', async (context) => {
    const api = await open(context)
    await api.create(SNAPSHOTS, { ...fromClaim('data'), status: { readyToUse: true } } as KubeObject)
    const read = async () =>
      ((await api.get(SNAPSHOTS, { namespace: 'default', name: 'one' })) as { status?: { readyToUse?: boolean } })
        .status?.readyToUse
    equal(await read(), undefined)
    await api.patch(
      SNAPSHOTS,
      { namespace: 'default', name: 'one' },
      { type: 'merge', value: { status: { readyToUse: true } } },
      { subresource: 'status' },
    )
    equal(await read(), true)
  })

  test('all versions of the group kinds show the same objects', async (context) => {
    const api = await open(context)
    await api.create(GROUP_CLASSES('v1'), {
      apiVersion: 'groupsnapshot.storage.k8s.io/v1',
      kind: 'VolumeGroupSnapshotClass',
      metadata: { name: 'one' },
      driver: 'd',
      deletionPolicy: 'Delete',
    } as KubeObject)
    equal((await api.get(GROUP_CLASSES('v1beta2'), { name: 'one' })).apiVersion, 'groupsnapshot.storage.k8s.io/v1beta2')
    equal((await api.get(GROUP_CLASSES('v1beta1'), { name: 'one' })).apiVersion, 'groupsnapshot.storage.k8s.io/v1beta1')
    equal((await api.get(GROUP_CLASSES('v1'), { name: 'one' })).apiVersion, 'groupsnapshot.storage.k8s.io/v1')
    await rejects(
      api.patch(GROUP_CLASSES('v1'), { name: 'one' }, { type: 'merge', value: { driver: 'e' } }),
      /driver is immutable once set/,
    )
  })
})
