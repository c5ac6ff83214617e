import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { CONFIG_MAPS } from '../api/kinds/config-map.ts'
import { EVENTS } from '../api/kinds/event.ts'
import type { Event } from '../api/kinds/event.ts'
import { NAMESPACES } from '../api/kinds/namespace.ts'
import { NODES } from '../api/kinds/node.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../api/kinds/persistent-volume.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../api/kinds/pod.ts'
import type { Pod } from '../api/kinds/pod.ts'
import { SECRETS } from '../api/kinds/secret.ts'
import { collectGarbage } from '../base/testing/collect-garbage.ts'
import { nodeUser } from './authorization/node-identity.ts'
import { openServerUnderTest } from './testing/open-server-under-test.ts'
import type { ServerUnderTest } from './testing/open-server-under-test.ts'
import { configMap } from './testing/objects-under-test.ts'

const WARM_UP_ROUNDS = 10
const ROUNDS = 40
// Number of objects per kind and round.
const OBJECTS = 60
// The size of one leaked map entry with its key.
const SMALLEST_LEAK_BYTES = 150

const volume = (name: string, namespace: string): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
    storageClassName: '',
    claimRef: { namespace, name },
    csi: { driver: 'd', volumeHandle: name, nodePublishSecretRef: { namespace, name } },
  },
})
const claim = (name: string, namespace: string): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace, name },
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: '',
    volumeName: name,
    resources: { requests: { storage: '1Gi' } },
  },
})
// Its owner has a kind that is not served, like those of removed operators.
const pod = (name: string, namespace: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    namespace,
    name,
    ownerReferences: [{ apiVersion: 'example.com/v1', kind: 'Unserved', name, uid: name, blockOwnerDeletion: true }],
  },
  spec: {
    nodeName: 'n1',
    containers: [{ name: 'main', image: 'app:1' }],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
  },
})
const event = (name: string, namespace: string): Event => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { namespace, name },
  involvedObject: { kind: 'Pod', namespace, name },
  reason: 'Happened',
  type: 'Normal',
})

/** Creates claims with volumes, secrets, pods and events in a separate namespace, and deletes it. */
async function runRound({ api, core, settled }: ServerUnderTest, round: number): Promise<void> {
  const namespace = `round-${round}`
  await api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  await settled()
  const names = Array.from({ length: OBJECTS }, (_, index) => `o-${round}-${index}`)
  const watch = new AbortController()
  const watched = consume(
    core.as(nodeUser('n1')).watch(PODS, { fieldSelector: 'spec.nodeName=n1', signal: watch.signal }),
  )
  await Promise.all(
    names.map(async (name) => {
      await api.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name } })
      await api.create(PERSISTENT_VOLUMES, volume(name, namespace))
      await api.create(PERSISTENT_VOLUME_CLAIMS, claim(name, namespace))
      await api.create(PODS, pod(name, namespace))
      await api.create(EVENTS, event(name, namespace))
    }),
  )
  await settled()
  const unprotect = { type: 'merge', value: { metadata: { finalizers: null } } } as const
  await Promise.all(
    names.map(async (name) => {
      await api.delete(PODS, { namespace, name }, { gracePeriodSeconds: 0 })
      await api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace, name })
      await api.patch(PERSISTENT_VOLUME_CLAIMS, { namespace, name }, unprotect)
      await api.delete(PERSISTENT_VOLUMES, { name })
      await api.patch(PERSISTENT_VOLUMES, { name }, unprotect)
    }),
  )
  watch.abort(new Error('seen enough'))
  await watched
  // Also deletes secrets and events.
  await api.delete(NAMESPACES, { name: namespace })
  await settled()
}

async function consume(events: AsyncIterable<unknown>): Promise<void> {
  try {
    for await (const _ of events);
  } catch {
    // Ended by the test.
  }
}

test('what was created and deleted leaves nothing behind in memory', async (context) => {
  await using server = await openServerUnderTest({ authorizationMode: 'Node,RBAC' })
  const { api } = server
  await api.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } })
  await api.create(CONFIG_MAPS, configMap('large'))
  /** Pushes everything else out of the watch window, then returns the heap size. */
  const heldBytes = async (): Promise<number> => {
    for (let index = 0; index < 70; index++)
      await api.patch(
        CONFIG_MAPS,
        { namespace: 'default', name: 'large' },
        { type: 'merge', value: { data: { text: String(index).repeat(500_000).slice(0, 500_000) } } },
      )
    await server.settled()
    await collectGarbage()
    return process.memoryUsage().heapUsed
  }
  const objectsLeft = async (): Promise<string[]> => {
    const lists = await Promise.all([
      api.list(PODS),
      api.list(SECRETS),
      api.list(EVENTS),
      api.list(PERSISTENT_VOLUMES),
      api.list(PERSISTENT_VOLUME_CLAIMS),
    ])
    return lists.flatMap(({ items }) => items.map(({ kind, metadata }) => `${kind} ${metadata.name}`))
  }

  let round = 0
  for (; round < WARM_UP_ROUNDS; round++) await runRound(server, round)
  // The first measurement has costs of its own.
  await heldBytes()
  for (; round < 2 * WARM_UP_ROUNDS; round++) await runRound(server, round)
  const before = await heldBytes()
  for (; round < 2 * WARM_UP_ROUNDS + ROUNDS; round++) await runRound(server, round)
  const grown = (await heldBytes()) - before
  deepEqual(await objectsLeft(), [])
  context.diagnostic(`${grown} bytes more after ${ROUNDS} rounds`)
  ok(grown < ROUNDS * OBJECTS * SMALLEST_LEAK_BYTES, `${grown} bytes are held that were not before`)
})
