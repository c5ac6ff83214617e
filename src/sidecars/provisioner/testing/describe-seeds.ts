import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { hasFinalizer } from '../../../api/finalizers.ts'
import { LEASES } from '../../../api/kinds/lease.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../../api/kinds/persistent-volume.ts'
import { SECRETS } from '../../../api/kinds/secret.ts'
import { STORAGE_CLASSES } from '../../../api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../../../api/kinds/volume-attachment.ts'
import type { Random } from '../../../base/random.ts'
import { leaseName } from '../../../api/lease-name.ts'
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
import { assertNothingLeaked, bindAndRelease, createSecret, openCrashWorld, SECRET } from './describe-crashes.ts'
import { createClaim, createClass, DRIVER, NAMESPACE, PLACE } from './describe-provisioner.ts'
import { CLONE_SOURCE_FINALIZER } from '../names.ts'

const ROUNDS = 14
const CLAIMS = ['a', 'b', 'c', 'd']
// Only claims that start empty are copied, so that no two wait for each other.
const COPIES = ['copy-1', 'copy-2']
const SECRET_PARAMETERS = {
  'csi.storage.k8s.io/provisioner-secret-name': SECRET.name,
  'csi.storage.k8s.io/provisioner-secret-namespace': SECRET.namespace,
}

export function describeSeeds(seeds: readonly number[]): void {
  test('S3-40, S3-65: whatever fails and whenever it is killed, each claim has its volume in the end and nothing else is left', () =>
    forEachSeed(seeds, async (seed) => void (await runSeed(seed))))
}

/**
 * Users create, copy and delete claims and break things while the provisioner is killed, and API and driver fail occasionally. One of three seeds has
 * a single provisioner, one adds an election and a driver that is lost, and one has two such replicas.
 */
export async function runSeed(seed: number): Promise<string> {
  const replicas = seed % 3
  // Starting, following and leading takes calls too.
  const mostCalls = replicas > 0 ? 60 : 8
  const world = await openCrashWorld({ seed, replicas, apiFaults: SOME_API_FAULTS, driverFaults: SOME_DRIVER_FAULTS })
  const { simulation, processes, api } = world
  const { random, transcript } = simulation
  const change = (): Promise<void> => makeChange(api, changesFor(random), simulation)
  try {
    await runRounds(simulation, processes, {
      rounds: ROUNDS,
      change,
      changes: { most: 3 },
      killShare: 0.5,
      mostCalls,
      // A follower has to wait for the lease of a leader that was killed.
      pauseMs: { usual: replicas > 0 ? 20_000 : 4000, long: 120_000 },
      afterPause: async () => {
        if (random.fraction() < 0.7) await bindAndRelease(api)
      },
    })
    await makeClass(api).catch(ignoreRefusal)
    await createSecret(api).catch(ignoreRefusal)
    for (const { metadata } of (await api.list(VOLUME_ATTACHMENTS)).items)
      await api.delete(VOLUME_ATTACHMENTS, { name: metadata.name ?? '' })
    for (let minute = 0; minute < 40; minute++) {
      await simulation.advance(60_000)
      await bindAndRelease(api)
      await simulation.settled()
      if (minute < 20) for (const name of CLAIMS) await createClaim(api, name).catch(ignoreRefusal)
    }
    await assertNothingLeaked(world)
    const claims = (await api.list(PERSISTENT_VOLUME_CLAIMS)).items
    deepEqual(
      claims.filter(({ status }) => status?.phase !== 'Bound').map(({ metadata }) => metadata.name),
      [],
      `not provisioned in the end\n${transcript.text()}`,
    )
    deepEqual(
      claims.filter((claim) => hasFinalizer(claim, CLONE_SOURCE_FINALIZER)).map(({ metadata }) => metadata.name),
      [],
      `held though nobody copies it\n${transcript.text()}`,
    )
    equal(
      (await api.list(PERSISTENT_VOLUMES)).items.length,
      claims.length,
      `volumes of claims that are gone\n${transcript.text()}`,
    )
    return transcript.text()
  } finally {
    await simulation.stop()
  }
}

function changesFor(random: Random): UserChange<Api>[] {
  const claim = pick(random, CLAIMS)
  const copy = pick(random, COPIES)
  return [
    [8, { what: `creates ${claim}`, make: (api) => createClaim(api, claim) }],
    [5, { what: `deletes ${claim}`, make: (api) => removeClaim(api, claim) }],
    [
      4,
      {
        what: `copies ${claim} to ${copy}`,
        make: (api) => createClaim(api, copy, { dataSource: { kind: 'PersistentVolumeClaim', name: claim } }),
      },
    ],
    [2, { what: `deletes ${copy}`, make: (api) => removeClaim(api, copy) }],
    [2, { what: `attaches the volume of ${claim}`, make: (api) => attach(api, claim) }],
    [
      2,
      {
        what: `detaches the volume of ${claim}`,
        make: (api) => api.delete(VOLUME_ATTACHMENTS, { name: `at-${claim}` }),
      },
    ],
    // With an election: the old leader does not know yet when another one starts.
    [
      2,
      {
        what: 'takes the lease away',
        make: (api) =>
          api.patch(
            LEASES,
            { namespace: PLACE.namespace, name: leaseName(DRIVER) },
            { type: 'merge', value: { spec: { holderIdentity: '' } } },
          ),
      },
    ],
    [1, { what: 'removes the class', make: (api) => api.delete(STORAGE_CLASSES, { name: 'fast' }) }],
    [2, { what: 'makes the class', make: makeClass }],
    [1, { what: 'removes the secret', make: (api) => api.delete(SECRETS, SECRET) }],
    [2, { what: 'makes the secret', make: createSecret }],
  ]
}

/** Removes the claim as if no pod used it: a copy in progress may hold it longer. */
async function removeClaim(api: Api, name: string): Promise<void> {
  const ref = { namespace: NAMESPACE, name }
  await api.delete(PERSISTENT_VOLUME_CLAIMS, ref)
  await api.patch(PERSISTENT_VOLUME_CLAIMS, ref, {
    type: 'strategic',
    value: { metadata: { '$deleteFromPrimitiveList/finalizers': ['kubernetes.io/pvc-protection'] } },
  })
}

const makeClass = (api: Api): Promise<unknown> => createClass(api, { parameters: SECRET_PARAMETERS })

async function attach(api: Api, claim: string): Promise<void> {
  const { spec } = await api.get(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: claim })
  if (!spec.volumeName) return
  await api.create(VOLUME_ATTACHMENTS, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: `at-${claim}` },
    spec: { attacher: DRIVER, nodeName: 'node-1', source: { persistentVolumeName: spec.volumeName } },
  })
}
