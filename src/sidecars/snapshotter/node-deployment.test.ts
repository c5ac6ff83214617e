import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { NODES } from '../../api/kinds/node.ts'
import { VOLUME_GROUP_SNAPSHOT_CLASSES, VOLUME_GROUP_SNAPSHOTS } from '../../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { defaultsOf } from '../../base/options/index.ts'
import { snapshotOptions } from '../../controllers/snapshot/index.ts'
import { joinDriver } from '../../csi/index.ts'
import { defineDriver } from '../../csi/kit/index.ts'
import { startSimulation } from '../../testing/index.ts'
import { claimOf, createBoundPair, volumeOf } from '../../testing/objects.ts'
import { checkSnapshotterConfig, snapshotterOptions } from './snapshotter-options.ts'
import { DRIVER, runController, runSnapshotter } from './testing/snapshot-crashes.ts'

const HOSTNAME = 'kubernetes.io/hostname'
const NODE_NAMES = ['n1', 'n2']

/** Two nodes, each with a volume that only it can reach, and with a driver and a snapshotter of its own. */
async function startNodes() {
  const simulation = await startSimulation({ seed: 1 })
  const { api, clock } = simulation
  for (const name of NODE_NAMES) {
    await api.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { [HOSTNAME]: name } } })
    await createBoundPair(api, {
      claim: claimOf({
        name: `c-${name}`,
        metadata: { namespace: 'default', name: `c-${name}`, labels: { app: 'db', node: name } },
      }),
      volume: volumeOf({
        name: `v-${name}`,
        spec: {
          csi: { driver: DRIVER, volumeHandle: `h-${name}` },
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: HOSTNAME, operator: 'In', values: [name] }] }],
            },
          },
        },
      }),
    })
  }
  const metadata = { name: 'snaps' }
  const rest = { driver: DRIVER, deletionPolicy: 'Delete' } as const
  await api.create(VOLUME_SNAPSHOT_CLASSES, {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotClass',
    metadata,
    ...rest,
  })
  await api.create(VOLUME_GROUP_SNAPSHOT_CLASSES, {
    apiVersion: 'groupsnapshot.storage.k8s.io/v1',
    kind: 'VolumeGroupSnapshotClass',
    metadata,
    ...rest,
  })
  /** What each driver was asked for. */
  const asked = new Map<string, string[]>(NODE_NAMES.map((name) => [name, []]))
  const driverOf = (node: string) => {
    const note = (text: string): void => void asked.get(node)?.push(text)
    const snapshotOf = (sourceVolumeId: string) => ({
      snapshotId: `s-${sourceVolumeId}`,
      sourceVolumeId,
      sizeBytes: 1n,
      readyToUse: true,
      creationTime: { seconds: 1n, nanos: 0 },
    })
    const server = defineDriver(
      { name: DRIVER, version: '1' },
      {
        handlers: {
          createSnapshot: ({ sourceVolumeId }) => {
            note(`take ${sourceVolumeId}`)
            return Promise.resolve({ snapshot: snapshotOf(sourceVolumeId) })
          },
          deleteSnapshot: ({ snapshotId }) => {
            note(`delete ${snapshotId}`)
            return Promise.resolve({})
          },
          createVolumeGroupSnapshot: ({ sourceVolumeIds }) => {
            note(`take group ${sourceVolumeIds.join('+')}`)
            return Promise.resolve({
              groupSnapshot: {
                groupSnapshotId: 'g',
                readyToUse: true,
                creationTime: { seconds: 1n, nanos: 0 },
                snapshots: sourceVolumeIds.map(snapshotOf),
              },
            })
          },
          deleteVolumeGroupSnapshot: () => Promise.resolve({}),
          getVolumeGroupSnapshot: () => Promise.resolve({}),
        },
        log: createSilentLogger(),
      },
    )
    return joinDriver(server, { clock })
  }
  const controllerConfig = { ...defaultsOf(snapshotOptions), enableDistributedSnapshotting: true }
  await simulation.startProcess('controller', (world) => Promise.resolve(runController(world, controllerConfig)))
  for (const nodeName of NODE_NAMES) {
    const config = { ...defaultsOf(snapshotterOptions), nodeDeployment: true, nodeName }
    await simulation.startProcess(`snapshotter-${nodeName}`, (world) =>
      Promise.resolve(runSnapshotter(world, driverOf(nodeName), config)),
    )
  }
  await simulation.settled()
  return { simulation, api, asked }
}

test('each node takes and deletes the snapshots of its own volumes', async () => {
  const { simulation, api, asked } = await startNodes()
  try {
    for (const name of NODE_NAMES)
      await api.create(VOLUME_SNAPSHOTS, {
        apiVersion: 'snapshot.storage.k8s.io/v1',
        kind: 'VolumeSnapshot',
        metadata: { namespace: 'default', name },
        spec: { source: { persistentVolumeClaimName: `c-${name}` }, volumeSnapshotClassName: 'snaps' },
      })
    await simulation.advance(1000)
    const contents = (await api.list(VOLUME_SNAPSHOT_CONTENTS)).items
    deepEqual(
      contents
        .map(({ metadata, spec }) => [spec.source.volumeHandle, metadata.labels])
        .toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1)),
      NODE_NAMES.map((name) => [`h-${name}`, { 'snapshot.storage.kubernetes.io/managed-by': name }]),
    )
    for (const name of NODE_NAMES) await api.delete(VOLUME_SNAPSHOTS, { namespace: 'default', name })
    await simulation.advance(1000)
    deepEqual((await api.list(VOLUME_SNAPSHOTS)).items, [])
    deepEqual(Object.fromEntries(asked), {
      n1: ['take h-n1', 'delete s-h-n1'],
      n2: ['take h-n2', 'delete s-h-n2'],
    })
  } finally {
    await simulation.stop()
  }
})

test('a group on one node is taken there; one on two nodes is refused', async () => {
  const { simulation, api, asked } = await startNodes()
  try {
    const createGroup = (name: string, matchLabels: Record<string, string>) =>
      api.create(VOLUME_GROUP_SNAPSHOTS, {
        apiVersion: 'groupsnapshot.storage.k8s.io/v1',
        kind: 'VolumeGroupSnapshot',
        metadata: { namespace: 'default', name },
        spec: { source: { selector: { matchLabels } }, volumeGroupSnapshotClassName: 'snaps' },
      })
    await createGroup('one', { node: 'n2' })
    await createGroup('both', { app: 'db' })
    await simulation.advance(1000)
    const read = async (name: string) => (await api.get(VOLUME_GROUP_SNAPSHOTS, { namespace: 'default', name })).status
    equal((await read('one'))?.readyToUse, true)
    equal(
      (await read('both'))?.error?.message,
      'failed to create group snapshot content with error the volumes are on several nodes: n1, n2. With distributed snapshotting, all volumes of a group must be on one node.',
    )
    deepEqual(Object.fromEntries(asked), { n1: [], n2: ['take group h-n2'] })
  } finally {
    await simulation.stop()
  }
})

test('instances on nodes do not elect a leader', () => {
  deepEqual(checkSnapshotterConfig({ nodeDeployment: true, leaderElection: false }), [])
  deepEqual(checkSnapshotterConfig({ nodeDeployment: true, leaderElection: true }), [
    'Leader election cannot happen when node-deployment is set to true: remove --leader-election',
  ])
})
