import { deepEqual, equal, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startExample } from './run-example.ts'

test('api-in-process asks a server without a network, as two users', async (t) => {
  const { code, out, err } = await startExample(t, 'api-in-process.ts').ended
  equal(err, '')
  deepEqual(out.split('\n'), [
    'admin sees 0 claims',
    'persistentvolumeclaims is forbidden: User "jane" cannot list resource "persistentvolumeclaims" in API group "" at the cluster scope',
    '',
  ])
  equal(code, 0)
})

test('docs/kubernetes-client.md shows exactly this file', () => {
  const source = readFileSync(join(import.meta.dirname, 'api-in-process.ts'), 'utf8')
  ok(
    readFileSync(join(import.meta.dirname, '../docs/kubernetes-client.md'), 'utf8').includes(
      `\n\`\`\`ts\n${source}\`\`\`\n`,
    ),
  )
})
