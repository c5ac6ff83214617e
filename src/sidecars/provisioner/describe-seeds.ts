import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { Api } from '../../api/api.ts'
import { isAlreadyExists, isConflict, isInvalid, isNotFound } from '../../api/api-error.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { SECRETS } from '../../api/kinds/secret.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import type { Random } from '../../base/random.ts'
import { forEachSeed, SOME_API_FAULTS, SOME_DRIVER_FAULTS } from '../../simulation/index.ts'
import { assertNothingLeaked, bindAndRelease, createSecret, openCrashWorld, SECRET } from './describe-crashes.ts'
import { createClaim, createClass, deleteClaim, DRIVER, NAMESPACE } from './describe-provisioner.ts'

const ROUNDS = 14
const CLAIMS = ['a', 'b', 'c', 'd']
const SECRET_PARAMETERS = { 'csi.storage.k8s.io/provisioner-secret-name': SECRET.name, 'csi.storage.k8s.io/provisioner-secret-namespace': SECRET.namespace }

type Change = { what: string; make(api: Api): Promise<unknown> }

export function describeSeeds(seeds: readonly number[]): void {
  test('S3-40, S3-65: whatever fails and whenever it is killed, each claim has its volume in the end and nothing else is left', () =>
    forEachSeed(seeds, async (seed) => void (await runSeed(seed))))
}

/** People make and delete claims and break things while the provisioner is killed, and API and driver fail now and then. */
export async function runSeed(seed: number): Promise<string> {
  const world = await openCrashWorld({ seed, apiFaults: SOME_API_FAULTS, driverFaults: SOME_DRIVER_FAULTS })
  const { simulation, process, api } = world
  const { random, transcript } = simulation
  const change = async (): Promise<void> => {
    const { what, make } = chooseChange(random)
    transcript.add('user', what)
    await make(api).catch(ignoreRefusal)
  }
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (let changes = random.below(4); changes > 0; changes--) await change()
      if (random.fraction() < 0.5) process.killAtCall(1 + random.below(8), random.fraction() < 0.5 ? 'before' : 'after')
      if (random.fraction() < 0.1) await simulation.restartServer()
      await simulation.advance(random.below(random.fraction() < 0.2 ? 120_000 : 4000))
      if (random.fraction() < 0.7) await bindAndRelease(api)
      if (process.isRunning()) continue
      if (random.fraction() < 0.5) await change()
      await process.restart()
    }
    // The last life is not cut short, and long enough for every wait.
    await process.restart()
    await makeClass(api).catch(ignoreRefusal)
    await createSecret(api).catch(ignoreRefusal)
    for (const { metadata } of (await api.list(VOLUME_ATTACHMENTS)).items) await api.delete(VOLUME_ATTACHMENTS, { name: metadata.name ?? '' })
    for (let minute = 0; minute < 40; minute++) {
      await simulation.advance(60_000)
      await bindAndRelease(api)
      await simulation.settled()
    }
    await assertNothingLeaked(world)
    const claims = (await api.list(PERSISTENT_VOLUME_CLAIMS)).items
    deepEqual(claims.filter(({ status }) => status?.phase !== 'Bound').map(({ metadata }) => metadata.name), [], `not provisioned in the end\n${transcript.text()}`)
    equal((await api.list(PERSISTENT_VOLUMES)).items.length, claims.length, `volumes of claims that are gone\n${transcript.text()}`)
    return transcript.text()
  } finally {
    await simulation.stop()
  }
}

function chooseChange(random: Random): Change {
  const claim = CLAIMS[random.below(CLAIMS.length)] ?? ''
  const changes: [share: number, change: Change][] = [
    [8, { what: `creates ${claim}`, make: (api) => createClaim(api, claim) }],
    [5, { what: `deletes ${claim}`, make: (api) => deleteClaim(api, claim) }],
    [2, { what: `attaches the volume of ${claim}`, make: (api) => attach(api, claim) }],
    [2, { what: `detaches the volume of ${claim}`, make: (api) => api.delete(VOLUME_ATTACHMENTS, { name: `at-${claim}` }) }],
    [1, { what: 'removes the class', make: (api) => api.delete(STORAGE_CLASSES, { name: 'fast' }) }],
    [2, { what: 'makes the class', make: makeClass }],
    [1, { what: 'removes the secret', make: (api) => api.delete(SECRETS, SECRET) }],
    [2, { what: 'makes the secret', make: createSecret }],
  ]
  let at = random.below(changes.reduce((sum, [share]) => sum + share, 0))
  for (const [share, change] of changes) {
    if (at < share) return change
    at -= share
  }
  throw new Error('no change')
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

function ignoreRefusal(error: unknown): undefined {
  if (!isNotFound(error) && !isAlreadyExists(error) && !isConflict(error) && !isInvalid(error)) throw error
  return undefined
}
