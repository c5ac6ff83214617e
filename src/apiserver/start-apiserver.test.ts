import { equal, match, rejects } from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { createSystemHost } from '../base/host/index.ts'
import { createSystemRandom } from '../base/random.ts'
import { writeAdminKubeconfig } from './start-apiserver.ts'
import { startTestServer } from './testing/start-test-server.ts'

describe('the kubeconfig of an administrator', () => {
  const parts = { machine: createSystemHost(), random: createSystemRandom() }

  test('replaces one that we have written before', async () => {
    await using server = await startTestServer()
    const path = join(server.directory, 'admin')
    await writeAdminKubeconfig(path, server, parts)
    await writeAdminKubeconfig(path, server, parts)
    match(await readFile(path, 'utf8'), /current-context: holdfast/)
  })

  test('never replaces a file that holds other clusters too', async () => {
    await using server = await startTestServer()
    const path = join(server.directory, 'merged')
    await writeAdminKubeconfig(path, server, parts)
    const merged = (await readFile(path, 'utf8')).replace('clusters:\n', 'clusters:\n  - name: prod\n    cluster: {server: https://prod}\n')
    await writeFile(path, merged)
    await rejects(writeAdminKubeconfig(path, server, parts), /holds more than holdfast has written/)
    match(await readFile(path, 'utf8'), /prod/)
  })

  test('never replaces a file that is no kubeconfig, unless it is empty', async () => {
    await using server = await startTestServer()
    const path = join(server.directory, 'other')
    for (const text of ['hello', '{"name": "package"}', 'clusters: []']) {
      await writeFile(path, text)
      await rejects(writeAdminKubeconfig(path, server, parts), /holds more than holdfast has written/)
      equal(await readFile(path, 'utf8'), text)
    }
    await writeFile(path, '')
    await writeAdminKubeconfig(path, server, parts)
  })
})

test('a data directory that holds something else is left alone', async () => {
  await using server = await startTestServer()
  const dataDirectory = join(server.directory, 'home')
  await mkdir(dataDirectory)
  await writeFile(join(dataDirectory, 'notes.txt'), 'mine')
  await rejects(startTestServer({ dataDirectory }), /holds notes.txt but no state of this server/)
})
