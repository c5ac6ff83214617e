import { deepEqual } from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../api/api.ts'
import { CSI_NODES } from '../api/kinds/csi-node.ts'
import { NODES } from '../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import { STORAGE_CLASSES } from '../api/kinds/storage-class.ts'
import { SYSTEM_USER } from '../apiserver/core/user.ts'
import { applyManifest } from '../apiserver/testing/apply-manifest.ts'
import { SIDECAR_USER } from '../apiserver/testing/shipped-identity.ts'
import { startTestServer } from '../apiserver/testing/start-test-server.ts'
import type { TestServer } from '../apiserver/testing/start-test-server.ts'
import { createSilentLogger } from '../base/logger.ts'
import { defineDriver } from '../csi/kit/index.ts'
import { openTestDirectory } from '../csi/testing/open-test-directory.ts'
import { serveTest } from '../csi/testing/start-test-driver.ts'
import { claimOf, classOf, createOn, nodeOf } from '../testing/objects.ts'
import { startCommand } from './testing/cli-under-test.ts'

// The program itself, with its flags, on a real server and a real socket, with the rights of the shipped manifest: which places it asks for.

const ZONE = 'example.com/zone'

let server: TestServer
let api: Api
let kubeconfig: string
before(async () => {
  server = await startTestServer()
  api = server.server.core.as(SYSTEM_USER)
  await applyManifest(api, 'examples/sidecar/rbac.yaml')
  kubeconfig = join(server.directory, 'provisioner.kubeconfig')
  await writeFile(kubeconfig, await server.kubeconfigFor(SIDECAR_USER.name, SIDECAR_USER.groups), { mode: 0o600 })
  for (const zone of ['a', 'b', 'c'])
    await createOn(api, NODES, nodeOf(`node-${zone}`, { metadata: { labels: { [ZONE]: zone } } }))
})
after(() => server[Symbol.asyncDispose]())

type Asked = { readonly requisite: string[]; readonly preferred: string[] } | 'anywhere'

/** Runs the program with these flags, makes one claim after the other, and tells which places each was asked for in. */
async function placesAskedFor(
  context: TestContext,
  driver: string,
  flags: readonly string[],
  claims: readonly { name: string; node?: string }[],
): Promise<Asked[]> {
  const asked: Asked[] = []
  const path = join(await openTestDirectory(context), 'csi.sock')
  const zones = (list: readonly { segments: Record<string, string> }[]): string[] =>
    list.map(({ segments }) => segments[ZONE] ?? '')
  await serveTest(
    context,
    path,
    defineDriver(
      { name: driver, version: '1', features: { topology: true } },
      {
        handlers: {
          createVolume: ({ name, capacityRange, accessibilityRequirements: where }) => {
            asked.push(where ? { requisite: zones(where.requisite), preferred: zones(where.preferred) } : 'anywhere')
            return Promise.resolve({
              volume: {
                volumeId: name,
                capacityBytes: capacityRange?.requiredBytes ?? 0n,
                accessibleTopology: where?.requisite.slice(0, 1) ?? [{ segments: { [ZONE]: 'a' } }],
              },
            })
          },
          deleteVolume: () => Promise.resolve({}),
        },
        log: createSilentLogger(),
      },
    ),
  )
  // The driver is on every node, as one more beside those of other tests.
  for (const zone of ['a', 'b', 'c']) {
    const name = `node-${zone}`
    const entry = { name: driver, nodeID: name, topologyKeys: [ZONE] }
    await api
      .create(CSI_NODES, {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSINode',
        metadata: { name },
        spec: { drivers: [entry] },
      })
      .catch(async () => {
        const { spec } = await api.get(CSI_NODES, { name })
        await api.patch(
          CSI_NODES,
          { name },
          { type: 'merge', value: { spec: { drivers: [...(spec.drivers ?? []), entry] } } },
        )
      })
  }
  await createOn(api, STORAGE_CLASSES, classOf({ provisioner: driver }, driver))
  const command = startCommand(context, [
    'csi-provisioner',
    `--csi-address=${path}`,
    `--kubeconfig=${kubeconfig}`,
    ...flags,
  ])
  await command.untilOut(/^ready/m)
  for (const { name, node } of claims) {
    const annotations = {
      'volume.kubernetes.io/storage-provisioner': driver,
      ...(node ? { 'volume.kubernetes.io/selected-node': node } : {}),
    }
    const own = {
      name: `${driver.replace(/\..*/, '')}-${name}`,
      size: '1Mi',
      className: driver,
      metadata: { annotations },
    }
    const claim = await createOn(api, PERSISTENT_VOLUME_CLAIMS, claimOf(own))
    for await (const event of api.watch(PERSISTENT_VOLUMES, { signal: context.signal }))
      if (event.type === 'ADDED' && event.object.spec.claimRef?.uid === claim.metadata.uid) break
  }
  return asked
}

const LIMIT = { timeout: 30_000 }
const ALL = ['a', 'b', 'c']
const PLAIN = { name: 'data' }
const OF_SET = Array.from({ length: 4 }, (_, ordinal) => ({ name: `data-web-${ordinal}` }))
const ON_B = { name: 'chosen', node: 'node-b' }

test(
  'S3-46: with --preferred-topology=ordinal a claim without a selected node is made with no preferred place, unless it is one of a StatefulSet',
  LIMIT,
  async (context) => {
    const asked = await placesAskedFor(
      context,
      'ordinal.example.com',
      ['--preferred-topology=ordinal'],
      [PLAIN, ...OF_SET, ON_B],
    )
    deepEqual(
      asked,
      [[], ['a', 'b', 'c'], ['b', 'c', 'a'], ['c', 'a', 'b'], ['a', 'b', 'c'], ['b', 'c', 'a']].map((preferred) => ({
        requisite: ALL,
        preferred,
      })),
    )
  },
)

test(
  'S3-58: the places of a StatefulSet’s volumes are spread with the Topology gate, and no place is asked for without it',
  LIMIT,
  async (context) => {
    const spread = await placesAskedFor(context, 'on.example.com', ['--feature-gates=Topology=true'], OF_SET)
    deepEqual(
      spread.map((asked) => asked !== 'anywhere' && asked.preferred[0]),
      ['a', 'b', 'c', 'a'],
    )
    deepEqual(
      await placesAskedFor(context, 'off.example.com', ['--feature-gates=Topology=false'], [...OF_SET, ON_B]),
      Array.from({ length: 5 }, () => 'anywhere'),
    )
  },
)
