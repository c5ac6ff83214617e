import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import type { Api } from '../api/api.ts'
import { EVENTS } from '../api/kinds/event.ts'
import { NAMESPACES } from '../api/kinds/namespace.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import { SECRETS } from '../api/kinds/secret.ts'
import { STORAGE_CLASSES } from '../api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../api/kinds/volume-attachment.ts'
import { nodeUser } from '../apiserver/authorization/node-identity.ts'
import { applyManifest } from '../apiserver/testing/apply-manifest.ts'
import { classOf, createOn } from '../testing/objects.ts'
import { createClaim, createPod, deletePod, getClaim, getPod, isGone, NAMESPACE } from './testing/describe-cluster.ts'
import { openSeparateParts } from './testing/describe-separate-parts.ts'
import type { SeparateParts } from './testing/describe-separate-parts.ts'

const [A, B] = ['a.example.com', 'b.example.com']

const createClass = (
  api: Api,
  name: string,
  provisioner: string,
  parameters: Record<string, string> = {},
): Promise<unknown> => createOn(api, STORAGE_CLASSES, classOf({ provisioner, parameters }, name))
const isRunning = async (api: Api, name: string): Promise<boolean> =>
  (await getPod(api, name)).status?.phase === 'Running'

/** A claim and a pod that uses it, under one name. */
async function createBoth(api: Api, name: string, storageClassName: string): Promise<void> {
  await createClaim(api, name, { storageClassName })
  await createPod(api, name, name)
}
async function deleteBoth(api: Api, name: string): Promise<void> {
  await deletePod(api, name)
  await api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name })
}
const isClean = async (api: Api): Promise<boolean> =>
  (await api.list(PERSISTENT_VOLUMES)).items.length === 0 && (await api.list(VOLUME_ATTACHMENTS)).items.length === 0

/** Methods that this part has called, each once. */
const methodsOf = ({ calls }: SeparateParts, by: string): Set<string> =>
  new Set(calls.filter((call) => call.by === by).map(({ method }) => method))
const CONTROLLER_WORK = ['CreateVolume', 'ControllerPublishVolume', 'ControllerUnpublishVolume', 'DeleteVolume']

test('S3-3: volumes are made, attached, detached and deleted by the sidecars alone; without them they wait, and the control plane has no channel to the driver', async (context) => {
  const parts = await openSeparateParts(context, { drivers: [A] })
  const { api, calls, until, advance } = parts
  const workDone = (): string[] =>
    calls.map(({ method }) => method).filter((method) => CONTROLLER_WORK.includes(method))
  await createClass(api, 'fast', A)
  await parts.startControllers()
  await parts.startNode('node-1')
  await createBoth(api, 'web', 'fast')
  await advance(60_000)
  deepEqual([(await getClaim(api, 'web')).status?.phase, workDone()], ['Pending', []])

  const first = await parts.startSidecar(A)
  await until('the pod runs', () => isRunning(api, 'web'))
  deepEqual(workDone(), ['CreateVolume', 'ControllerPublishVolume'])
  await parts.stop(first)
  await deleteBoth(api, 'web')
  await advance(60_000)
  deepEqual(workDone(), ['CreateVolume', 'ControllerPublishVolume'])
  equal(await isClean(api), false)

  await parts.startSidecar(A)
  await until('nothing is left', () => isClean(api))
  deepEqual(workDone(), CONTROLLER_WORK)
  for (const call of calls) if (CONTROLLER_WORK.includes(call.method)) equal(call.by, 'sidecars')
  deepEqual(new Set(parts.connections), new Set([`node-1 ${A}`, `sidecars ${A}`]))
})

test('S3-4: each driver has sidecars of its own, which serve no other driver and need none', async (context) => {
  const parts = await openSeparateParts(context, { drivers: [A, B] })
  const { api, calls, until, advance } = parts
  for (const driver of [A, B]) await createClass(api, driver, driver)
  await parts.startControllers()
  await parts.startNode('node-1')
  const sidecarsOfA = await parts.startSidecar(A)
  for (const driver of [A, B]) await createBoth(api, driver, driver)
  await until('the pod of the first driver runs', () => isRunning(api, A))
  await advance(60_000)
  equal((await getClaim(api, B)).status?.phase, 'Pending')
  deepEqual(
    calls.filter(({ by, driver }) => by === 'sidecars' && driver === B),
    [],
  )

  // Those of the first one end, those of the other begin: each driver has what its own do.
  await parts.stop(sidecarsOfA)
  await parts.startSidecar(B)
  await until('the pod of the other driver runs', () => isRunning(api, B))
  for (const driver of [A, B]) await deleteBoth(api, driver)
  await until('what is the other driver’s is gone', async () =>
    (await api.list(PERSISTENT_VOLUMES)).items.every(({ spec }) => spec.csi?.driver === A),
  )
  await advance(60_000)
  deepEqual(
    (await api.list(PERSISTENT_VOLUMES)).items.map(({ spec }) => spec.csi?.driver),
    [A],
  )
  const workOn = (driver: string): string[] =>
    calls.filter((call) => call.driver === driver && CONTROLLER_WORK.includes(call.method)).map(({ method }) => method)
  deepEqual([workOn(A), workOn(B)], [CONTROLLER_WORK.slice(0, 2), CONTROLLER_WORK])
})

