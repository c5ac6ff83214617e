import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { UsageError } from '../../base/options/index.ts'
import { parseFaults } from './parse-faults.ts'

const wrong: [behaviour: string, text: string, problems: RegExp[]][] = [
  ['no map', '- rpc: Probe', [/^f\.yaml:1: expected a map with the key faults$/]],
  ['broken YAML, with its line', 'faults:\n  - rpc: [Probe\n', [/^f\.yaml:3: /]],
  ['no list', 'faults: {}', [/^f\.yaml:1: faults: expected a list/]],
  ['an unknown key', 'fault: []\nfaults: []', [/^f\.yaml:1: unknown key "fault"; did you mean faults\?$/]],
  [
    'an unknown key of a fault',
    'faults:\n  - rpc: Probe\n    dealy: 1s',
    [/^f\.yaml:3: faults\[0\]: unknown key "dealy"; did you mean delay\?$/, /faults\[0\]: does nothing/],
  ],
  [
    'a call that does not exist',
    'faults:\n  - rpc: CreateVolumes\n    delay: 1s',
    [/^f\.yaml:2: faults\[0\]\.rpc: "CreateVolumes" is not a call of CSI; did you mean CreateVolume\?$/],
  ],
  ['a missing call', 'faults:\n  - delay: 1s', [/^f\.yaml:2: faults\[0\]\.rpc: is missing/]],
  [
    'a wrong duration',
    'faults:\n  - rpc: Probe\n    delay: 5',
    [/^f\.yaml:3: faults\[0\]\.delay: "5" is not a duration/],
  ],
  ['a negative duration', 'faults: [{rpc: Probe, delay: -1s}]', [/faults\[0\]\.delay: expected a duration from 0s/]],
  [
    'a wrong code',
    'faults:\n  - rpc: Probe\n    error: BUSY',
    [/^f\.yaml:3: faults\[0\]\.error: expected a gRPC code such as UNAVAILABLE, or code and message$/],
  ],
  ['OK as an error', 'faults: [{rpc: Probe, error: OK}]', [/faults\[0\]\.error: expected a gRPC code/]],
  ['two actions', 'faults: [{rpc: Probe, error: ABORTED, cut: before}]', [/has both error and cut/]],
  ['a wrong time to cut', 'faults: [{rpc: Probe, cut: yes}]', [/faults\[0\]\.cut: expected before or after$/]],
  [
    'a wrong probability',
    'faults: [{rpc: Probe, delay: 1s, probability: 2}]',
    [/probability: expected a number from 0 to 1/],
  ],
  ['a wrong count', 'faults: [{rpc: Probe, delay: 1s, times: 0}]', [/times: expected a whole number, at least 1/]],
  ['a wrong seed', 'seed: x\nfaults: []', [/^f\.yaml:1: seed: expected a whole number/]],
  [
    'a field that the answer does not have',
    'faults:\n  - rpc: CreateVolume\n    alter:\n      volume.capacity: 5',
    [/^f\.yaml:4: faults\[0\]\.alter: volume\.capacity: Volume has no field "capacity"; /],
  ],
  [
    'a value of another type',
    'faults: [{rpc: CreateVolume, alter: {volume.capacity_bytes: big}}]',
    [/alter: volume\.capacity_bytes: expected a whole number$/],
  ],
  [
    'an index that is none',
    'faults: [{rpc: ListVolumes, alter: {entries.volume: 1}}]',
    [/entries is a list; write entries\.0/],
  ],
  ['changes of every call', 'faults: [{rpc: "*", alter: {ready: false}}]', [/alter: name the calls of CSI in rpc/]],
]

describe('parseFaults refuses', () => {
  for (const [behaviour, text, problems] of wrong)
    test(behaviour, () =>
      assert.throws(
        () => parseFaults(text, 'f.yaml'),
        (error) => {
          assert.ok(error instanceof UsageError)
          assert.equal(error.problems.length, problems.length, error.message)
          problems.forEach((pattern, index) => assert.match(error.problems[index] ?? '', pattern))
          return true
        },
      ),
    )
})

test('parseFaults reads every key', () => {
  const { seed, faults } = parseFaults(
    `
seed: 3
faults:
  - {name: slow, rpc: [Probe, /vendor.v1.A/B], volume: "a.*", skip: 1, times: 2, probability: 0.5, delay: 1m30s}
  - {rpc: "*", error: {code: ABORTED, message: no}}
  - {rpc: Probe, loseReply: hang}
  - {rpc: Probe, duplicate: parallel}
  - {rpc: Probe, cut: after}
  - {rpc: Probe, alter: {ready: false}}
`,
    'f.yaml',
  )
  assert.equal(seed, 3)
  assert.deepEqual(faults[0], {
    label: 'slow',
    rpcs: new Set(['Probe', '/vendor.v1.A/B']),
    volume: faults[0]?.volume,
    skip: 1,
    times: 2,
    probability: 0.5,
    delayMs: 90_000,
    action: { kind: 'none' },
  })
  assert.ok(faults[0].volume?.test('a.b') && !faults[0].volume.test('axb') && !faults[0].volume.test('ba.b'))
  assert.deepEqual(
    faults.slice(1).map(({ label, action }) => [label, action]),
    [
      ['faults[1]', { kind: 'error', code: 'ABORTED', message: 'no' }],
      ['faults[2]', { kind: 'lose-reply', code: undefined }],
      ['faults[3]', { kind: 'duplicate', when: 'parallel' }],
      ['faults[4]', { kind: 'cut', when: 'after' }],
      ['faults[5]', { kind: 'alter', changes: { ready: false } }],
    ],
  )
})

test('the faults file of the examples is valid', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../examples/faults/faults.yaml'), 'utf8')
  assert.deepEqual(
    parseFaults(text, 'faults.yaml').faults.map(({ label, action }) => [label, action.kind]),
    [
      ['lost replies', 'lose-reply'],
      ['slow attach', 'error'],
      ['mounted twice', 'duplicate'],
    ],
  )
})
