import { deepEqual, equal, match } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { parseAllDocuments } from 'yaml'
import type { Api } from '../api/api.ts'
import { findResourceType } from '../api/kinds/all-resource-types.ts'
import { CSI_DRIVERS } from '../api/kinds/csi-driver.ts'
import { CSI_NODES } from '../api/kinds/csi-node.ts'
import { EVENTS } from '../api/kinds/event.ts'
import { NODES } from '../api/kinds/node.ts'
import { CLUSTER_ROLES } from '../api/kinds/rbac.ts'
import type { KubeObject } from '../api/object.ts'
import { startTestServer } from '../apiserver/testing/start-test-server.ts'
import type { ApiServerOptions } from '../apiserver/start-apiserver.ts'
import { openClusterDirectory } from '../cluster/testing/describe-up.ts'
import { CSI_DRIVER_CREATOR } from '../cluster/csidriver-access.ts'
import { openTestDirectory } from '../csi/testing/open-test-directory.ts'
import { startCommand } from './testing/cli-under-test.ts'
import type { RunningCommand } from './testing/cli-under-test.ts'
import {
  connectTo,
  openCommands,
  registerNodeDriver,
  serveNodeDriver,
  untilObject,
} from './testing/driver-under-test.ts'

// What a flag of the node agent does, with the command as a user starts it, over HTTPS and as nothing more than its node.

const LIMIT = { timeout: 60_000 }
const NODE = 'node-1'
const DRIVER = 'd.example.com'
const ZONE = 'topology.example.com/zone'
const MANIFEST = join(import.meta.dirname, '../../examples/node/create-csidrivers.yaml')
const MANIFEST_OBJECTS = parseAllDocuments(readFileSync(MANIFEST, 'utf8')).map(
  (document) => document.toJS() as KubeObject,
)

const ATTACHING = {
  controllerPublishVolume: () => Promise.resolve({}),
  controllerUnpublishVolume: () => Promise.resolve({}),
}
const registeredAt = (api: Api, driver: string = DRIVER) =>
  untilObject(api, CSI_NODES, ({ spec }) => spec.drivers?.some(({ name }) => name === driver) ?? false)

async function applyManifest(api: Api): Promise<void> {
  for (const object of MANIFEST_OBJECTS) {
    const type = findResourceType(object)
    if (!type) throw new Error(`${object.kind} is not known`)
    await api.create(type, object, { fieldValidation: 'Strict' })
  }
}

async function openNode(context: TestContext, options: Partial<ApiServerOptions> = {}) {
  const server = await startTestServer(options)
  context.after(() => server[Symbol.asyncDispose]())
  const api = await connectTo(context, server.kubeconfigPath)
  const run = openCommands(context)
  const root = await openTestDirectory(context)
  const kubeconfig = join(server.directory, 'node.kubeconfig')
  await writeFile(kubeconfig, await server.kubeconfigFor(`system:node:${NODE}`, ['system:nodes']), { mode: 0o600 })
  const start = async (...flags: string[]): Promise<RunningCommand> => {
    const command = run(['node', `--name=${NODE}`, `--kubeconfig=${kubeconfig}`, `--root-dir=${root}`, ...flags])
    await command.untilOut(/^ready /)
    return command
  }
  return { api, root, start }
}

describe('holdfast node --create-csidrivers', () => {
  test(
    'S1-24, S1-25, H12: creates the CSIDriver of a driver that registers, with the rights of the example manifest',
    LIMIT,
    async (context) => {
      const { api, root, start } = await openNode(context)
      await applyManifest(api)
      await api.create(CSI_DRIVERS, {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSIDriver',
        metadata: { name: 'described.example.com' },
        spec: { attachRequired: false },
      })
      await start('--create-csidrivers')
      for (const name of [DRIVER, 'described.example.com']) {
        await serveNodeDriver(context, { root, name, handlers: ATTACHING })
        await registerNodeDriver(context, { root, name })
        await registeredAt(api, name)
      }
      const made = await untilObject(api, CSI_DRIVERS, ({ metadata }) => metadata.name === DRIVER)
      equal(made.spec.attachRequired, true)
      // One that is there stays as it is, though the driver says otherwise.
      equal((await api.get(CSI_DRIVERS, { name: 'described.example.com' })).spec.attachRequired, false)
    },
  )

  test('H12: without the right, the driver is registered and an event says what is missing', LIMIT, async (context) => {
    const { api, root, start } = await openNode(context)
    await start('--create-csidrivers')
    await serveNodeDriver(context, { root, name: DRIVER })
    await registerNodeDriver(context, { root, name: DRIVER })
    await registeredAt(api)
    const event = await untilObject(
      api,
      EVENTS,
      ({ involvedObject, message }) =>
        involvedObject.name === NODE && /failed to create the CSIDriver object/.test(message ?? ''),
    )
    match(event.message ?? '', /system:node:node-1.*cannot create resource.*csidrivers/)
  })

  test('H12: without the flag no CSIDriver is created, even with the right', LIMIT, async (context) => {
    const { api, root, start } = await openNode(context)
    await applyManifest(api)
    const command = await start()
    await serveNodeDriver(context, { root, name: DRIVER })
    await registerNodeDriver(context, { root, name: DRIVER })
    await registeredAt(api)
    await command.stop()
    deepEqual((await api.list(CSI_DRIVERS)).items, [])
  })

  test('H12: the example manifest gives what `up` gives its own nodes', () => {
    deepEqual(MANIFEST_OBJECTS, [CSI_DRIVER_CREATOR.role, CSI_DRIVER_CREATOR.binding])
  })
})

