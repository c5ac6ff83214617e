import { equal, match, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { PERSISTENT_VOLUME_CLAIMS } from '../src/api/kinds/persistent-volume-claim.ts'
import { SYSTEM_USER } from '../src/apiserver/index.ts'
import { startTestServer } from '../src/apiserver/testing/start-test-server.ts'
import { startExample } from './run-example.ts'

const claim = (name: string) =>
  ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'default', name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }) as const

test('watch-claims tells the claims of the server that its kubeconfig names, and ends when it is told to', async (t) => {
  await using server = await startTestServer()
  await server.server.core.as(SYSTEM_USER).create(PERSISTENT_VOLUME_CLAIMS, claim('data'))
  const example = startExample(t, 'watch-claims.ts', [server.kubeconfigPath])
  equal(await example.firstLine, 'default/data Pending')
  const { code, out, err } = await example.stop()
  equal(err, '')
  equal(code, 0)
  match(out, /^following 1 claims of https:\/\/127\.0\.0\.1:\d+\/$/m)
})

test('README.md shows exactly this file', () => {
  const source = readFileSync(join(import.meta.dirname, 'watch-claims.ts'), 'utf8')
  ok(readFileSync(join(import.meta.dirname, '../README.md'), 'utf8').includes(`\n\`\`\`ts\n${source}\`\`\`\n`))
})
