import { equal, match, ok } from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { SYSTEM_USER } from '../apiserver/core/user.ts'
import { startTestServer } from '../apiserver/testing/start-test-server.ts'
import { claimOf, createOn } from '../testing/objects.ts'
import { startCommand } from './testing/cli-under-test.ts'

test('holdfast console serves the cluster of a kubeconfig on loopback, to the browser that opens its address', async (context) => {
  const server = await startTestServer()
  context.after(() => server[Symbol.asyncDispose]())
  const kubeconfig = join(server.directory, 'admin.kubeconfig')
  await writeFile(kubeconfig, await server.kubeconfigFor('admin', ['system:masters']), { mode: 0o600 })
  const api = server.server.core.as(SYSTEM_USER)
  await createOn(api, PERSISTENT_VOLUME_CLAIMS, claimOf({ namespace: 'default', name: 'data', className: 'fast' }))

  const running = startCommand(context, ['console', `--kubeconfig=${kubeconfig}`])
  await running.untilOut(/^ready /)
  const address = new URL(/^ready (\S+);/.exec(running.out())?.[1] ?? '')
  equal(address.hostname, '127.0.0.1')
  const admitted = await fetch(address, { redirect: 'manual' })
  equal(admitted.status, 303)
  const [cookie = ''] = (admitted.headers.get('set-cookie') ?? '').split(';')
  const object = await fetch(new URL('/object?target=pvc/default/data', address), { headers: { cookie } })
  const text = await object.text()
  match(text, /storageclass\.storage\.k8s\.io \\"fast\\" not found/)
  ok(!text.includes('PRIVATE KEY'))
  equal(await running.stop(), 0)
})
