import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { NODES } from '../../api/kinds/node.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../../api/kinds/rbac.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { HostError } from '../../base/host/index.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { CsiError, CSI_REGISTRATION_SERVICE, REGISTRATION_SERVICE } from '../../csi/index.ts'
import type { RegistrationMethods } from '../../csi/index.ts'
import { createDispatcher } from '../../csi/kit/index.ts'
import type { Dispatcher } from '../../csi/kit/index.ts'
import { attachmentName } from '../../storage/attachment-name.ts'
import { uniqueVolumeName } from '../../storage/unique-volume-name.ts'
import { createOn, nodeOf } from '../../testing/objects.ts'
import {
  DRIVER,
  DRIVER_SOCKET,
  findCsiNode,
  NODE,
  openSimulatedNode,
  REGISTRAR_SOCKET,
} from './testing/describe-simulated-node.ts'

const failingRegistrar = (onAsked: () => void): Dispatcher =>
  createDispatcher<RegistrationMethods>({
    services: [REGISTRATION_SERVICE, CSI_REGISTRATION_SERVICE],
    handlers: {
      getInfo: () => {
        onAsked()
        return Promise.reject(new Error('not today'))
      },
    },
    log: createSilentLogger(),
  })

/** The API without some kinds, for as long as `isAway` says so. */
const withoutKinds = (
  api: Api,
  plurals: readonly string[],
  isAway: () => boolean,
  error = (): Error => new ApiError('NotFound', 'the server could not find the requested resource', { details: {} }),
): Api => {
  const refuse = (type: { plural: string }): boolean => plurals.includes(type.plural) && isAway()
  return {
    ...api,
    get: (type, ref, options) => (refuse(type) ? Promise.reject(error()) : api.get(type, ref, options)),
    create: (type, object, options) => (refuse(type) ? Promise.reject(error()) : api.create(type, object, options)),
    update: (type, object, options) => (refuse(type) ? Promise.reject(error()) : api.update(type, object, options)),
    patch: (type, ref, patch, options) =>
      refuse(type) ? Promise.reject(error()) : api.patch(type, ref, patch, options),
  }
}

