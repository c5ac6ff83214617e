import { deepEqual, match, rejects } from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { Api } from '../api/api.ts'
import { VOLUME_SNAPSHOT_CONTENTS } from '../api/kinds/volume-snapshot.ts'
import type { VolumeSnapshotContent } from '../api/kinds/volume-snapshot.ts'
import { createSystemClock } from '../base/clock.ts'
import { createSystemHost } from '../base/host/index.ts'
import { createSystemRandom } from '../base/random.ts'
import { connectApi } from '../kube/client/connect-api.ts'
import { loadKubeconfig } from '../kube/client/credentials.ts'
import { applyYaml } from '../kube/client/apply-yaml.ts'
import { openTestCore } from './testing/open-test-core.ts'
import { startTestServer } from './testing/start-test-server.ts'
import type { TestServer } from './testing/start-test-server.ts'

const HAS_KUBECTL = spawnSync('kubectl', ['version', '--client']).status === 0
const run = promisify(execFile)

const TIME = 1_893_456_000_123_456_789n
const MOST = 9_223_372_036_854_775_807n

const contentOf = (name: string): VolumeSnapshotContent => ({
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshotContent',
  metadata: { name },
  spec: {
    driver: 'd',
    deletionPolicy: 'Delete',
    source: { snapshotHandle: 'h' },
    volumeSnapshotRef: { namespace: 'default', name: 's' },
  },
})
const writeStatus = (api: Api, name: string, status: object): Promise<VolumeSnapshotContent> =>
  api.patch(VOLUME_SNAPSHOT_CONTENTS, { name }, { type: 'merge', value: { status } }, { subresource: 'status' })

/** Every way to write and read an object keeps all digits. */
async function keepDigits(api: Api, name: string): Promise<void> {
  const ref = { name }
  await api.create(VOLUME_SNAPSHOT_CONTENTS, contentOf(name))
  const { resourceVersion } = await api.list(VOLUME_SNAPSHOT_CONTENTS)
  const patched = await writeStatus(api, name, { creationTime: TIME, restoreSize: 5 })
  deepEqual(patched.status, { creationTime: TIME, restoreSize: 5 })
  deepEqual((await api.get(VOLUME_SNAPSHOT_CONTENTS, ref)).status, { creationTime: TIME, restoreSize: 5 })
  // A write that does not touch the field keeps it, as an update and as a patch.
  const seen = await api.get(VOLUME_SNAPSHOT_CONTENTS, ref)
  await api.update(VOLUME_SNAPSHOT_CONTENTS, { ...seen, metadata: { ...seen.metadata, labels: { a: 'b' } } })
  await api.patch(
    VOLUME_SNAPSHOT_CONTENTS,
    ref,
    {
      type: 'json',
      operations: [
        { op: 'test', path: '/status/creationTime', value: TIME },
        { op: 'replace', path: '/status/restoreSize', value: MOST },
      ],
    },
    { subresource: 'status' },
  )
  const [listed] = (await api.list(VOLUME_SNAPSHOT_CONTENTS, { fieldSelector: `metadata.name=${name}` })).items
  deepEqual(listed?.status, { creationTime: TIME, restoreSize: MOST })
  await rejects(
    api.patch(
      VOLUME_SNAPSHOT_CONTENTS,
      ref,
      { type: 'json', operations: [{ op: 'test', path: '/status/creationTime', value: TIME + 1n }] },
      { subresource: 'status' },
    ),
  )
  const stopping = new AbortController()
  for await (const event of api.watch(VOLUME_SNAPSHOT_CONTENTS, {
    resourceVersion,
    signal: stopping.signal,
  })) {
    if (event.type !== 'MODIFIED' || event.object.metadata.name !== name) continue
    deepEqual(event.object.status, { creationTime: TIME, restoreSize: 5 })
    break
  }
  stopping.abort()
  // The rules of the schema also apply to long numbers.
  await rejects(writeStatus(api, name, { restoreSize: -MOST }), /should be greater than or equal to 0/)
  await rejects(writeStatus(api, name, { readyToUse: TIME }), /must be of type boolean: "integer"/)
}

