import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { EVENTS } from '../../api/kinds/event.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { openTestCore } from '../../apiserver/testing/open-test-core.ts'
import { createSystemClock } from '../../base/clock.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { CsiError } from '../../csi/index.ts'
import type { Driver } from '../../csi/index.ts'
import { createEventRecorder } from '../../kube/controller/event-recorder.ts'
import { ATTACHED_HANDLE } from '../../storage/names.ts'
import { uniqueVolumeName } from '../../storage/unique-volume-name.ts'
import { claimOf, createOn, createWithStatus, podOf, volumeOf } from '../../testing/objects.ts'
import { HEAL_REQUESTED, performHeal } from './perform-heal.ts'
import { readVolumeObjects } from '../volume-objects.ts'
import { describeAction, planHeal } from './plan-heal.ts'
import type { HealPlan } from './plan-heal.ts'
import { nextHealStep } from './start-heal.ts'

const DRIVER = 'test.holdfast.dev'
const FINALIZER = 'external-attacher/test-holdfast-dev'
const SIGNAL = new AbortController().signal

function createDriver(error?: CsiError) {
  const calls: unknown[] = []
  const controllerUnpublishVolume = (request: unknown) => {
    calls.push(request)
    return error ? Promise.reject(error) : Promise.resolve({})
  }
  // Nothing else is called.
  return { calls, driver: { controllerUnpublishVolume } as unknown as Driver }
}

/** An attachment that is being deleted; its node is gone, and so is its registration. */
async function openStuck(context: TestContext) {
  const { api } = await openTestCore(context)
  await createWithStatus(
    api,
    PERSISTENT_VOLUMES,
    volumeOf({ spec: { claimRef: { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'c1' } } }),
  )
  await createWithStatus(api, VOLUME_ATTACHMENTS, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: {
      name: 'va',
      finalizers: [FINALIZER],
      annotations: { 'csi.alpha.kubernetes.io/node-id': 'id-1', [ATTACHED_HANDLE]: 'v1' },
    },
    spec: { attacher: DRIVER, nodeName: 'n1', source: { persistentVolumeName: 'v1' } },
    status: { attached: true },
  })
  await api.delete(VOLUME_ATTACHMENTS, { name: 'va' })
  const events = createEventRecorder({ api, clock: createSystemClock(), log: createSilentLogger(), component: 'heal' })
  const plan = async (): Promise<HealPlan> => planHeal(await readVolumeObjects(api, SIGNAL))
  const heal = async (driver?: Driver) => {
    const [action] = (await plan()).actions
    ok(action)
    const result = await performHeal(action, { api, driver, events, timeoutMs: 1000, signal: SIGNAL })
    await events.flush()
    return result
  }
  const reasons = async () =>
    (await api.list(EVENTS)).items.map(({ reason, involvedObject }) => `${reason} ${involvedObject.name}`)
  return { api, plan, heal, reasons }
}

const isThere = async (api: Api): Promise<boolean> =>
  api.get(VOLUME_ATTACHMENTS, { name: 'va' }).then(
    () => true,
    (error: unknown) => {
      if (isNotFound(error)) return false
      throw error
    },
  )