describe('holdfast node --probe-driver-sockets', () => {
  test(
    'S3-9, H30: a driver that never registered is used at plugins/NAME/csi.sock; without the flag it is not',
    LIMIT,
    async (context) => {
      const { api, root, start } = await openNode(context)
      await serveNodeDriver(context, { root, name: DRIVER })
      const blind = await start()
      // One that registers shows that the agent has looked.
      await serveNodeDriver(context, { root, name: 'registered.example.com' })
      await registerNodeDriver(context, { root, name: 'registered.example.com' })
      const seen = await registeredAt(api, 'registered.example.com')
      deepEqual(
        seen.spec.drivers?.map(({ name }) => name),
        ['registered.example.com'],
      )
      await blind.stop()
      await start('--probe-driver-sockets')
      await registeredAt(api)
    },
  )
})

describe('holdfast node --overwrite-topology-labels', () => {
  /** The driver moves from zone a to zone b. */
  const move = async (context: TestContext, ...flags: string[]) => {
    const { api, root, start } = await openNode(context)
    await start(...flags)
    const first = await serveNodeDriver(context, { root, name: DRIVER, topology: { [ZONE]: 'a' } })
    const registrar = await registerNodeDriver(context, { root, name: DRIVER })
    await registeredAt(api)
    equal((await api.get(NODES, { name: NODE })).metadata.labels?.[ZONE], 'a')
    await registrar.stop()
    await first.stop({ graceMs: 0 })
    await serveNodeDriver(context, { root, name: DRIVER, topology: { [ZONE]: 'b' } })
    await registerNodeDriver(context, { root, name: DRIVER })
    return { api, root }
  }

  test('S3-24, H21: lets a driver change the label that it wrote, and no label of others', LIMIT, async (context) => {
    const { api, root } = await move(context, '--overwrite-topology-labels', '--labels=example.com/rack=r1')
    await untilObject(api, NODES, ({ metadata }) => metadata.labels?.[ZONE] === 'b')
    await serveNodeDriver(context, { root, name: 'rack.example.com', topology: { 'example.com/rack': 'r2' } })
    await registerNodeDriver(context, { root, name: 'rack.example.com' })
    await untilObject(api, EVENTS, ({ message }) => /topology value collision.*example\.com\/rack/.test(message ?? ''))
    equal((await api.get(NODES, { name: NODE })).metadata.labels?.['example.com/rack'], 'r1')
  })

  test(
    'H21: a driver that reported the value of a label that was there has not written it; the record outlives the node agent',
    LIMIT,
    async (context) => {
      const { api, root, start } = await openNode(context)
      const flags = ['--overwrite-topology-labels', '--labels=example.com/rack=r1']
      const first = await start(...flags)
      const served = await serveNodeDriver(context, {
        root,
        name: DRIVER,
        topology: { 'example.com/rack': 'r1', [ZONE]: 'a' },
      })
      const registrar = await registerNodeDriver(context, { root, name: DRIVER })
      await registeredAt(api)
      await first.stop()
      await registrar.stop()
      await served.stop({ graceMs: 0 })
      const second = await serveNodeDriver(context, {
        root,
        name: DRIVER,
        topology: { 'example.com/rack': 'r1', [ZONE]: 'b' },
      })
      const again = await registerNodeDriver(context, { root, name: DRIVER })
      await start(...flags)
      await untilObject(api, NODES, ({ metadata }) => metadata.labels?.[ZONE] === 'b')
      await again.stop()
      await second.stop({ graceMs: 0 })
      await serveNodeDriver(context, { root, name: DRIVER, topology: { 'example.com/rack': 'r2', [ZONE]: 'b' } })
      await registerNodeDriver(context, { root, name: DRIVER })
      await untilObject(api, EVENTS, ({ message }) =>
        /topology value collision.*example\.com\/rack/.test(message ?? ''),
      )
      equal((await api.get(NODES, { name: NODE })).metadata.labels?.['example.com/rack'], 'r1')
    },
  )

  test('H21: without the flag a label with another value fails the registration', LIMIT, async (context) => {
    const { api } = await move(context)
    await untilObject(api, EVENTS, ({ message }) =>
      /topology value collision: driver reported ".*":"b" but existing label is ".*":"a"/.test(message ?? ''),
    )
    equal((await api.get(NODES, { name: NODE })).metadata.labels?.[ZONE], 'a')
  })
})

