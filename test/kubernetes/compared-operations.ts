import { equal } from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { EVENTS } from '../../src/api/kinds/event.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../src/api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../src/api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../src/api/kinds/persistent-volume.ts'
import { STORAGE_CLASSES } from '../../src/api/kinds/storage-class.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../../src/api/kinds/volume-attributes-class.ts'
import {
  VOLUME_GROUP_SNAPSHOT_CLASSES,
  VOLUME_GROUP_SNAPSHOT_CONTENTS,
  VOLUME_GROUP_SNAPSHOTS,
} from '../../src/api/kinds/volume-group-snapshot.ts'
import {
  VOLUME_SNAPSHOT_CLASSES,
  VOLUME_SNAPSHOT_CONTENTS,
  VOLUME_SNAPSHOTS,
} from '../../src/api/kinds/volume-snapshot.ts'
import { claimOf, classOf, createOn } from '../../src/testing/objects.ts'
import { DRIVER } from './sidecar-stage.ts'
import type { WritesStage } from './writes-stage.ts'

/** What a user does and waits for. Later ones go on with what earlier ones have made. */
export type ComparedOperation = { readonly name: string; run(): Promise<void> }

const NAMESPACE = 'default'
const CLASS = 'fast'

/** Objects that all operations share. */
export async function prepareOperations({ api }: WritesStage): Promise<void> {
  await createOn(api, STORAGE_CLASSES, classOf({ provisioner: DRIVER, allowVolumeExpansion: true }, CLASS))
  const classes = { silver: { iops: '100' }, gold: { iops: '1000' }, wrong: { colour: 'red' } }
  for (const [name, parameters] of Object.entries(classes))
    await api.create(VOLUME_ATTRIBUTES_CLASSES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttributesClass',
      metadata: { name },
      driverName: DRIVER,
      parameters,
    })
  await api.create(VOLUME_SNAPSHOT_CLASSES, {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotClass',
    metadata: { name: 'daily' },
    driver: DRIVER,
    deletionPolicy: 'Delete',
  })
  await api.create(VOLUME_GROUP_SNAPSHOT_CLASSES, {
    apiVersion: 'groupsnapshot.storage.k8s.io/v1',
    kind: 'VolumeGroupSnapshotClass',
    metadata: { name: 'consistent' },
    driver: DRIVER,
    deletionPolicy: 'Delete',
  })
}