test('in process, an integer of 64 bits keeps its digits', async (context) => {
  const { api } = await openTestCore(context)
  await keepDigits(api, 'one')
})

test('where no integer belongs, a long one is refused like any other value', async (context) => {
  const { api } = await openTestCore(context)
  const refused: [value: object, code: number][] = [
    [{ apiVersion: { long: MOST } }, 400],
    [{ kind: { long: MOST } }, 400],
    [{ metadata: { name: MOST } }, 400],
    [{ spec: { driver: MOST } }, 422],
  ]
  for (const [value, code] of refused)
    await rejects(api.create(VOLUME_SNAPSHOT_CONTENTS, { ...contentOf('refused'), ...value }), { code })
})

test('an applied integer of 64 bits keeps its digits', async (context) => {
  const { api } = await openTestCore(context)
  await api.create(VOLUME_SNAPSHOT_CONTENTS, contentOf('applied'))
  const value = { ...contentOf('applied'), status: { creationTime: TIME } }
  const patch = { type: 'apply', value } as const
  const options = { fieldManager: 'one', subresource: 'status' }
  deepEqual((await api.patch(VOLUME_SNAPSHOT_CONTENTS, { name: 'applied' }, patch, options)).status, {
    creationTime: TIME,
  })
})

describe('over HTTPS', () => {
  let server: TestServer
  before(async () => {
    server = await startTestServer()
  })
  after(() => server[Symbol.asyncDispose]())

  const connect = async () => {
    const [clock, random, host] = [createSystemClock(), createSystemRandom(), createSystemHost()]
    const credentials = await loadKubeconfig({ path: server.kubeconfigPath, parts: { host, clock, env: {} } })
    return connectApi({ credentials, clock, random, userAgent: 'test' })
  }

  test('an integer of 64 bits keeps its digits, and in a manifest too', async (context) => {
    const connection = await connect()
    context.after(() => connection.close())
    await keepDigits(connection.api, 'wire')
    const widget = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties: {size: {type: integer, format: int64, x-kubernetes-validations: [{rule: self == oldSelf, message: fixed}]}}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: big}
size: ${TIME}
`
    const [, applied] = await applyYaml(connection.api, widget)
    deepEqual(Object.entries(applied?.object ?? {}).at(-1), ['size', TIME])
    // A rule detects a difference of one.
    await rejects(applyYaml(connection.api, widget.replace(String(TIME), String(TIME + 1n))), /fixed/)
  })

  test(
    'kubectl reads and writes every digit, as JSON, YAML and table',
    { skip: HAS_KUBECTL ? false : 'there is no kubectl on PATH' },
    async () => {
      const kubectl = async (...words: string[]): Promise<string> =>
        (
          await run('kubectl', words, {
            env: { ...process.env, KUBECONFIG: server.kubeconfigPath, HOME: server.directory },
          })
        ).stdout
      const file = join(server.directory, 'content.yaml')
      await writeFile(file, JSON.stringify(contentOf('shown')))
      await kubectl('apply', '-f', file)
      const status = JSON.stringify({ status: { creationTime: 0, restoreSize: 1 } })
        .replace('0', String(TIME))
        .replace(':1}', `:${MOST}}`)
      await kubectl('patch', 'vsc', 'shown', '--subresource=status', '--type=merge', '-p', status)
      match(await kubectl('get', 'vsc', 'shown', '-o', 'yaml'), new RegExp(`creationTime: ${TIME}`))
      match(await kubectl('get', 'vsc', 'shown', '-o', 'json'), new RegExp(`"restoreSize": ${MOST}`))
      match(await kubectl('get', 'vsc', 'shown'), new RegExp(String(MOST)))
      match(
        await kubectl('get', '--raw', '/apis/snapshot.storage.k8s.io/v1/volumesnapshotcontents/shown?pretty=true'),
        new RegExp(`"creationTime": ${TIME}`),
      )
    },
  )
})