describe('in time', () => {
  test('S3-35: a registrar that fails is asked again after 0.5, 1, 2 … 122 s; a new socket at once', async (context) => {
    const node = await openSimulatedNode(context)
    const asked: number[] = []
    const beganMs = node.clock.monotonicMs()
    node.machine.serve(
      REGISTRAR_SOCKET,
      failingRegistrar(() => asked.push((node.clock.monotonicMs() - beganMs) / 1000)),
    )
    await node.advance(400_000)
    deepEqual(
      asked.map((at, index) => at - (asked[index - 1] ?? 0)),
      [0, 0.5, 1, 2, 4, 8, 16, 32, 64, 122, 122],
    )
    node.machine.install()
    await node.settled()
    deepEqual(node.machine.told, ['registered'])
  })

  test('a stale socket is asked every second, and its successor at once', async (context) => {
    const node = await openSimulatedNode(context, {
      before: (_core, machine) => machine.host.placeSocket(REGISTRAR_SOCKET),
    })
    equal(node.registration.plugins()[0]?.reason.code, 'NobodyServesSocket')
    const dialled = node.machine.dialled.length
    await node.advance(60_000)
    equal(node.machine.dialled.length - dialled, 60)
    deepEqual(await node.events(), [])
    node.machine.install()
    await node.settled()
    equal(node.registration.plugins()[0]?.state, 'registered')
  })

  test('H22: a driver whose socket has gone keeps its place for ten seconds', async (context) => {
    const node = await openSimulatedNode(context)
    node.machine.install()
    await node.settled()
    equal((await node.csiNode())?.spec.drivers?.length, 1)
    await node.machine.removeRegistrar()
    await node.advance(9900)
    ok(node.registration.drivers.find(DRIVER))
    equal((await node.csiNode())?.spec.drivers?.length, 1)
    await node.advance(200)
    equal(node.registration.drivers.find(DRIVER), undefined)
    equal((await node.csiNode())?.spec.drivers?.length ?? 0, 0)
  })

  test('once all is published nothing is written any more, and hardly anything read', async (context) => {
    let reads = 0
    const node = await openSimulatedNode(context, {
      apiOf: (api) => ({ ...api, get: (type, ref, options) => (reads++, api.get(type, ref, options)) }),
    })
    node.machine.install()
    await node.settled()
    const [written, read] = [node.writes.length, reads]
    await node.advance(3_600_000)
    equal(node.writes.length, written)
    ok(reads - read <= 16, `${reads - read} reads in an hour`)
  })

  test('what somebody deletes comes back: a label at once, the CSINode with the next look', async (context) => {
    const node = await openSimulatedNode(context)
    node.machine.install()
    await node.settled()
    await node.api.patch(
      NODES,
      { name: NODE },
      { type: 'merge', value: { metadata: { labels: { 'example.com/zone': null } } } },
    )
    await node.settled()
    equal((await node.api.get(NODES, { name: NODE })).metadata.labels?.['example.com/zone'], 'a')
    await node.api.delete(CSI_NODES, { name: NODE })
    await node.advance(700_000)
    equal((await node.csiNode())?.spec.drivers?.length, 1)
  })

  test('a label that somebody changed later is left alone, and the driver stays', async (context) => {
    const node = await openSimulatedNode(context)
    node.machine.install()
    await node.settled()
    await node.api.patch(
      NODES,
      { name: NODE },
      { type: 'merge', value: { metadata: { labels: { 'example.com/zone': 'b' } } } },
    )
    await node.advance(700_000)
    equal((await node.api.get(NODES, { name: NODE })).metadata.labels?.['example.com/zone'], 'b')
    ok(node.registration.drivers.find(DRIVER))
  })

  test('H18: where the machine does not tell of changes, the directory is listed every second', async (context) => {
    const refuse = (path: string): Promise<never> => Promise.reject(new HostError('ENOSPC', 'watch', path))
    const node = await openSimulatedNode(context, {
      hostOf: (host) => ({ ...host, files: { ...host.files, watch: refuse } }),
    })
    node.machine.install()
    await node.advance(1100)
    equal(node.registration.plugins()[0]?.state, 'registered')
  })

  test('S3-13: NodeGetInfo is tried a few times while the driver is only not ready, and once when it says no', async (context) => {
    const node = await openSimulatedNode(context)
    const asked: number[] = []
    const answer = node.machine.nodeInfo
    const beganMs = node.clock.monotonicMs()
    node.machine.nodeInfo = (request, call) => {
      asked.push(node.clock.monotonicMs() - beganMs)
      return asked.length < 4 ? Promise.reject(new CsiError('UNAVAILABLE', 'starting')) : answer(request, call)
    }
    node.machine.install()
    await node.advance(5000)
    deepEqual([asked, node.machine.told], [[0, 500, 1500, 3500], ['registered']])

    node.machine.nodeInfo = () => (asked.push(0), Promise.reject(new CsiError('FAILED_PRECONDITION', 'no disks')))
    asked.length = 0
    node.machine.installRegistrar()
    await node.settled()
    equal(asked.length, 1)
    match(node.machine.told.at(-1) ?? '', /RegisterPlugin failed at CSI\.NodeGetInfo .*no disks/)
  })
})

