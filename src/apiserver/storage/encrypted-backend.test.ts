import { deepEqual, equal, match, rejects, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSimulatedHost } from '../../base/host/index.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { createSeededRandom } from '../../base/random.ts'
import type { Backend, BackendChange } from './backend.ts'
import { createEncryptedBackend } from './encrypted-backend.ts'
import { loadEncryptionKeys, parseEncryptionKeys } from './encryption-keys.ts'

const PATH = '/encryption-keys'
const KEY = Buffer.alloc(32, 7).toString('base64')
const OTHER = Buffer.alloc(32, 8).toString('base64')
const secret = (key: string, revision: number, json = '{"data":"treasure"}'): BackendChange => ({
  storage: 'secrets',
  key,
  revision,
  json,
})

/** A disk that remembers rows, and shows what was written. */
function createDisk() {
  const rows = new Map<string, { storage: string; key: string; revision: number; json: string }>()
  const backend: Backend = {
    load: () =>
      Promise.resolve({
        revision: Math.max(0, ...[...rows.values()].map(({ revision }) => revision)),
        objects: [...rows.values()],
        lastRevisions: new Map(),
      }),
    commit: (changes) => {
      for (const { storage, key, revision, json } of changes)
        if (json === undefined) rows.delete(key)
        else rows.set(key, { storage, key, revision, json })
      return Promise.resolve()
    },
    close: () => Promise.resolve(),
  }
  const { files } = createSimulatedHost({ random: createSeededRandom(1) })
  const open = async (): Promise<Backend> =>
    createEncryptedBackend(backend, {
      keys: await loadEncryptionKeys(files, PATH, createSeededRandom(rows.size + 2)),
      storages: new Set(['secrets']),
      random: createSeededRandom(3),
      log: createSilentLogger(),
    })
  const load = async () => [...(await (await open()).load()).objects].map(({ key, json }) => `${key} ${json}`)
  const writeKeys = (text: string): Promise<void> => files.writeFile(PATH, new TextEncoder().encode(text))
  return { rows, backend, files, open, load, writeKeys }
}

describe('encryption at rest', () => {
  test('secrets are not readable on disk, and other objects are as before', async () => {
    const disk = createDisk()
    const backend = await disk.open()
    await backend.load()
    await backend.commit([secret('a/b', 1), { storage: 'configmaps', key: 'c', revision: 2, json: '{"data":"open"}' }])
    match(disk.rows.get('a/b')?.json ?? '', /^k8s:enc:aesgcm:v1:key-[0-9a-f]{8}:[A-Za-z0-9+/=]+$/)
    equal(disk.rows.get('c')?.json, '{"data":"open"}')
    deepEqual(await disk.load(), ['a/b {"data":"treasure"}', 'c {"data":"open"}'])
    equal((await disk.files.findStat(PATH))?.mode, 0o600)
  })

  test('plain text from before is encrypted at the start, with its revision', async () => {
    const disk = createDisk()
    await disk.backend.commit([secret('a/b', 7)])
    deepEqual(await disk.load(), ['a/b {"data":"treasure"}'])
    const row = disk.rows.get('a/b')
    deepEqual([row?.revision, row?.json.includes('treasure')], [7, false])
    deepEqual(await disk.load(), ['a/b {"data":"treasure"}'])
  })

  test('a new key in the first line encrypts everything at the next start, after which the old one can go', async () => {
    const disk = createDisk()
    await disk.writeKeys(`old:${KEY}\n`)
    await disk.backend.commit([secret('a/b', 1)])
    await disk.load()
    await disk.writeKeys(`# rotated\nnew:${OTHER}\nold:${KEY}\n`)
    await disk.load()
    match(disk.rows.get('a/b')?.json ?? '', /^k8s:enc:aesgcm:v1:new:/)
    await disk.writeKeys(`new:${OTHER}\n`)
    deepEqual(await disk.load(), ['a/b {"data":"treasure"}'])
  })

  test('without its key, or with a wrong one, the start fails and changes nothing', async () => {
    const disk = createDisk()
    await disk.writeKeys(`one:${KEY}\n`)
    await disk.backend.commit([secret('a/b', 1)])
    await disk.load()
    const stored = disk.rows.get('a/b')
    await disk.files.removeFile(PATH)
    await rejects(
      disk.load(),
      /^Error: secrets\/a\/b is encrypted with the key "one", which \/encryption-keys does not have: restore/,
    )
    equal(await disk.files.findStat(PATH), undefined)
    await disk.writeKeys(`one:${OTHER}\n`)
    await rejects(disk.load(), /^Error: secrets\/a\/b cannot be decrypted with the key "one" of \/encryption-keys/)
    deepEqual(disk.rows.get('a/b'), stored)
  })

  test('a text that was moved to another object is rejected', async () => {
    const disk = createDisk()
    await disk.backend.commit([secret('a/b', 1)])
    await disk.load()
    await disk.backend.commit([secret('a/c', 2, disk.rows.get('a/b')?.json ?? '')])
    await rejects(disk.load(), /secrets\/a\/c cannot be decrypted/)
  })

  for (const [behaviour, text, problem] of [
    ['an empty file', '\n', /holds no key/],
    ['a key that is too short', 'a:AAAA', /\/k, line 1: this is not a key/],
    ['two keys of one name', `a:${KEY}\na:${OTHER}`, /two keys of the name a/],
  ] as const)
    test(`${behaviour} is rejected without showing a key`, () =>
      throws(
        () => parseEncryptionKeys('/k', text),
        (error: Error) => problem.test(error.message) && !error.message.includes('AAAA'),
      ))
})