describe('holdfast apiserver --node-label-prefixes', () => {
  const KEY = 'topology.disk.csi.k8s.io/zone'

  test(
    'S3-148: an administrator allows the prefix of a driver below k8s.io; without that its registration is refused',
    LIMIT,
    async (context) => {
      const run = openCommands(context)
      const root = await openTestDirectory(context)
      for (const [index, flags] of [[], ['--node-label-prefixes=topology.disk.csi.k8s.io']].entries()) {
        const kubeconfig = join(root, `kubeconfig-${index}`)
        const server = run(['apiserver', '--in-memory', '--port=0', `--kubeconfig=${kubeconfig}`, ...flags])
        await server.untilOut(/^ready /)
        const api = await connectTo(context, kubeconfig)
        const rootDir = join(root, String(index))
        const node = run([
          'node',
          `--name=${NODE}`,
          '--impersonate',
          `--kubeconfig=${kubeconfig}`,
          `--root-dir=${rootDir}`,
        ])
        await node.untilOut(/^ready /)
        await serveNodeDriver(context, { root: rootDir, name: DRIVER, topology: { [KEY]: 'a' } })
        await registerNodeDriver(context, { root: rootDir, name: DRIVER })
        if (flags.length > 0) await untilObject(api, NODES, ({ metadata }) => metadata.labels?.[KEY] === 'a')
        else
          await untilObject(api, EVENTS, ({ message }) =>
            /not allowed to set the following labels: topology\.disk\.csi\.k8s\.io\/zone|error updating CSINode object.*topology\.disk/.test(
              message ?? '',
            ),
          )
        await node.stop()
        await server.stop()
      }
    },
  )

  test('a prefix that no label can have is a mistake', async (context) => {
    const command = startCommand(context, ['apiserver', '--in-memory', '--node-label-prefixes=a/b'])
    equal(await command.ended, 2)
    match(command.err(), /--node-label-prefixes: "a\/b": a lowercase RFC 1123 subdomain/)
  })
})

describe('holdfast up', () => {
  test(
    'S1-24, S3-9, S3-24, S3-148, H12, H21, H30: has the same flags for its nodes, and gives them the rights for as long as the flag is given',
    LIMIT,
    async (context) => {
      const run = openCommands(context)
      const data = await openClusterDirectory(context)
      const root = join(data, NODE)
      const first = run([
        'up',
        `--data=${data}`,
        '--create-csidrivers',
        '--probe-driver-sockets',
        '--overwrite-topology-labels',
        '--node-label-prefixes=disk.csi.k8s.io',
      ])
      await first.untilOut(/^ready/m)
      const api = await connectTo(context, join(data, 'kubeconfig'))
      await untilObject(api, CSI_DRIVERS, ({ metadata }) => metadata.name === 'hostpath.holdfast.dev')
      const served = await serveNodeDriver(context, { root, name: DRIVER, topology: { 'disk.csi.k8s.io/zone': 'a' } })
      await registeredAt(api)
      await untilObject(api, CSI_DRIVERS, ({ metadata }) => metadata.name === DRIVER)
      await served.stop({ graceMs: 0 })
      await serveNodeDriver(context, { root, name: DRIVER, topology: { 'disk.csi.k8s.io/zone': 'b' } })
      await untilObject(api, NODES, ({ metadata }) => metadata.labels?.['disk.csi.k8s.io/zone'] === 'b')
      equal(await first.stop(), 0)

      const second = run(['up', `--data=${data}`])
      await second.untilOut(/^ready/m)
      const again = await connectTo(context, join(data, 'kubeconfig'))
      deepEqual(
        (await again.list(CLUSTER_ROLES)).items.filter(
          ({ metadata }) => metadata.name === CSI_DRIVER_CREATOR.role.metadata.name,
        ),
        [],
      )
      equal(await second.stop(), 0)
    },
  )
})