describe('what comes between', () => {
  test('a registrar that can not be told yet loses nothing, and stays once it was told', async (context) => {
    const node = await openSimulatedNode(context)
    let refusals = 0
    node.machine.install()
    node.machine.serve(
      REGISTRAR_SOCKET,
      createDispatcher<RegistrationMethods>({
        services: [REGISTRATION_SERVICE, CSI_REGISTRATION_SERVICE],
        handlers: {
          getInfo: () =>
            Promise.resolve({ type: 'CSIPlugin', name: DRIVER, endpoint: DRIVER_SOCKET, supportedVersions: ['1.0.0'] }),
          notifyRegistrationStatus: () => (++refusals < 4 ? Promise.reject(new Error('busy')) : Promise.resolve({})),
        },
        log: createSilentLogger(),
      }),
    )
    await node.settled()
    const written = node.writes.length
    equal(written, 3)
    await node.advance(60_000)
    deepEqual([refusals, node.writes.length], [4, written])
    equal(node.registration.plugins()[0]?.state, 'registered')
    ok(node.registration.drivers.find(DRIVER))
  })

  test('S3-154, H22: what an earlier life published is kept while a socket does not answer', async (context) => {
    const drivers = [{ name: 'before.example.com', nodeID: 'x', topologyKeys: ['zone'] }]
    const node = await openSimulatedNode(context, {
      before: async ({ api }, machine) => {
        const { metadata } = await api.get(NODES, { name: NODE })
        const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: NODE, uid: metadata.uid ?? '' }]
        await api.create(CSI_NODES, {
          apiVersion: 'storage.k8s.io/v1',
          kind: 'CSINode',
          metadata: { name: NODE, ownerReferences },
          spec: { drivers },
        })
        machine.host.placeSocket(REGISTRAR_SOCKET)
      },
    })
    await node.advance(600_000)
    deepEqual((await node.csiNode())?.spec.drivers, drivers)
    await node.machine.host.files.removeFile(REGISTRAR_SOCKET)
    await node.advance(11_000)
    equal((await node.csiNode())?.spec.drivers?.length ?? 0, 0)
  })

  test('H21: a node that was made anew is judged anew', async (context) => {
    const node = await openSimulatedNode(context)
    node.machine.install()
    await node.settled()
    await node.api.delete(NODES, { name: NODE })
    await node.settled()
    await createOn(node.api, NODES, nodeOf(NODE, { metadata: { labels: { 'example.com/zone': 'b' } } }))
    await node.settled()
    match(node.machine.told.at(-1) ?? '', /detected topology value collision/)
  })

  test('S3-37: a good CSINode does not go because the cache still has the node of before', async (context) => {
    let isHeld = false
    const node = await openSimulatedNode(context, {
      apiOf: (api) => ({
        ...api,
        watch: async function* (type, options) {
          for await (const event of api.watch(type, options)) {
            if (!(isHeld && type.plural === 'nodes')) yield event
          }
        },
      }),
    })
    node.machine.install()
    await node.settled()
    isHeld = true
    await node.api.delete(NODES, { name: NODE })
    const { metadata } = await createOn(node.api, NODES, nodeOf(NODE))
    await node.settled()
    await node.api.delete(CSI_NODES, { name: NODE }).catch(() => {})
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: NODE, uid: metadata.uid ?? '' }]
    const made = await node.api.create(CSI_NODES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name: NODE, ownerReferences },
      spec: { drivers: [] },
    })
    await node.advance(700_000)
    equal((await node.csiNode())?.metadata.uid, made.metadata.uid)
    equal((await node.csiNode())?.spec.drivers?.length, 1)
  })

  test('H18: a socket that comes between the look and the watch is seen at once', async (context) => {
    let install = (): void => {}
    const node = await openSimulatedNode(context, {
      before: (_core, machine) => void (install = machine.install),
      hostOf: (host) => ({
        ...host,
        files: {
          ...host.files,
          watch: (path, onHint) => {
            install()
            install = () => {}
            return host.files.watch(path, onHint)
          },
        },
      }),
    })
    equal(node.registration.plugins()[0]?.state, 'registered')
  })

  test('a socket that replaces one that hangs does not wait for it', async (context) => {
    const node = await openSimulatedNode(context)
    const hang = createDispatcher<RegistrationMethods>({
      services: [REGISTRATION_SERVICE, CSI_REGISTRATION_SERVICE],
      handlers: { getInfo: () => new Promise(() => {}) },
      log: createSilentLogger(),
    })
    node.machine.serve(REGISTRAR_SOCKET, hang)
    for (let turn = 0; turn < 20; turn++) await node.clock.advance(0)
    node.machine.install()
    await node.settled()
    deepEqual(node.machine.told, ['registered'])
  })
})

