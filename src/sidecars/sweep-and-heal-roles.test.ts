import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { isNotFound } from '../api/api-error.ts'
import { CONFIG_MAPS } from '../api/kinds/config-map.ts'
import { EVENTS } from '../api/kinds/event.ts'
import { VOLUME_ATTACHMENTS } from '../api/kinds/volume-attachment.ts'
import { openTestCore } from '../apiserver/testing/open-test-core.ts'
import { ControllerCapability, PluginService } from '../csi/index.ts'
import type { Driver } from '../csi/index.ts'
import { createWithStatus } from '../testing/objects.ts'
import { startHeal } from './heal/index.ts'
import { startRoleUnderTest } from './testing/describe-role.ts'
import { journalRef } from './sweep/journal.ts'
import { startSweep } from './sweep/start-sweep.ts'

const DRIVER = 'test.holdfast.dev'

/** The calls that the roles make, over a list of volumes. */
function createDriver(volumes: string[]) {
  const unpublished: string[] = []
  const driver = {
    probe: () => Promise.resolve({ ready: true }),
    getPluginInfo: () => Promise.resolve({ name: DRIVER, vendorVersion: '1' }),
    getPluginCapabilities: () =>
      Promise.resolve({
        capabilities: [{ type: { $case: 'service', value: { type: PluginService.CONTROLLER_SERVICE } } }],
      }),
    controllerGetCapabilities: () =>
      Promise.resolve({
        capabilities: [{ type: { $case: 'rpc', value: { type: ControllerCapability.LIST_VOLUMES } } }],
      }),
    nodeGetCapabilities: () => Promise.resolve({ capabilities: [] }),
    listVolumes: () =>
      Promise.resolve({
        entries: volumes.map((volumeId) => ({ volume: { volumeId, capacityBytes: 1n } })),
        nextToken: '',
      }),
    controllerUnpublishVolume: ({ volumeId }: { volumeId: string }) => {
      unpublished.push(volumeId)
      return Promise.resolve({})
    },
    // Nothing else is called.
  } as unknown as Driver
  return { driver, unpublished }
}

test('the role sweep reports a leak once, until it changes', async (context) => {
  const core = await openTestCore(context)
  const volumes = ['stray']
  const config = { intervalMs: 60_000, settleMs: 0, timeoutMs: 1000, delete: false, graceMs: 60_000 }
  const { advance } = await startRoleUnderTest(context, core, {
    driver: createDriver(volumes).driver,
    component: 'sweep',
    progress: () => 0,
    startRole: (parts) => startSweep({ namespace: 'default' })(config, parts, new AbortController().signal),
  })
  const found = async () =>
    (await core.api.list(EVENTS)).items.filter(({ reason }) => reason === 'LeakFound').map(({ message }) => message)
  const stray = 'Volumes of the driver without a PersistentVolume: stray'
  await advance(1000)
  deepEqual(await found(), [stray])
  await advance(180_000)
  deepEqual(await found(), [stray])
  volumes.push('another')
  await advance(120_000)
  deepEqual(await found(), [stray, 'Volumes of the driver without a PersistentVolume: another'])
  equal((await core.api.get(CONFIG_MAPS, journalRef(DRIVER, 'default'))).data?.['volumes'], '')
})

test('the role heal detaches what was asked for, and nothing else', async (context) => {
  const core = await openTestCore(context)
  const { api } = core
  for (const name of ['asked', 'other']) {
    await createWithStatus(api, VOLUME_ATTACHMENTS, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: {
        name,
        finalizers: ['external-attacher/test-holdfast-dev'],
        annotations: {
          'csi.alpha.kubernetes.io/node-id': 'id-1',
          ...(name === 'asked' ? { 'heal.holdfast.dev/requested': 'true' } : {}),
        },
      },
      spec: {
        attacher: DRIVER,
        nodeName: 'n1',
        source: {
          inlineVolumeSpec: { csi: { driver: DRIVER, volumeHandle: `handle-${name}` }, accessModes: ['ReadWriteOnce'] },
        },
      },
      status: { attached: true },
    })
    await api.delete(VOLUME_ATTACHMENTS, { name })
  }
  const { driver, unpublished } = createDriver([])
  const { settled } = await startRoleUnderTest(context, core, {
    driver,
    component: 'heal',
    progress: () => unpublished.length,
    startRole: (parts) => startHeal({ timeoutMs: 1000, retryMs: 1000 }, parts, new AbortController().signal),
  })
  await settled()
  deepEqual(unpublished, ['handle-asked'])
  equal(await api.get(VOLUME_ATTACHMENTS, { name: 'asked' }).catch((error: unknown) => isNotFound(error)), true)
  equal((await api.get(VOLUME_ATTACHMENTS, { name: 'other' })).metadata.name, 'other')
})
