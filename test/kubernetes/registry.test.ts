import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { isForbidden, isInvalid, isNotFound } from '../../src/api/api-error.ts'
import type { Api } from '../../src/api/api.ts'
import { hasCondition } from '../../src/api/conditions.ts'
import { CSI_DRIVERS } from '../../src/api/kinds/csi-driver.ts'
import { CSI_NODES } from '../../src/api/kinds/csi-node.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../src/api/kinds/custom-resource-definition.ts'
import type { KubeObject } from '../../src/api/object.ts'
import type { ResourceType } from '../../src/api/resource-type.ts'
import { createSilentLogger, createSystemClock, createSystemHost, createSystemRandom } from '../../src/base/index.ts'
import { ALPHA_CSI_DRIVERS } from '../../src/compat/alpha-csi-driver.ts'
import { createNodeInfo, CSI_NODE_INFOS } from '../../src/compat/alpha-csi-node-info.ts'
import type { AlphaCSIDriverSpec } from '../../src/compat/alpha-csi-driver.ts'
import { startRegistry } from '../../src/controllers/registry/index.ts'
import { connectApi } from '../../src/kube/client/connect-api.ts'
import { loadKubeconfig } from '../../src/kube/client/credentials.ts'
import { createEventRecorder } from '../../src/kube/controller/event-recorder.ts'
import { createInformers } from '../../src/kube/cache/informers.ts'
import { recordWrites } from '../../src/kube/testing/record-writes.ts'
import { startKubernetes } from './start-kubernetes.ts'
import type { RunningKubernetes } from './start-kubernetes.ts'

const clock = createSystemClock()
const random = createSystemRandom()
const log = createSilentLogger()
const CONFIG = { crdCheckMs: 600_000, statusIntervalMs: 10, nodeAccess: true }