describe('where the API is not as it should be', () => {
  test('S3-34, S3-35, H24: without CSINode the driver is registered all the same, it is told, and published once the server has it', async (context) => {
    let isAway = true
    const node = await openSimulatedNode(context, {
      apiOf: (api) => withoutKinds(api, ['csinodes', 'csinodeinfos'], () => isAway),
    })
    node.machine.install()
    await node.settled()
    deepEqual(node.machine.told, ['registered'])
    ok(node.registration.drivers.find(DRIVER))
    ok(
      (await node.events()).some((message) => message.includes('the API server does not serve CSINode')),
      (await node.events()).join(),
    )
    equal((await node.api.get(NODES, { name: NODE })).metadata.labels?.['example.com/zone'], 'a')
    await node.advance(3_000_000)
    isAway = false
    await node.advance(125_000)
    equal((await node.csiNode())?.spec.drivers?.[0]?.nodeID, 'id-1')
  })

  test('S3-34: CSINodeInfo that does not exist, or that the node may not write, keeps nobody from anything', async (context) => {
    for (const error of [undefined, () => new ApiError('Forbidden', 'csinodeinfos is forbidden')]) {
      const node = await openSimulatedNode(context, {
        apiOf: (api) => withoutKinds(api, ['csinodeinfos'], () => true, error),
      })
      node.machine.install()
      await node.settled()
      deepEqual(node.machine.told, ['registered'])
      deepEqual(await node.events(), [])
    }
  })

  test('S3-34: CSINodeInfo that can not be read does not keep a driver of before in CSINode', async (context) => {
    const fail = (): Error => new ApiError('InternalError', 'no disk', { code: 500 })
    const node = await openSimulatedNode(context, {
      apiOf: (api) => withoutKinds(api, ['csinodeinfos'], () => true, fail),
      before: async ({ api }) => {
        const { metadata } = await api.get(NODES, { name: NODE })
        await api.create(CSI_NODES, {
          apiVersion: 'storage.k8s.io/v1',
          kind: 'CSINode',
          metadata: {
            name: NODE,
            ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: NODE, uid: metadata.uid ?? '' }],
          },
          spec: { drivers: [{ name: 'before.example.com', nodeID: 'x', topologyKeys: [] }] },
        })
      },
    })
    await node.advance(11_000)
    equal((await node.csiNode())?.spec.drivers?.length ?? 0, 0)
  })

  test('S3-35: while the server is away the registrar waits and the driver can be called; nothing is refused', async (context) => {
    let isAway = true
    const away = (): Error => new ApiError('ServiceUnavailable', 'connection refused', { code: 0 })
    const node = await openSimulatedNode(context, {
      apiOf: (api) => withoutKinds(api, ['nodes', 'csinodes', 'csinodeinfos'], () => isAway, away),
    })
    node.machine.install()
    await node.advance(600_000)
    deepEqual(node.machine.told, [])
    ok(node.registration.drivers.find(DRIVER))
    isAway = false
    await node.advance(140_000)
    deepEqual(node.machine.told, ['registered'])
  })
})

