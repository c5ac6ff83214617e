import { equal, match, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { EVENTS } from '../src/api/kinds/event.ts'
import { LEASES } from '../src/api/kinds/lease.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../src/api/kinds/persistent-volume-claim.ts'
import { SYSTEM_USER } from '../src/apiserver/index.ts'
import { startTestServer } from '../src/apiserver/testing/start-test-server.ts'
import { startExample } from './run-example.ts'

test('check-classes leads, says what is wrong with a claim, and gives the lease back', async (t) => {
  await using server = await startTestServer()
  const api = server.server.core.as(SYSTEM_USER)
  const example = startExample(t, 'check-classes.ts', [server.kubeconfigPath])
  equal(await example.firstLine, 'leading')
  await api.create(PERSISTENT_VOLUME_CLAIMS, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'default', name: 'data' },
    spec: { storageClassName: 'missing', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  })
  for await (const event of api.watch(EVENTS, { namespace: 'default', signal: t.signal })) {
    if (event.type !== 'ADDED') continue
    const { reason, message, involvedObject } = event.object
    equal(`${involvedObject.name} ${reason}: ${message}`, 'data NoSuchClass: there is no storage class missing')
    break
  }
  const { code, out } = await example.stop()
  equal(code, 0)
  match(out, /^leading\nstopped\n$/)
  equal((await api.get(LEASES, { namespace: 'default', name: 'check-classes' })).spec?.holderIdentity ?? '', '')
})

test('docs/kubernetes-client.md shows exactly this file', () => {
  const source = readFileSync(join(import.meta.dirname, 'check-classes.ts'), 'utf8')
  ok(readFileSync(join(import.meta.dirname, '../docs/kubernetes-client.md'), 'utf8').includes(`\n\`\`\`ts\n${source}\`\`\`\n`))
})