/** The operations in order. Names of objects begin with the prefix. */
export function operationsOf(stage: WritesStage, prefix: string): ComparedOperation[] {
  const { api, until, contentPath } = stage
  const named = (name: string) => ({ namespace: NAMESPACE, name: `${prefix}-${name}` })
  const createClaim = async (name: string, spec: Partial<PersistentVolumeClaimSpec> = {}): Promise<void> => {
    await createOn(
      api,
      PERSISTENT_VOLUME_CLAIMS,
      claimOf({ name: named(name).name, size: '10Mi', className: CLASS, spec }),
    )
    await untilClaim(name, ({ status }) => status?.phase === 'Bound')
  }
  const untilClaim = async (name: string, holds: (claim: PersistentVolumeClaim) => boolean): Promise<void> =>
    void (await until(PERSISTENT_VOLUME_CLAIMS, named(name), (claim) => claim !== undefined && holds(claim)))
  const change = (name: string, spec: object) =>
    api.patch(PERSISTENT_VOLUME_CLAIMS, named(name), { type: 'merge', value: { spec } })
  const resize = (name: string, storage: string) => change(name, { resources: { requests: { storage } } })
  const hasSize = (size: string) => (claim: PersistentVolumeClaim) => claim.status?.capacity?.['storage'] === size
  const allocation = (claim: PersistentVolumeClaim) => claim.status?.allocatedResourceStatuses?.['storage']
  const snapshot = named('snapshot')
  const contentOf = async (name: string): Promise<string> => {
    const { spec } = await api.get(PERSISTENT_VOLUME_CLAIMS, named(name))
    return contentPath(
      (await api.get(PERSISTENT_VOLUMES, { name: spec.volumeName ?? '' })).spec.csi?.volumeHandle ?? '',
    )
  }
  const untilEvent = async (name: string, reason: string): Promise<void> => {
    const fieldSelector = `involvedObject.name=${named(name).name},reason=${reason}`
    for await (const event of api.watch(EVENTS, { namespace: NAMESPACE, fieldSelector }))
      if (event.type === 'ADDED') return
  }
  return [
    {
      name: 'create a claim',
      run: () => createClaim('claim', { volumeAttributesClassName: 'silver' }),
    },
    {
      name: 'expand',
      run: async () => {
        await resize('claim', '20Mi')
        await untilClaim('claim', hasSize('20Mi'))
      },
    },
    {
      name: 'expand, with the node',
      run: async () => {
        await createClaim('device', { volumeMode: 'Block' })
        await resize('device', '20Mi')
        await untilClaim('device', (claim) => allocation(claim) === 'NodeResizePending')
      },
    },
    {
      name: 'expand to an impossible size',
      run: async () => {
        await resize('claim', '2Ti')
        await untilClaim('claim', (claim) => allocation(claim) === 'ControllerResizeInfeasible')
      },
    },
    {
      name: 'request a smaller size',
      run: async () => {
        await resize('claim', '30Mi')
        await untilClaim('claim', hasSize('30Mi'))
      },
    },
    {
      name: 'modify',
      run: async () => {
        await change('claim', { volumeAttributesClassName: 'gold' })
        await untilClaim(
          'claim',
          ({ status }) => status?.currentVolumeAttributesClassName === 'gold' && !status.modifyVolumeStatus,
        )
      },
    },
    {
      name: 'modify to what the driver refuses',
      run: async () => {
        await change('claim', { volumeAttributesClassName: 'wrong' })
        await untilClaim('claim', ({ status }) => status?.modifyVolumeStatus?.status === 'Infeasible')
      },
    },
    {
      name: 'snapshot',
      run: async () => {
        await api.create(VOLUME_SNAPSHOTS, {
          apiVersion: 'snapshot.storage.k8s.io/v1',
          kind: 'VolumeSnapshot',
          metadata: snapshot,
          spec: { source: { persistentVolumeClaimName: named('claim').name }, volumeSnapshotClassName: 'daily' },
        })
        await until(VOLUME_SNAPSHOTS, snapshot, (found) => found?.status?.readyToUse === true)
      },
    },
    {
      name: 'restore',
      run: () =>
        createClaim('restored', {
          resources: { requests: { storage: '30Mi' } },
          dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: snapshot.name },
        }),
    },
    {
      name: 'delete a snapshot',
      run: async () => {
        const { status } = await api.get(VOLUME_SNAPSHOTS, snapshot)
        await api.delete(VOLUME_SNAPSHOTS, snapshot)
        await until(VOLUME_SNAPSHOTS, snapshot, (found) => found === undefined)
        const name = status?.boundVolumeSnapshotContentName ?? ''
        await until(VOLUME_SNAPSHOT_CONTENTS, { name }, (found) => found === undefined)
      },
    },
    ...groupOperations(stage, named('group'), async (labels) => {
      for (const name of ['data', 'log']) {
        await createClaim(name)
        await api.patch(PERSISTENT_VOLUME_CLAIMS, named(name), { type: 'merge', value: { metadata: { labels } } })
      }
    }),
    {
      name: 'lose the content of a volume',
      run: async () => {
        const content = await contentOf('claim')
        renameSync(content, `${content}.lost`)
        await untilEvent('claim', 'VolumeConditionAbnormal')
      },
    },
    {
      name: 'find it again',
      run: async () => {
        const content = await contentOf('claim')
        renameSync(`${content}.lost`, content)
        await untilEvent('claim', 'VolumeConditionNormal')
      },
    },
  ]
}

/** They go together: the second deletes what the first has made. */
function groupOperations(
  { api, until }: WritesStage,
  group: { readonly namespace: string; readonly name: string },
  createClaims: (labels: Readonly<Record<string, string>>) => Promise<void>,
): ComparedOperation[] {
  const labels = { app: group.name }
  const listMembers = async () => {
    const { items } = await api.list(VOLUME_SNAPSHOTS, { namespace: group.namespace })
    return items.map(({ metadata, status }) => ({
      snapshot: { namespace: group.namespace, name: metadata.name ?? '' },
      content: { name: status?.boundVolumeSnapshotContentName ?? '' },
    }))
  }
  return [
    {
      name: 'group snapshot',
      run: async () => {
        await createClaims(labels)
        await api.create(VOLUME_GROUP_SNAPSHOTS, {
          apiVersion: 'groupsnapshot.storage.k8s.io/v1',
          kind: 'VolumeGroupSnapshot',
          metadata: group,
          spec: { source: { selector: { matchLabels: labels } }, volumeGroupSnapshotClassName: 'consistent' },
        })
        await until(VOLUME_GROUP_SNAPSHOTS, group, (found) => found?.status?.readyToUse === true)
        const members = await listMembers()
        equal(members.length, 2)
        for (const { snapshot } of members)
          await until(VOLUME_SNAPSHOTS, snapshot, (found) => found?.status?.readyToUse === true)
      },
    },
    {
      name: 'delete a group snapshot',
      run: async () => {
        const members = await listMembers()
        const { status } = await api.get(VOLUME_GROUP_SNAPSHOTS, group)
        await api.delete(VOLUME_GROUP_SNAPSHOTS, group)
        await until(VOLUME_GROUP_SNAPSHOTS, group, (found) => found === undefined)
        const name = status?.boundVolumeGroupSnapshotContentName ?? ''
        await until(VOLUME_GROUP_SNAPSHOT_CONTENTS, { name }, (found) => found === undefined)
        for (const { snapshot, content } of members) {
          await until(VOLUME_SNAPSHOTS, snapshot, (found) => found === undefined)
          await until(VOLUME_SNAPSHOT_CONTENTS, content, (found) => found === undefined)
        }
      },
    },
  ]
}