describe('how many volumes a node can have', () => {
  const csiDriver = (seconds?: number) =>
    ({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: DRIVER },
      spec: seconds === undefined ? {} : { nodeAllocatableUpdatePeriodSeconds: seconds },
    }) as const
  const limit = async (api: Api): Promise<number | undefined> =>
    (await findCsiNode(api))?.spec.drivers?.[0]?.allocatable?.count

  test('S3-30: is asked again in the period of the CSIDriver object, and only the limit is taken', async (context) => {
    const node = await openSimulatedNode(context, {
      before: async ({ api }) => void (await api.create(CSI_DRIVERS, csiDriver(60))),
    })
    node.machine.install()
    await node.settled()
    node.machine.nodeInfo = () => Promise.resolve({ nodeId: 'another', maxVolumesPerNode: 9n })
    await node.advance(59_000)
    equal(await limit(node.api), 5)
    await node.advance(2000)
    deepEqual((await node.csiNode())?.spec.drivers, [
      { name: DRIVER, nodeID: 'id-1', topologyKeys: ['example.com/zone'], allocatable: { count: 9 } },
    ])
    const written = node.writes.length
    await node.advance(120_000)
    equal(node.writes.length, written)
    await node.api.patch(
      CSI_DRIVERS,
      { name: DRIVER },
      { type: 'merge', value: { spec: { nodeAllocatableUpdatePeriodSeconds: 10 } } },
    )
    node.machine.nodeInfo = () => Promise.resolve({ nodeId: 'id-1', maxVolumesPerNode: 2n })
    await node.advance(11_000)
    equal(await limit(node.api), 2)
    await node.api.delete(CSI_DRIVERS, { name: DRIVER })
    await node.settled()
    node.machine.nodeInfo = () => Promise.resolve({ nodeId: 'id-1', maxVolumesPerNode: 3n })
    await node.advance(600_000)
    equal(await limit(node.api), 2)
  })

  test('S3-30: is asked for again soon after attaching failed because the node is full, once for each failure', async (context) => {
    let asked = 0
    const node = await openSimulatedNode(context, {
      before: async ({ api }) => void (await api.create(CSI_DRIVERS, csiDriver(600))),
    })
    const { api, machine } = node
    machine.install()
    await node.settled()
    machine.nodeInfo = () => {
      asked++
      return Promise.resolve({ nodeId: 'id-1', maxVolumesPerNode: 2n })
    }
    const report = (status: object) =>
      api.patch(NODES, { name: NODE }, { type: 'merge', value: { status } }, { subresource: 'status' })
    const uniqueName = uniqueVolumeName(DRIVER, 'v-1')
    const name = attachmentName({ driver: DRIVER, volumeHandle: 'v-1', nodeName: NODE })
    const source = { persistentVolumeName: 'pv-1' }
    await api.create(VOLUME_ATTACHMENTS, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name },
      spec: { attacher: DRIVER, nodeName: NODE, source },
    })
    const fail = (errorCode: number, time: string) => {
      const value = { status: { attached: false, attachError: { message: 'no', errorCode, time } } }
      return api.patch(VOLUME_ATTACHMENTS, { name }, { type: 'merge', value }, { subresource: 'status' })
    }
    await report({ volumesInUse: [uniqueName] })
    await fail(13, '2030-01-01T00:00:00Z')
    await node.advance(30_000)
    deepEqual([asked, await limit(api)], [0, 5], 'another error says nothing about the limit')
    await fail(8, '2030-01-01T00:01:00Z')
    await node.advance(11_000)
    deepEqual([asked, await limit(api)], [1, 2])
    await node.advance(60_000)
    equal(asked, 1, 'the same failure')
    await fail(8, '2030-01-01T00:02:00Z')
    await node.advance(11_000)
    equal(asked, 2, 'the next try failed, too')
    await report({ volumesAttached: [{ name: uniqueName, devicePath: '' }] })
    await fail(8, '2030-01-01T00:03:00Z')
    await node.advance(60_000)
    equal(asked, 2, 'nothing is waited for')
  })

  test('S1-24, S1-25, H12: with the option a CSIDriver object is made where there is none, and one that is there stays', async (context) => {
    const allow = async (api: Api): Promise<void> => {
      const metadata = { name: 'create-csidrivers' }
      await api.create(CLUSTER_ROLES, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata,
        rules: [{ verbs: ['create'], apiGroups: ['storage.k8s.io'], resources: ['csidrivers'] }],
      })
      const subjects = [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'system:nodes' }] as const
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name } as const
      await api.create(CLUSTER_ROLE_BINDINGS, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata,
        subjects,
        roleRef,
      })
    }
    const made = await openSimulatedNode(context, {
      config: { createCsiDrivers: true },
      before: ({ api }) => allow(api),
    })
    made.machine.install()
    await made.settled()
    // The node part alone does not know whether the driver attaches: the default stands.
    equal((await made.api.get(CSI_DRIVERS, { name: DRIVER })).spec.attachRequired, true)

    const kept = await openSimulatedNode(context, {
      config: { createCsiDrivers: true },
      before: async ({ api }) => {
        await allow(api)
        await api.create(CSI_DRIVERS, { ...csiDriver(), spec: { attachRequired: false } })
      },
    })
    kept.machine.install()
    await kept.settled()
    equal((await kept.api.get(CSI_DRIVERS, { name: DRIVER })).spec.attachRequired, false)
    ok(!kept.writes.some((write) => write.includes('csidrivers')))
  })

  test('H12: a node that may not make it says so, and registers the driver all the same', async (context) => {
    const node = await openSimulatedNode(context, { config: { createCsiDrivers: true } })
    node.machine.install()
    await node.settled()
    deepEqual(node.machine.told, ['registered'])
    ok(
      (await node.events()).some((message) => message.startsWith('failed to create the CSIDriver object')),
      (await node.events()).join(),
    )
  })

  test('H12: by itself no CSIDriver object is made', async (context) => {
    const node = await openSimulatedNode(context)
    node.machine.install()
    await node.settled()
    equal((await node.api.list(CSI_DRIVERS)).items.length, 0)
  })
})