test('S3-95: in the whole life of an attachment only the attacher writes its status; nodes may not, and writes of the object itself leave it as it is', async (context) => {
  const parts = await openSeparateParts(context, { drivers: [A] })
  const { api, server, requests, until } = parts
  await createClass(api, 'fast', A)
  await parts.startControllers()
  await parts.startSidecar(A)
  await parts.startNode('node-1')
  await createBoth(api, 'web', 'fast')
  await until('the pod runs', () => isRunning(api, 'web'))

  const [attachment] = (await api.list(VOLUME_ATTACHMENTS)).items
  ok(attachment?.status?.attached)
  const name = attachment.metadata.name ?? ''
  // Somebody with every right, through the object itself.
  await api.patch(
    VOLUME_ATTACHMENTS,
    { name },
    { type: 'merge', value: { status: { attached: false, detachError: { message: 'not so' } } } },
  )
  deepEqual((await api.get(VOLUME_ATTACHMENTS, { name })).status, attachment.status)
  await rejects(
    server.core
      .as(nodeUser('node-1'))
      .patch(
        VOLUME_ATTACHMENTS,
        { name },
        { type: 'merge', value: { status: { attached: false } } },
        { subresource: 'status' },
      ),
    /forbidden/,
  )

  await deleteBoth(api, 'web')
  await until('nothing is left', () => isClean(api))
  const writers = new Set(
    requests
      .filter((request) => / (patch|update) volumeattachments\/status$/.test(request))
      .map((request) => request.split(' ')[0]),
  )
  // The node is the one that was refused above.
  deepEqual(writers, new Set(['system:serviceaccount:default:csi-sidecar', 'system:node:node-1']))
  equal(requests.filter((request) => request === 'system:node:node-1 patch volumeattachments/status').length, 1)
})

test('S3-106: the cluster mounts and unmounts by itself, attaches and detaches through VolumeAttachments, and neither makes nor deletes volumes', async (context) => {
  const parts = await openSeparateParts(context, { drivers: [A] })
  const { api, requests, until, advance } = parts
  await createClass(api, 'fast', A)
  await parts.startControllers()
  await parts.startNode('node-1')
  const sidecars = await parts.startSidecar(A)
  await createBoth(api, 'web', 'fast')
  await until('the pod runs', () => isRunning(api, 'web'))
  await deletePod(api, 'web')
  await until('it is detached', async () => (await api.list(VOLUME_ATTACHMENTS)).items.length === 0)
  deepEqual(
    methodsOf(parts, 'node-1'),
    new Set([
      'NodeGetInfo',
      'GetPluginInfo',
      'NodeGetCapabilities',
      'NodeStageVolume',
      'NodePublishVolume',
      'NodeUnpublishVolume',
      'NodeUnstageVolume',
    ]),
  )
  for (const write of ['create', 'delete']) ok(requests.includes(`controllers ${write} volumeattachments`))

  // A volume that is to be deleted with its claim stays while nobody but the cluster itself is there.
  await parts.stop(sidecars)
  await api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: 'web' })
  await createClaim(api, 'another', { storageClassName: 'fast' })
  await advance(600_000)
  equal(await isGone(getClaim(api, 'web')), true)
  deepEqual(
    (await api.list(PERSISTENT_VOLUMES)).items.map(({ status }) => status?.phase),
    ['Released'],
  )
  equal(
    requests.some((request) =>
      /^(controllers|system:node:node-1) (create|delete|deletecollection) persistentvolumes$/.test(request),
    ),
    false,
  )
})

test('S3-176: with the shipped rights for one namespace only the provisioner reads the secret for making volumes, and none of another namespace', async (context) => {
  const parts = await openSeparateParts(context, { drivers: [A] })
  const { api, server, requests, calls, until, advance } = parts
  for (const namespace of ['storage-secrets', 'elsewhere']) {
    await api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
    await api.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name: 'backend' },
      stringData: { key: `of ${namespace}` },
    })
    await createClass(api, namespace, A, {
      'csi.storage.k8s.io/provisioner-secret-name': 'backend',
      'csi.storage.k8s.io/provisioner-secret-namespace': namespace,
    })
  }
  await applyManifest(api, 'examples/sidecar/secrets-one-namespace.yaml')
  await parts.startControllers()
  await parts.startNode('node-1')
  await parts.startSidecar(A)
  await createBoth(api, 'storage-secrets', 'storage-secrets')
  await until('the pod runs', () => isRunning(api, 'storage-secrets'))
  await deleteBoth(api, 'storage-secrets')
  await until('nothing is left', () => isClean(api))
  const secretsOf = (method: string): unknown[] =>
    calls
      .filter((call) => call.method === method)
      .map(({ request }) => (request as { secrets?: unknown }).secrets ?? {})
  deepEqual(
    [secretsOf('CreateVolume'), secretsOf('DeleteVolume')],
    [[{ key: 'of storage-secrets' }], [{ key: 'of storage-secrets' }]],
  )
  for (const method of ['ControllerPublishVolume', 'NodeStageVolume', 'NodePublishVolume'])
    deepEqual(secretsOf(method), [{}], method)

  await createBoth(api, 'elsewhere', 'elsewhere')
  await until('the claim is told', async () =>
    (await api.list(EVENTS)).items.some(
      ({ reason, involvedObject }) => reason === 'ProvisioningFailed' && involvedObject.name === 'elsewhere',
    ),
  )
  await advance(60_000)
  equal((await getClaim(api, 'elsewhere')).status?.phase, 'Pending')
  equal(secretsOf('CreateVolume').length, 1)
  match(
    (await api.list(EVENTS)).items.find(({ reason }) => reason === 'ProvisioningFailed')?.message ?? '',
    /secrets "backend" is forbidden: User "system:serviceaccount:default:csi-sidecar" .* in the namespace "elsewhere"/,
  )

  const readers = new Set(requests.filter((request) => request.endsWith(' secrets')))
  deepEqual(readers, new Set(['system:serviceaccount:default:csi-sidecar get secrets']))
  await rejects(
    server.core.as(nodeUser('node-1')).get(SECRETS, { namespace: 'storage-secrets', name: 'backend' }),
    /forbidden/,
  )
})
