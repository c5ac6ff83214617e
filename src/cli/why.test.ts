import { deepEqual, equal, match } from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { parse } from 'yaml'
import type { Api } from '../api/api.ts'
import { NAMESPACES } from '../api/kinds/namespace.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import { ROLE_BINDINGS } from '../api/kinds/rbac.ts'
import { SYSTEM_USER } from '../apiserver/core/user.ts'
import { startTestServer } from '../apiserver/testing/start-test-server.ts'
import type { TestServer } from '../apiserver/testing/start-test-server.ts'
import type { Explanation } from '../explain/index.ts'
import { claimOf, createOn } from '../testing/objects.ts'
import { startCommand } from './testing/cli-under-test.ts'

let server: TestServer
let api: Api
let kubeconfig: string
let viewer: string
before(async () => {
  server = await startTestServer()
  api = server.server.core.as(SYSTEM_USER)
  kubeconfig = join(server.directory, 'admin.kubeconfig')
  viewer = join(server.directory, 'viewer.kubeconfig')
  await writeFile(kubeconfig, await server.kubeconfigFor('admin', ['system:masters']), { mode: 0o600 })
  await writeFile(viewer, await server.kubeconfigFor('anna', ['system:authenticated']), { mode: 0o600 })
  await api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } })
  await createOn(api, PERSISTENT_VOLUME_CLAIMS, claimOf({ namespace: 'shop', name: 'data', className: 'fast' }))
  const volume = await api.create(PERSISTENT_VOLUMES, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'spare' },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/spare' } },
  })
  await api.update(PERSISTENT_VOLUMES, { ...volume, status: { phase: 'Available' } }, { subresource: 'status' })
  await api.create(ROLE_BINDINGS, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { namespace: 'shop', name: 'viewers' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'anna' }],
  })
})
after(() => server[Symbol.asyncDispose]())

async function why(context: TestContext, ...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const running = startCommand(context, ['why', ...words], { env: { KUBECONFIG: kubeconfig } })
  const code = await running.ended
  return { code, out: running.out(), err: running.err() }
}

const SENTENCE =
  'Claim data is waiting for StorageClass fast: storageclass.storage.k8s.io "fast" not found. Create it, or create a volume of that class.'

describe('holdfast why', () => {
  test('ends with 3 when something waits', async (context) => {
    const { code, out, err } = await why(context, 'pvc/data', '-n', 'shop')
    deepEqual([code, err], [3, ''])
    equal(out.split('\n')[0], SENTENCE)
  })

  test('ends with 0 when nothing does', async (context) => {
    deepEqual(await why(context, 'pv', 'spare'), {
      code: 0,
      err: '',
      out: 'Volume spare is available and is not bound to a claim.\n\nPersistentVolume/spare  Available\n',
    })
  })

  test('gives the same as JSON', async (context) => {
    const { code, out } = await why(context, 'pvc/data', '--namespace=shop', '--json')
    const { sentence, isReady, cause, chain } = JSON.parse(out) as Explanation
    deepEqual(
      [code, sentence, isReady, cause?.code, chain.dependsOn[0]?.state],
      [3, SENTENCE, false, 'StorageClassMissing', 'absent'],
    )
  })

  test('what is not there ends with 1', async (context) => {
    deepEqual(await why(context, 'pvc/data'), {
      code: 1,
      out: '',
      err: 'holdfast: PersistentVolumeClaim data in namespace default does not exist\n',
    })
  })

  test('what is no object ends with 2', async (context) => {
    const { code, err } = await why(context, 'service/web')
    equal(code, 2)
    match(err, /^holdfast: unknown kind "service"; there are pod /)
  })

  test('a server that is not there ends with 1', async (context) => {
    const { code, out } = await why(context, 'pvc/data', '--kubeconfig=/does/not/exist')
    deepEqual([code, out], [1, ''])
  })

  test('a viewer of one namespace is told what could not be seen', async (context) => {
    const { code, out } = await why(context, 'pvc/data', '-n', 'shop', `--kubeconfig=${viewer}`)
    equal(code, 3)
    match(out, /^Claim data is waiting for StorageClass fast: you are not allowed to read it\./)
    match(
      out,
      /\nNot visible, so the answer may be incomplete:\n {2}StorageClass\/fast: you may not get storageclasses\.storage\.k8s\.io\n/,
    )
  })

  test('and may not ask about what is not his', async (context) => {
    deepEqual(await why(context, 'pv/spare', `--kubeconfig=${viewer}`), {
      code: 1,
      out: '',
      err: 'holdfast: you are not allowed to read PersistentVolume spare\n',
    })
  })

  test('without an object, lists what is waiting in all namespaces by cause', async (context) => {
    const { code, out, err } = await why(context)
    deepEqual([code, err], [3, ''])
    equal(out, `1 object is waiting.\n\n${SENTENCE}\n  PersistentVolumeClaim/shop/data  Pending\n`)
    deepEqual(await why(context, '-A'), { code, out, err })
  })

  test('without an object and with a namespace, lists only that one', async (context) => {
    deepEqual(await why(context, '-n', 'default'), { code: 0, out: 'Nothing is waiting.\n', err: '' })
  })

  test('prints YAML with the members of the JSON form', async (context) => {
    const { out } = await why(context, 'pvc/data', '-n', 'shop', '-o', 'yaml')
    const json = await why(context, 'pvc/data', '-n', 'shop', '-o', 'json')
    deepEqual(parse(out), JSON.parse(json.out))
  })

  test('takes a context, and several files in KUBECONFIG', async (context) => {
    const list = `/does/not/exist:${viewer}:${kubeconfig}`
    const running = startCommand(context, ['why', 'pv/spare'], { env: { KUBECONFIG: list } })
    // The first file that exists has the current context.
    equal(await running.ended, 1)
    match(running.err(), /you are not allowed to read PersistentVolume spare/)
    const { code, err } = await why(context, 'pv/spare', '--context=nope')
    equal(code, 1)
    match(err, /admin\.kubeconfig has no context named "nope"/)
  })

  test('refuses -A with an object', async (context) => {
    const { code, err } = await why(context, 'pv/spare', '-A')
    equal(code, 2)
    match(err, /-A lists what is waiting in all namespaces/)
  })
})
