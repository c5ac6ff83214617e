import { deepEqual } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSystemHost } from '../../base/host/index.ts'
import { createSimulatedBackend } from '../../testing/simulated-backend.ts'
import { describeBackend } from './testing/describe-backend.ts'
import { createMemoryBackend } from './memory-backend.ts'
import { createSqliteBackend } from './sqlite-backend.ts'

const { files } = createSystemHost()

describeBackend(
  'SQLite',
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'holdfast-backend-'))
    return {
      open: () => createSqliteBackend({ directory, files }),
      [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
    }
  },
  { runs: 5 },
)

describeBackend(
  'simulated',
  () => {
    const backend = createSimulatedBackend()
    return Promise.resolve({ open: () => backend, [Symbol.asyncDispose]: () => Promise.resolve() })
  },
  { runs: 100 },
)

test('memory backend takes everything and keeps nothing', async () => {
  const backend = createMemoryBackend()
  await backend.commit([{ revision: 1, storage: 'pods', key: 'a/x', json: '{}' }])
  deepEqual(await backend.load(), { revision: 0, objects: [], lastRevisions: new Map() })
  await backend.close()
})
