import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { hasFinalizer } from '../../../api/finalizers.ts'
import { CSI_NODES } from '../../../api/kinds/csi-node.ts'
import { PERSISTENT_VOLUMES } from '../../../api/kinds/persistent-volume.ts'
import { SECRETS } from '../../../api/kinds/secret.ts'
import { VOLUME_ATTACHMENTS } from '../../../api/kinds/volume-attachment.ts'
import type { Random } from '../../../base/random.ts'
import {
  forEachSeed,
  ignoreRefusal,
  makeChange,
  pick,
  runRounds,
  SOME_API_FAULTS,
  SOME_DRIVER_FAULTS,
} from '../../../testing/index.ts'
import type { UserChange } from '../../../testing/index.ts'
import { createAttachment, createVolume, deleteAttachment, FINALIZER, registerNode } from './describe-attacher.ts'
import { assertConsistent, openCrashWorld } from './describe-crashes.ts'
import type { CrashWorld } from './describe-crashes.ts'

const ROUNDS = 14
const VOLUMES = ['v1', 'v2', 'v3']
const NODES = ['1', '2']
const SECRET = { namespace: 'default', name: 'pass' }

export function describeSeeds(seeds: readonly number[]): void {
  test('S3-73, S3-74, S3-76, S3-83: whatever fails and whenever it is killed, what is published is attached in the end and nothing else', () =>
    forEachSeed(seeds, async (seed) => void (await runSeed(seed))))
}

/**
 * Users attach, detach and break things while the attacher is killed, and API and driver fail occasionally. Everything must be consistent in the end.
 */
export async function runSeed(seed: number): Promise<string> {
  const world = await openCrashWorld({ seed, apiFaults: SOME_API_FAULTS, driverFaults: SOME_DRIVER_FAULTS })
  const { simulation, process, api } = world
  const { random, transcript } = simulation
  const change = (): Promise<void> => makeChange(api, changesFor(random), simulation)
  try {
    await mend(api)
    await runRounds(simulation, [process], {
      rounds: ROUNDS,
      change,
      changes: { most: 3 },
      killShare: 0.5,
      mostCalls: 8,
      pauseMs: { usual: 4000, long: 120_000 },
      afterPause: () => assertNothingLost(world),
    })
    await mend(api)
    for (const { metadata, spec } of (await api.list(VOLUME_ATTACHMENTS)).items) {
      const volume = await api
        .get(PERSISTENT_VOLUMES, { name: spec.source.persistentVolumeName ?? '' })
        .catch(ignoreRefusal)
      if (!volume || volume.metadata.deletionTimestamp) await deleteAttachment(api, metadata.name).catch(ignoreRefusal)
    }
    for (let minute = 0; minute < 30; minute++) await simulation.advance(60_000)
    await assertConsistent(world)
    await assertAllDone(world)
    return transcript.text()
  } finally {
    await simulation.stop()
  }
}

function changesFor(random: Random): UserChange<Api>[] {
  const volume = pick(random, VOLUMES)
  const node = pick(random, NODES)
  const name = `a-${volume}-${node}`
  return [
    [
      8,
      {
        what: `attaches ${name}`,
        make: (api) =>
          createAttachment(api, name, { nodeName: `node-${node}`, source: { persistentVolumeName: volume } }),
      },
    ],
    [5, { what: `detaches ${name}`, make: (api) => deleteAttachment(api, name) }],
    [1, { what: `deletes ${volume}`, make: (api) => deleteVolume(api, volume) }],
    [1, { what: `makes ${volume}`, make: (api) => makeVolume(api, volume) }],
    [1, { what: `unregisters node-${node}`, make: (api) => api.delete(CSI_NODES, { name: `node-${node}` }) }],
    [1, { what: `registers node-${node}`, make: (api) => registerNode(api, `node-${node}`, `id-${node}`) }],
    [1, { what: 'removes the secret', make: (api) => api.delete(SECRETS, SECRET) }],
    [1, { what: 'makes the secret', make: makeSecret }],
  ]
}

// One of the volumes needs a secret.
const makeVolume = (api: Api, name: string): Promise<unknown> =>
  createVolume(api, name, name === 'v1' ? { controllerPublishSecretRef: SECRET } : {})
const makeSecret = (api: Api): Promise<unknown> =>
  api.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: SECRET, stringData: { key: 'open sesame' } })

// Acts as the controller that protects bound volumes from deletion: these are not bound.
async function deleteVolume(api: Api, name: string): Promise<void> {
  await api.delete(PERSISTENT_VOLUMES, { name })
  const { metadata } = await api.get(PERSISTENT_VOLUMES, { name })
  const finalizers = (metadata.finalizers ?? []).filter((finalizer) => finalizer === FINALIZER)
  const { uid, resourceVersion } = metadata
  await api.patch(
    PERSISTENT_VOLUMES,
    { name },
    {
      type: 'merge',
      value: { metadata: { uid, resourceVersion, finalizers: finalizers.length === 0 ? null : finalizers } },
    },
  )
}

async function mend(api: Api): Promise<void> {
  for (const name of VOLUMES) await makeVolume(api, name).catch(ignoreRefusal)
  for (const node of NODES) await registerNode(api, `node-${node}`, `id-${node}`).catch(ignoreRefusal)
  await makeSecret(api).catch(ignoreRefusal)
}

/** Every published volume has an attachment that will undo it. */
async function assertNothingLost({ api, script, simulation }: CrashWorld): Promise<void> {
  const { items } = await api.list(VOLUME_ATTACHMENTS)
  const kept = new Set(
    items
      .filter((item) => hasFinalizer(item, FINALIZER))
      .map(
        ({ spec, metadata }) =>
          `handle-${spec.source.persistentVolumeName} ${metadata.annotations?.['csi.alpha.kubernetes.io/node-id']}`,
      ),
  )
  for (const pair of script.published)
    ok(kept.has(pair), `${pair} is published and nobody knows\n${simulation.transcript.text()}`)
  equal(script.mostAtOnce <= 1, true, `two calls at once\n${simulation.transcript.text()}`)
}

async function assertAllDone({ api, simulation }: CrashWorld): Promise<void> {
  const attachments = (await api.list(VOLUME_ATTACHMENTS)).items
  deepEqual(
    attachments.filter(({ status }) => !status?.attached).map(({ metadata }) => metadata.name),
    [],
    `not attached in the end\n${simulation.transcript.text()}`,
  )
  const used = new Set(attachments.map(({ spec }) => spec.source.persistentVolumeName ?? ''))
  const held = (await api.list(PERSISTENT_VOLUMES)).items
    .filter((volume) => hasFinalizer(volume, FINALIZER))
    .map(({ metadata }) => metadata.name ?? '')
  deepEqual(held.sort(), [...used].sort(), `held are the volumes that are attached\n${simulation.transcript.text()}`)
}
