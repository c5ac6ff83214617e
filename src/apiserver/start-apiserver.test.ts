import { deepEqual, equal, match, rejects } from 'node:assert/strict'
import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { createSystemHost } from '../base/host/index.ts'
import { createSystemRandom } from '../base/random.ts'
import { SECRETS } from '../api/kinds/secret.ts'
import { SYSTEM_USER } from './core/user.ts'
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
    const merged = (await readFile(path, 'utf8')).replace(
      'clusters:\n',
      'clusters:\n  - name: prod\n    cluster: {server: https://prod}\n',
    )
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

test('secrets cannot be read from the disk, survive a restart, and are lost to a server with another key', async () => {
  await using place = await startTestServer()
  const dataDirectory = join(place.directory, 'sealed')
  const first = await startTestServer({ dataDirectory })
  const api = first.server.core.as(SYSTEM_USER)
  const ref = { namespace: 'default', name: 'treasure' }
  const data = { password: Buffer.from('correct horse battery').toString('base64') }
  await api.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: ref, data })
  await first[Symbol.asyncDispose]()
  for (const name of ['state.db', 'state.db-wal']) {
    const bytes = await readFile(join(dataDirectory, name)).catch(() => Buffer.alloc(0))
    equal(bytes.includes(data.password), false, name)
  }
  const second = await startTestServer({ dataDirectory })
  deepEqual((await second.server.core.as(SYSTEM_USER).get(SECRETS, ref)).data, data)
  await second[Symbol.asyncDispose]()
  const keys = join(dataDirectory, 'pki/encryption-keys')
  equal((await stat(keys)).mode & 0o777, 0o600)
  await rm(keys)
  await rejects(startTestServer({ dataDirectory }), /secrets\/default\/treasure is encrypted with the key "key-/)
})

test('a data directory that others may enter is closed to them', async () => {
  await using place = await startTestServer()
  const dataDirectory = join(place.directory, 'open')
  const first = await startTestServer({ dataDirectory })
  await first[Symbol.asyncDispose]()
  for (const name of ['', 'state.db', 'state.db-acknowledged', 'pki'])
    await chmod(join(dataDirectory, name), name.includes('.') ? 0o644 : 0o755)
  await using _second = await startTestServer({ dataDirectory })
  for (const name of ['', 'state.db', 'state.db-acknowledged', 'pki'])
    equal((await stat(join(dataDirectory, name))).mode & 0o077, 0, name)
})

test('a server whose certificate authority lost its key does not start with a new one', async () => {
  await using place = await startTestServer()
  const dataDirectory = join(place.directory, 'lost')
  const first = await startTestServer({ dataDirectory })
  await first[Symbol.asyncDispose]()
  const certificate = await readFile(join(dataDirectory, 'pki/ca.crt'), 'utf8')
  await rm(join(dataDirectory, 'pki/ca.key'))
  await rejects(
    startTestServer({ dataDirectory }),
    /holds keys of this server, but not ca\.key: restore what is missing from a backup/,
  )
  equal(await readFile(join(dataDirectory, 'pki/ca.crt'), 'utf8'), certificate)
})
