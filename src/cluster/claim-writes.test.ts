import { deepEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import { STORAGE_CLASSES } from '../api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../api/kinds/volume-attachment.ts'
import { SIDECAR_USER } from '../apiserver/testing/shipped-identity.ts'
import { classOf, createOn } from '../testing/objects.ts'
import { createClaim, createPod, deletePod, getPod, NAMESPACE } from './testing/describe-cluster.ts'
import { CONTROLLERS, openSeparateParts } from './testing/describe-separate-parts.ts'

const DRIVER = 'a.example.com'
const ACTORS = new Map([
  [CONTROLLERS.name, 'controllers'],
  [SIDECAR_USER.name, 'sidecar'],
  ['system:node:node-1', 'node'],
])
const PAGE = join(import.meta.dirname, '../../docs/design/api-writes.md')

/** The first two columns of the table under this heading: `controllers: patch pods/status`. */
function writesOnPage(heading: string): string[] {
  const section = readFileSync(PAGE, 'utf8')
    .split(/^## /m)
    .find((text) => text.startsWith(`${heading}\n`))
  return Array.from(
    section?.matchAll(/^\| (controllers|sidecar|node) \| `([^`]+)` \|/gm) ?? [],
    ([, actor, request]) => `${actor}: ${request}`,
  )
}

const isRead = (request: string): boolean => / (get|list|watch) /.test(request)
const named = (request: string): string => {
  const [user = '', ...words] = request.split(' ')
  return `${ACTORS.get(user) ?? user}: ${words.join(' ')}`
}

test('one claim with a pod takes exactly the writes that the page lists, until it is mounted and until nothing is left', async (context) => {
  const parts = await openSeparateParts(context, { drivers: [DRIVER] })
  const { api, until, advance, requests } = parts
  await parts.startControllers()
  await parts.startSidecar(DRIVER)
  await parts.startNode('node-1')
  await createOn(api, STORAGE_CLASSES, classOf({ provisioner: DRIVER }, 'fast'))
  await advance(2000)
  const writesSince = (start: number): string[] =>
    requests
      .slice(start)
      .filter((each) => !isRead(each))
      .map(named)

  const created = requests.length
  await createClaim(api, 'data', { storageClassName: 'fast' })
  await createPod(api, 'web', 'data')
  await until('the pod runs', async () => (await getPod(api, 'web')).status?.phase === 'Running')
  // Events are sent late.
  await advance(2000)
  deepEqual(writesSince(created).sort(), writesOnPage('Until the volume is mounted').sort())

  const deleted = requests.length
  await deletePod(api, 'web')
  await api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: 'data' })
  await until('nothing is left', async () => {
    const [volumes, attachments] = [await api.list(PERSISTENT_VOLUMES), await api.list(VOLUME_ATTACHMENTS)]
    return volumes.items.length + attachments.items.length === 0
  })
  await advance(2000)
  deepEqual(writesSince(deleted).sort(), writesOnPage('Until nothing is left').sort())
})
