import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import type { Api } from '../src/api/api.ts'
import { EVENTS } from '../src/api/kinds/event.ts'
import { LEASES } from '../src/api/kinds/lease.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../src/api/kinds/persistent-volume-claim.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../src/api/kinds/rbac.ts'
import type { ClusterRole } from '../src/api/kinds/rbac.ts'
import { STORAGE_CLASSES } from '../src/api/kinds/storage-class.ts'
import { SYSTEM_USER } from '../src/apiserver/index.ts'
import { startTestServer } from '../src/apiserver/testing/start-test-server.ts'
import { startExample } from './run-example.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../docs/kubernetes-client.md'), 'utf8')
const USER = 'check-classes'
const claim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: 'default', name: 'data' },
  spec: { storageClassName: 'missing', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
} as const
const annotated = { ...claim, metadata: { ...claim.metadata, annotations: { 'example.com/missing-class': 'missing' } } }

test('check-classes decides from the claim and its class alone', async () => {
  await import('./use-source.ts')
  const { nextStep } = await import('./check-classes.ts')
  const ready = nextStep({ claim, hasClass: true })
  equal(ready.kind === 'wait' && ready.reason.code, 'ClassExists')
  deepEqual(nextStep({ claim, hasClass: false }), { kind: 'mark', className: 'missing' })
  deepEqual(nextStep({ claim: annotated, hasClass: true }), { kind: 'mark', className: null })
  const waiting = nextStep({ claim: annotated, hasClass: false })
  deepEqual(waiting.kind === 'wait' && waiting.reason.waitsFor, {
    kind: 'object',
    apiVersion: 'storage.k8s.io/v1',
    kindName: 'StorageClass',
    name: 'missing',
  })
})

test('with only the permissions on the page, check-classes leads, marks a claim until its class exists, and releases the lease', async (t) => {
  await using server = await startTestServer()
  const api = server.server.core.as(SYSTEM_USER)
  await grantRulesOfPage(api)
  const kubeconfig = join(server.directory, 'check-classes.kubeconfig')
  await writeFile(kubeconfig, await server.kubeconfigFor(USER, ['system:authenticated']), { mode: 0o600 })
  const example = startExample(t, 'check-classes.ts', [kubeconfig])
  await api.create(PERSISTENT_VOLUME_CLAIMS, claim)
  const untilMarked = async (isMarked: boolean): Promise<void> => {
    for await (const event of api.watch(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default', signal: t.signal })) {
      if (
        event.type !== 'BOOKMARK' &&
        (event.object.metadata.annotations?.['example.com/missing-class'] !== undefined) === isMarked
      )
        return
    }
  }
  await untilMarked(true)
  for await (const event of api.watch(EVENTS, { namespace: 'default', signal: t.signal })) {
    if (event.type !== 'ADDED') continue
    const { reason, message, involvedObject } = event.object
    equal(
      `${involvedObject.name} ${reason}: ${message}`,
      'data NoSuchClass: storageclass.storage.k8s.io "missing" not found. Create it.',
    )
    break
  }
  await api.create(STORAGE_CLASSES, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'missing' },
    provisioner: 'example.com/none',
  })
  await untilMarked(false)
  const { code, out } = await example.stop()
  equal(code, 0)
  match(out, /working\nstopping\nstopped\n$/)
  equal((await api.get(LEASES, { namespace: 'default', name: 'check-classes' })).spec?.holderIdentity ?? '', '')
})

test('docs/kubernetes-client.md shows exactly this file', () => {
  const source = readFileSync(join(import.meta.dirname, 'check-classes.ts'), 'utf8')
  ok(PAGE.includes(`\n\`\`\`ts\n${source}\`\`\`\n`))
})

async function grantRulesOfPage(api: Api): Promise<void> {
  const block = /^```yaml\n(rules:\n.*?)^```$/ms.exec(PAGE)?.[1] ?? ''
  const { rules } = parse(block) as Pick<ClusterRole, 'rules'>
  ok(rules)
  const metadata = { name: 'check-classes' }
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', ...metadata } as const
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: USER } as const]
  const apiVersion = 'rbac.authorization.k8s.io/v1'
  await api.create(CLUSTER_ROLES, { apiVersion, kind: 'ClusterRole', metadata, rules })
  await api.create(CLUSTER_ROLE_BINDINGS, { apiVersion, kind: 'ClusterRoleBinding', metadata, roleRef, subjects })
}
