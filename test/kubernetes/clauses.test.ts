import { deepEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { run } from '../../scripts/run.ts'
import { ALL_CASES } from '../../src/check/cases/all-cases.ts'
import { CLUSTER_CASES } from '../../src/check/cluster/all-cluster-cases.ts'

// Lines are wrapped differently, comments of messages begin with //, and tables are aligned.
const plain = (text: string): string =>
  text
    .replaceAll(/^\s*\/\/ ?/gm, ' ')
    .replaceAll(/\|\s*/g, '| ')
    .replaceAll(/[“”]/g, '"')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()

test('every clause of holdfast check stands in the specification, word for word', async () => {
  // The module of this peer requires the version of the specification that Holdfast implements.
  const cwd = join(import.meta.dirname, 'peers', 'dump-descriptor')
  const module = 'github.com/container-storage-interface/spec'
  const { stdout } = await run('go', ['list', '-m', '-f', '{{.Dir}}', module], { cwd })
  const specification = plain(readFileSync(join(stdout.trim(), 'spec.md'), 'utf8'))
  const invented = [...ALL_CASES, ...CLUSTER_CASES].flatMap(({ id, clause }) =>
    clause
      .split(' … ')
      .filter((part) => !specification.includes(plain(part)))
      .map((part) => ({ id, part })),
  )
  deepEqual(invented, [])
})