describe('heal', () => {
  test('removes the finalizer of an attachment once the driver has detached the volume, also without node and registration', async (context) => {
    const { api, plan, heal, reasons } = await openStuck(context)
    match(
      describeAction((await plan()).actions[0] as never),
      /^VolumeAttachment\/va: call ControllerUnpublishVolume for volume v1 and node id-1/,
    )
    const { driver, calls } = createDriver()
    equal((await heal(driver)).result, 'healed')
    deepEqual(calls, [{ volumeId: 'v1', nodeId: 'id-1', secrets: {} }])
    equal(await isThere(api), false)
    deepEqual(await reasons(), ['Healed va'])
  })

  for (const code of ['NOT_FOUND', 'INTERNAL', 'DEADLINE_EXCEEDED'] as const)
    test(`keeps the finalizer if the driver answers ${code}: only OK is proof`, async (context) => {
      const { api, heal, reasons } = await openStuck(context)
      const { driver } = createDriver(new CsiError(code, 'no', { rpc: 'ControllerUnpublishVolume' }))
      equal((await heal(driver)).result, 'failed')
      deepEqual((await api.get(VOLUME_ATTACHMENTS, { name: 'va' })).metadata.finalizers, [FINALIZER])
      deepEqual(await reasons(), ['HealFailed va'])
    })

  test('does nothing while a node reports the volume in use, and never taints it', async (context) => {
    const { api, plan } = await openStuck(context)
    const status = {
      conditions: [{ type: 'Ready', status: 'Unknown' as const }],
      volumesInUse: [uniqueVolumeName(DRIVER, 'v1')],
    }
    await createWithStatus(api, NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' }, status })
    const { actions, advice } = await plan()
    deepEqual(actions, [])
    deepEqual(advice, [
      {
        object: 'VolumeAttachment/va',
        text: 'Node n1 reports that the volume is still mounted: check why it is not unmounted.',
      },
      {
        object: 'Node/n1',
        text: 'The node is not ready. Bring it back, or, once you have confirmed that the machine is powered off, run: kubectl taint nodes n1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute',
      },
    ])
    ok(!(await api.get(NODES, { name: 'n1' })).spec?.taints?.some(({ key }) => key.includes('out-of-service')))
  })

  test('does nothing while a pod on the node uses the volume, also if it comes after the plan', async (context) => {
    const { api, plan } = await openStuck(context)
    const [action] = (await plan()).actions
    ok(action)
    await createWithStatus(api, PODS, podOf('p1', { nodeName: 'n1', claims: ['c1'] }))
    deepEqual((await plan()).actions, [])
    const { driver, calls } = createDriver()
    const events = createEventRecorder({
      api,
      clock: createSystemClock(),
      log: createSilentLogger(),
      component: 'heal',
    })
    equal((await performHeal(action, { api, driver, events, timeoutMs: 1000, signal: SIGNAL })).result, 'skipped')
    deepEqual(calls, [])
  })

  // The driver only knows the handle and the node ID: whatever else has the two would lose its volume.
  const REGISTERED = { name: DRIVER, nodeID: 'id-1', topologyKeys: null }
  const register = (api: Api, name: string) =>
    createOn(api, CSI_NODES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name },
      spec: { drivers: [REGISTERED] },
    })
  const uses: [behaviour: string, arrange: (api: Api) => Promise<unknown>, advice: RegExp][] = [
    [
      'while another attachment has the same volume on the same machine, under other names',
      async (api) => {
        const csi = { driver: DRIVER, volumeHandle: 'v1' }
        await createWithStatus(api, PERSISTENT_VOLUMES, volumeOf({ name: 'v1-again', spec: { csi } }))
        await register(api, 'n2')
        await createWithStatus(api, VOLUME_ATTACHMENTS, {
          apiVersion: 'storage.k8s.io/v1',
          kind: 'VolumeAttachment',
          metadata: { name: 'va-2' },
          spec: { attacher: DRIVER, nodeName: 'n2', source: { persistentVolumeName: 'v1-again' } },
          status: { attached: true },
        })
      },
      /^VolumeAttachment\/va-2 needs the same volume on the same machine/,
    ],
    [
      'while a pod uses it on the machine, which came back under another name',
      async (api) => {
        await register(api, 'n2')
        await createWithStatus(api, PODS, podOf('p1', { nodeName: 'n2', claims: ['c1'] }))
      },
      /^Pod default\/p1 is using the volume on node n2: delete the pod\.$/,
    ],
    [
      'while the machine, which came back under another name, reports the volume in use',
      async (api) => {
        await register(api, 'n2')
        const status = { volumesInUse: [uniqueVolumeName(DRIVER, 'v1')] }
        await createWithStatus(api, NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n2' }, status })
      },
      /^Node n2 reports that the volume is still mounted/,
    ],
    [
      'while a pod uses it whose PersistentVolume is gone',
      async (api) => {
        await createWithStatus(api, PERSISTENT_VOLUME_CLAIMS, claimOf({ spec: { volumeName: 'v1' } }))
        await createWithStatus(api, PODS, podOf('p1', { nodeName: 'n1', claims: ['c1'] }))
        await api.patch(
          PERSISTENT_VOLUMES,
          { name: 'v1' },
          { type: 'merge', value: { metadata: { finalizers: null } } },
        )
        await api.delete(PERSISTENT_VOLUMES, { name: 'v1' })
      },
      /^Pod default\/p1 is using the volume on node n1: delete the pod\.$/,
    ],
  ]
  for (const [behaviour, arrange, advice] of uses)
    test(`does nothing ${behaviour}`, async (context) => {
      const { api, plan } = await openStuck(context)
      await arrange(api)
      const planned = await plan()
      deepEqual(planned.actions, [])
      match(planned.advice[0]?.text ?? '', advice)
    })

  test('does nothing about an inline volume while a pod is on the node: nothing says which pod uses it', async (context) => {
    const { api, plan } = await openStuck(context)
    const view = await readVolumeObjects(api, SIGNAL)
    const inLine = view.attachments.map((attachment) => ({
      ...attachment,
      spec: { ...attachment.spec, source: { inlineVolumeSpec: volumeOf().spec } },
    }))
    equal(planHeal({ ...view, attachments: inLine }).actions.length, 1)
    const pods = [podOf('p1', { nodeName: 'n1' })]
    deepEqual(planHeal({ ...view, attachments: inLine, pods }).actions, [])
    equal((await plan()).actions.length, 1)
  })

  test('hands over to the sidecar without the socket of the driver', async (context) => {
    const { api, heal, reasons } = await openStuck(context)
    equal((await heal()).result, 'requested')
    deepEqual(await reasons(), ['HealRequested va'])
    const attachment = await api.get(VOLUME_ATTACHMENTS, { name: 'va' })
    equal(attachment.metadata.annotations?.[HEAL_REQUESTED], 'true')
    equal(nextHealStep({ attachment, driverName: DRIVER }).kind, 'heal')
    equal(nextHealStep({ attachment, driverName: 'other' }).kind, 'wait')
  })

  test('clears the claimRef of a retained volume only for a namesake that names it, alone', async (context) => {
    const { api } = await openTestCore(context)
    const claimRef = { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'c1', uid: 'former' }
    const retained = volumeOf({ phase: 'Released', spec: { claimRef, persistentVolumeReclaimPolicy: 'Retain' } })
    await createWithStatus(api, PERSISTENT_VOLUMES, retained)
    const actions = async () => planHeal(await readVolumeObjects(api, SIGNAL)).actions
    deepEqual(await actions(), [])
    await createWithStatus(api, PERSISTENT_VOLUME_CLAIMS, claimOf({ spec: { volumeName: 'v1' } }))
    const [action] = await actions()
    ok(action)
    await createWithStatus(api, PERSISTENT_VOLUME_CLAIMS, claimOf({ name: 'c2', spec: { volumeName: 'v1' } }))
    deepEqual(await actions(), [])
    await api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default', name: 'c2' })
    const events = createEventRecorder({
      api,
      clock: createSystemClock(),
      log: createSilentLogger(),
      component: 'heal',
    })
    equal((await performHeal(action, { api, events, timeoutMs: 1000, signal: SIGNAL })).result, 'healed')
    equal((await api.get(PERSISTENT_VOLUMES, { name: 'v1' })).spec.claimRef, undefined)
    await events.flush()
  })
})