describe('the driver registry on kube-apiserver', () => {
  let kubernetes: RunningKubernetes
  let admin: Api
  const closing: (() => unknown)[] = []
  const writes: string[] = []
  before(async () => {
    const node = (name: string) => ({ user: `system:node:${name}`, groups: ['system:nodes'] })
    kubernetes = await startKubernetes({ users: { 'node-1': node('node-1'), 'node-2': node('node-2') } })
    admin = await connect()
  })
  after(async () => {
    for (const close of closing.toReversed()) await close()
    await kubernetes.stop()
  })
  const connect = async (user?: string): Promise<Api> => {
    const credentials = await loadKubeconfig({
      path: kubernetes.kubeconfig(user),
      parts: { host: createSystemHost(), clock, env: {} },
    })
    const { api, close } = connectApi({ credentials, clock, random, userAgent: 'holdfast-test' })
    closing.push(close)
    return api
  }
  const start = async (): Promise<() => Promise<void>> => {
    const api = recordWrites(admin, writes)
    const informers = createInformers({ api, clock, random, log })
    const events = createEventRecorder({ api, clock, log, component: 'registry' })
    const registry = await startRegistry(
      CONFIG,
      { api, informers, events, clock, random, log },
      new AbortController().signal,
    )
    return async () => {
      await registry.stop()
      await informers.stop()
    }
  }
  const untilSeen = async <T extends KubeObject>(
    type: ResourceType<T>,
    name: string,
    holds: (object: T) => boolean,
  ): Promise<T> => {
    for await (const event of admin.watch(type, { fieldSelector: `metadata.name=${name}` })) {
      if (event.type !== 'BOOKMARK' && event.type !== 'DELETED' && holds(event.object)) return event.object
    }
    throw new Error('the watch ended')
  }
  const untilServed = (name: string) =>
    untilSeen(CUSTOM_RESOURCE_DEFINITIONS, name, ({ status }) => hasCondition(status?.conditions, 'Established'))
  const createSeed = (spec: AlphaCSIDriverSpec, name = 'd') =>
    admin.create(ALPHA_CSI_DRIVERS, {
      apiVersion: 'csi.storage.k8s.io/v1alpha1',
      kind: 'CSIDriver',
      metadata: { name },
      spec: { driver: name, ...spec },
    })
  // The server learns of new policies, roles and kinds a moment later than whoever wrote them.
  const eventually = async <T>(ask: () => Promise<T>): Promise<T> => {
    for (const endMs = clock.monotonicMs() + 20_000; ;) {
      try {
        return await ask()
      } catch (error) {
        if (clock.monotonicMs() > endMs) throw error
        await new Promise((resolve) => void clock.setTimer(100, () => resolve(undefined)))
      }
    }
  }

  test('S1-19 to S1-21, H8: installs its definitions, finds them as it made them, and makes a deleted one anew', async () => {
    const stop = await start()
    for (const name of ['csidrivers.csi.storage.k8s.io', 'csinodeinfos.csi.storage.k8s.io']) await untilServed(name)
    await eventually(async () => equal(writes.length, 6, writes.join('\n')))
    await stop()
    writes.length = 0
    const stopAgain = await start()
    closing.push(stopAgain)
    await admin.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: 'csinodeinfos.csi.storage.k8s.io' })
    await eventually(async () =>
      deepEqual(writes, ['create customresourcedefinitions csinodeinfos.csi.storage.k8s.io']),
    )
    await untilServed('csinodeinfos.csi.storage.k8s.io')
  })

  test('S1-17, H3, H10, H63: takes every spelling, refuses contradictions, and mirrors what the cluster acts upon', async () => {
    await eventually(() =>
      createSeed({
        attachRequired: null,
        podInfoRequiredOnMount: null,
        skipAttach: true,
        serviceAccountTokens: [{ audience: ['vault'] }],
        requiresRemount: true,
      }),
    )
    const mirror = await untilSeen(CSI_DRIVERS, 'd', () => true)
    deepEqual(
      [
        mirror.spec.attachRequired,
        mirror.spec.podInfoOnMount,
        mirror.spec.requiresRepublish,
        mirror.spec.tokenRequests,
      ],
      [false, false, true, [{ audience: 'vault' }]],
    )
    const contradiction = await createSeed({ attachRequired: true, skipAttach: true }, 'wrong').catch(
      (error: unknown) => error,
    )
    ok(isInvalid(contradiction), String(contradiction))
    await admin.create(CSI_NODES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name: 'node-9' },
      spec: { drivers: [{ name: 'd', nodeID: 'n', topologyKeys: null }] },
    })
    await untilSeen(ALPHA_CSI_DRIVERS, 'd', ({ status }) => status?.nodes === 1)
    await admin.patch(ALPHA_CSI_DRIVERS, { name: 'd' }, { type: 'merge', value: { spec: { skipAttach: false } } })
    await untilSeen(CSI_DRIVERS, 'd', ({ spec }) => spec.attachRequired === true)
    await admin.delete(ALPHA_CSI_DRIVERS, { name: 'd' })
    await eventually(async () =>
      ok(isNotFound(await admin.get(CSI_DRIVERS, { name: 'd' }).catch((error: unknown) => error))),
    )
  })

  test('S3-36, H25: a node writes its own CSINodeInfo, and no other', async () => {
    const [one, two] = [await connect('node-1'), await connect('node-2')]
    await eventually(() => one.create(CSI_NODE_INFOS, createNodeInfo({ name: 'node-1' })))
    await one.patch(
      CSI_NODE_INFOS,
      { name: 'node-1' },
      { type: 'merge', value: { csiDrivers: [{ name: 'd', nodeID: 'n' }] } },
    )
    const refusals: (() => Promise<unknown>)[] = [
      () => two.patch(CSI_NODE_INFOS, { name: 'node-1' }, { type: 'merge', value: { csiDrivers: [] } }),
      () => two.delete(CSI_NODE_INFOS, { name: 'node-1' }),
      () => two.create(CSI_NODE_INFOS, createNodeInfo({ name: 'node-3' })),
      () =>
        two.create(ALPHA_CSI_DRIVERS, {
          apiVersion: 'csi.storage.k8s.io/v1alpha1',
          kind: 'CSIDriver',
          metadata: { name: 'x' },
          spec: {},
        }),
    ]
    for (const [index, refusal] of refusals.entries()) {
      const error = await refusal().then(
        () => 'it was allowed',
        (reason: unknown) => reason,
      )
      ok(isForbidden(error) || isInvalid(error), `${index}: ${String(error)}`)
    }
    await one.delete(CSI_NODE_INFOS, { name: 'node-1' })
  })
})
