import { deepEqual, equal, match, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSimulatedHost } from '../base/host/index.ts'
import { createSeededRandom } from '../base/random.ts'
import { chooseShape, readShape, writeShape } from './cluster-shape.ts'
import type { AskedShape, ClusterShape } from './cluster-shape.ts'

const asked = (nodes?: number, zones?: readonly string[]): AskedShape => ({ nodes, zones })
const three: ClusterShape = { nodes: 3, zones: ['a', 'b', 'c'] }

describe('the shape of a cluster', () => {
  const taken: [behaviour: string, kept: ClusterShape | undefined, asked: AskedShape, shape: ClusterShape][] = [
    ['is one node where nothing is said', undefined, asked(), { nodes: 1, zones: [] }],
    [
      'is one node for each zone where only zones are said',
      undefined,
      asked(undefined, ['a', 'b']),
      { nodes: 2, zones: ['a', 'b'] },
    ],
    ['is what is asked for', undefined, asked(2, ['a', 'b', 'c']), { nodes: 2, zones: ['a', 'b', 'c'] }],
    ['is at the next start what it was', three, asked(), three],
    ['has the same port at the next start', { ...three, port: 7 }, asked(), { ...three, port: 7 }],
    ['may get another port', { ...three, port: 7 }, { ...asked(), port: 0 }, { ...three, port: 0 }],
    ['may grow', three, asked(4), { nodes: 4, zones: ['a', 'b', 'c'] }],
    ['may get zones later', { nodes: 2, zones: [] }, asked(undefined, ['a']), { nodes: 2, zones: ['a'] }],
    [
      'may get a zone for nodes to come',
      { nodes: 1, zones: ['a'] },
      asked(2, ['a', 'b']),
      { nodes: 2, zones: ['a', 'b'] },
    ],
  ]
  for (const [behaviour, kept, given, shape] of taken)
    test(behaviour, () => deepEqual(chooseShape(kept, given), { kind: 'taken', shape }))

  const refused: [behaviour: string, kept: ClusterShape, asked: AskedShape, problem: RegExp][] = [
    [
      'never shrinks: pods of the missing nodes would wait for ever',
      three,
      asked(1),
      /it has 3 nodes, .* leave --nodes out, or set it to at least 3/,
    ],
    [
      'keeps its zones: volumes can not move',
      three,
      asked(undefined, ['a', 'c', 'b']),
      /node-2 and its volumes are in zone b: leave --zones out, or set it to a,b,c/,
    ],
    ['does not lose its zones', three, asked(3, []), /node-1 and its volumes are in zone a/],
  ]
  for (const [behaviour, kept, given, problem] of refused) {
    test(behaviour, () => {
      const decision = chooseShape(kept, given)
      equal(decision.kind, 'refused')
      match(decision.kind === 'refused' ? decision.problem : '', problem)
    })
  }

  test('is kept in a file, which is written only when it changes', async () => {
    const host = createSimulatedHost({ random: createSeededRandom(1) })
    const parts = { files: host.files, random: createSeededRandom(2) }
    equal(await readShape(host.files, '/'), undefined)
    await writeShape(parts, '/', three)
    deepEqual(await readShape(host.files, '/'), three)
    const inode = (await host.files.findStat('/cluster.json'))?.inode
    await writeShape(parts, '/', three)
    equal((await host.files.findStat('/cluster.json'))?.inode, inode)
  })

  test('has its port in the file, and a port that cannot be one is forgotten', async () => {
    const host = createSimulatedHost({ random: createSeededRandom(1) })
    const parts = { files: host.files, random: createSeededRandom(2) }
    await writeShape(parts, '/', { ...three, port: 6443 })
    deepEqual(await readShape(host.files, '/'), { ...three, port: 6443 })
    await writeShape(parts, '/', { ...three, port: 70_000 })
    deepEqual(await readShape(host.files, '/'), three)
  })

  for (const [behaviour, text, problem] of [
    [
      'of a newer version is refused',
      '{"format":2,"nodes":1,"zones":[]}',
      /\/cluster.json was written in format 2, this version knows 1: use the newer version/,
    ],
    ['that can not be read is refused', 'junk', /\/cluster.json is damaged/],
    ['of another program is refused', '{"name":"theirs"}', /\/cluster.json is damaged/],
  ] as const) {
    test(behaviour, async () => {
      const host = createSimulatedHost({ random: createSeededRandom(1) })
      await host.files.writeFile('/cluster.json', new TextEncoder().encode(text))
      await rejects(readShape(host.files, '/'), problem)
    })
  }
})
