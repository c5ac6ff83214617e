import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { findSchema } from './find-schema.ts'
import { strategicMerge, StrategicMergeError } from './strategic-merge.ts'
import type { ObjectSchema } from './schema.ts'

const schemaOf = (group: string, kind: string): ObjectSchema => {
  const schema = findSchema(group, 'v1', kind)
  ok(schema)
  return schema
}
const POD = schemaOf('', 'Pod')
const CLAIM = schemaOf('', 'PersistentVolumeClaim')
const NODE = schemaOf('', 'Node')
const CSI_NODE = schemaOf('storage.k8s.io', 'CSINode')

const cases: [behaviour: string, schema: ObjectSchema, original: object, patch: object, result: object][] = [
  [
    'merges objects',
    CLAIM,
    { spec: { volumeName: 'a' }, status: { phase: 'Bound' } },
    { spec: { volumeMode: 'Block' } },
    { spec: { volumeName: 'a', volumeMode: 'Block' }, status: { phase: 'Bound' } },
  ],
  [
    'deletes by null, also in maps, and ignores null for what is not there',
    CLAIM,
    { metadata: { labels: { a: '1', b: '2' }, name: 'x' } },
    { metadata: { labels: { a: null, c: null }, annotations: null } },
    { metadata: { labels: { b: '2' }, name: 'x' } },
  ],
  [
    'replaces a list without a key',
    CLAIM,
    { spec: { accessModes: ['A', 'B'] } },
    { spec: { accessModes: ['C'] } },
    { spec: { accessModes: ['C'] } },
  ],
  [
    'merges a list of objects by its key, new items first',
    CSI_NODE,
    {
      spec: {
        drivers: [
          { name: 'a', nodeID: '1' },
          { name: 'b', nodeID: '2' },
        ],
      },
    },
    {
      spec: {
        drivers: [
          { name: 'c', nodeID: '3' },
          { name: 'b', allocatable: { count: 5 } },
        ],
      },
    },
    {
      spec: {
        drivers: [
          { name: 'c', nodeID: '3' },
          { name: 'a', nodeID: '1' },
          { name: 'b', nodeID: '2', allocatable: { count: 5 } },
        ],
      },
    },
  ],
  [
    'merges conditions of a claim',
    CLAIM,
    { status: { conditions: [{ type: 'Resizing', status: 'True' }] } },
    {
      status: {
        conditions: [
          { type: 'Resizing', status: 'False' },
          { type: 'Other', status: 'True' },
        ],
      },
    },
    {
      status: {
        conditions: [
          { type: 'Resizing', status: 'False' },
          { type: 'Other', status: 'True' },
        ],
      },
    },
  ],
  [
    'takes a list where none was',
    CSI_NODE,
    { spec: {} },
    { spec: { drivers: [{ name: 'a', nodeID: '1', topologyKeys: null }] } },
    { spec: { drivers: [{ name: 'a', nodeID: '1' }] } },
  ],
  [
    'merges lists inside items of lists',
    POD,
    {
      spec: {
        containers: [
          {
            name: 'a',
            env: [
              { name: 'X', value: '1' },
              { name: 'Y', value: '2' },
            ],
          },
        ],
      },
    },
    { spec: { containers: [{ name: 'a', env: [{ name: 'Y', value: '3' }] }] } },
    {
      spec: {
        containers: [
          {
            name: 'a',
            env: [
              { name: 'X', value: '1' },
              { name: 'Y', value: '3' },
            ],
          },
        ],
      },
    },
  ],
  [
    'deletes an item by its key',
    POD,
    { spec: { containers: [{ name: 'a' }, { name: 'b' }] } },
    {
      spec: {
        containers: [
          { name: 'a', $patch: 'delete' },
          { name: 'z', $patch: 'delete' },
        ],
      },
    },
    { spec: { containers: [{ name: 'b' }] } },
  ],
  [
    'replaces a merged list when told to',
    POD,
    { spec: { containers: [{ name: 'a' }, { name: 'b' }] } },
    { spec: { containers: [{ name: 'c' }, { $patch: 'replace' }] } },
    { spec: { containers: [{ name: 'c' }] } },
  ],
  [
    'replaces an object when told to',
    CLAIM,
    { spec: { selector: { matchLabels: { a: '1' }, matchExpressions: [] } } },
    { spec: { selector: { $patch: 'replace', matchLabels: { b: '2' } } } },
    { spec: { selector: { matchLabels: { b: '2' } } } },
  ],
  [
    'empties an object when told to delete it',
    CLAIM,
    { spec: { selector: { matchLabels: { a: '1' } } } },
    { spec: { selector: { $patch: 'delete' } } },
    { spec: { selector: {} } },
  ],
  [
    'leaves out an object that says to delete what is not there',
    CLAIM,
    { spec: {} },
    { spec: { selector: { $patch: 'delete' } } },
    { spec: {} },
  ],
  [
    'drops the source that a volume no longer has',
    POD,
    {
      spec: {
        volumes: [
          { name: 'v', emptyDir: {} },
          { name: 'w', hostPath: { path: '/x' } },
        ],
      },
    },
    {
      spec: {
        $setElementOrder: undefined,
        volumes: [{ name: 'v', $retainKeys: ['name', 'secret'], secret: { secretName: 's' } }],
      },
    },
    {
      spec: {
        volumes: [
          { name: 'v', secret: { secretName: 's' } },
          { name: 'w', hostPath: { path: '/x' } },
        ],
      },
    },
  ],
  [
    'keeps only the named members of a strategy',
    schemaOf('apps', 'Deployment'),
    { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } },
    { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
    { spec: { strategy: { type: 'Recreate' } } },
  ],
  [
    'replaces a selector that is not merged',
    schemaOf('policy', 'PodDisruptionBudget'),
    { spec: { selector: { matchLabels: { a: '1' } } } },
    { spec: { selector: { matchLabels: { b: '2' } } } },
    { spec: { selector: { matchLabels: { b: '2' } } } },
  ],
  [
    'joins a list of plain values',
    CLAIM,
    { metadata: { finalizers: ['a', 'b'] } },
    { metadata: { finalizers: ['c', 'b'] } },
    { metadata: { finalizers: ['c', 'a', 'b'] } },
  ],
  [
    'takes plain values out, puts others in and orders them',
    CLAIM,
    { metadata: { finalizers: ['a', 'b', 'x'] } },
    {
      metadata: {
        '$deleteFromPrimitiveList/finalizers': ['a'],
        '$setElementOrder/finalizers': ['c', 'b'],
        finalizers: ['c'],
      },
    },
    { metadata: { finalizers: ['c', 'b', 'x'] } },
  ],
  [
    'takes a value out that the same patch puts in',
    NODE,
    { spec: { podCIDRs: ['a'] } },
    { spec: { '$deleteFromPrimitiveList/podCIDRs': ['a', 'b'], podCIDRs: ['b', 'c'] } },
    { spec: { podCIDRs: ['c'] } },
  ],
  [
    'takes nothing out of a list that is not there',
    CLAIM,
    { metadata: {} },
    { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } },
    { metadata: {} },
  ],
  [
    'orders items, those of the server staying before what they stood before',
    POD,
    { spec: { containers: [{ name: 'a' }, { name: 'server' }, { name: 'b' }] } },
    {
      spec: {
        '$setElementOrder/containers': [{ name: 'b' }, { name: 'new' }, { name: 'a' }],
        containers: [{ name: 'new' }],
      },
    },
    { spec: { containers: [{ name: 'server' }, { name: 'b' }, { name: 'new' }, { name: 'a' }] } },
  ],
  [
    'orders without any other change',
    POD,
    { spec: { containers: [{ name: 'a', image: 'x' }, { name: 'b' }] } },
    { spec: { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] } },
    { spec: { containers: [{ name: 'b' }, { name: 'a', image: 'x' }] } },
  ],
  [
    'takes a new item without its directives',
    POD,
    { spec: { volumes: [] } },
    {
      spec: {
        '$setElementOrder/volumes': [{ name: 'v' }],
        volumes: [{ name: 'v', $retainKeys: ['name', 'secret'], secret: { secretName: 's', items: null } }],
      },
    },
    { spec: { volumes: [{ name: 'v', secret: { secretName: 's' } }] } },
  ],
  [
    'replaces a value of another type',
    CLAIM,
    { spec: { selector: 'text' } },
    { spec: { selector: { matchLabels: { a: '1' } } } },
    { spec: { selector: { matchLabels: { a: '1' } } } },
  ],
  [
    'takes fields of JSON schemas for fields and not for directives',
    schemaOf('apiextensions.k8s.io', 'CustomResourceDefinition'),
    { spec: { conversion: {} } },
    { spec: { $ref: 'x' } },
    { spec: { conversion: {}, $ref: 'x' } },
  ],
]
for (const [behaviour, schema, original, patch, result] of cases) {
  test(behaviour, () => {
    const before = JSON.stringify([original, patch])
    deepEqual(strategicMerge(schema, original, JSON.parse(JSON.stringify(patch))), result)
    equal(JSON.stringify([original, patch]), before)
  })
}

const refused: [behaviour: string, patch: unknown, message: string][] = [
  [
    'an item without its key',
    { spec: { containers: [{ image: 'x', command: ['a', 'b'] }] } },
    'map: map[command:[a b] image:x] does not contain declared merge key: name',
  ],
  [
    'an unknown directive on an object',
    { spec: { affinity: { $patch: 'frob' } } },
    'unknown patch type: frob in map: map[$patch:frob]',
  ],
  [
    'an unknown directive on an item',
    { spec: { containers: [{ name: 'a', $patch: 'frob' }] } },
    'unknown patch type: frob in map: map[$patch:frob name:a]',
  ],
  [
    'a merge of lists',
    { spec: { containers: [{ $patch: 'merge' }] } },
    'merging lists cannot yet be specified in the patch',
  ],
  [
    'members that retainKeys does not list',
    { spec: { affinity: { $retainKeys: ['podAffinity'], nodeAffinity: {} } } },
    'invalid patch format of retainKeys',
  ],
  [
    'retainKeys that is no list',
    { spec: { affinity: { $retainKeys: 'podAffinity' } } },
    'invalid patch format of retainKeys',
  ],
  [
    'an order that is no list',
    { spec: { '$setElementOrder/containers': 'a' } },
    'invalid patch format of setElementOrder list',
  ],
  [
    'a deletion that is no list',
    { metadata: { '$deleteFromPrimitiveList/finalizers': 'a' } },
    'invalid patch format of primitive list',
  ],
  [
    'items in plain lists',
    { metadata: { finalizers: [{ a: 1 }] } },
    'cannot merge lists without merge key for finalizers',
  ],
  [
    'an order that contradicts the list',
    {
      spec: {
        '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }],
        containers: [{ name: 'b' }, { name: 'a' }],
      },
    },
    "The order in patch list:\n[map[name:b] map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:a] map[name:b]]\n",
  ],
  [
    'an object at a field that does not exist',
    { spec: { nonsense: { a: 1 } } },
    'unable to find api field in struct PodSpec for the json field "nonsense"',
  ],
  ['what is no object', [], 'a strategic merge patch has to be an object'],
]
for (const [behaviour, patch, message] of refused) {
  test(`refuses ${behaviour}`, () => {
    const pod = {
      metadata: { finalizers: ['f'] },
      spec: { containers: [{ name: 'a' }], affinity: { nodeAffinity: {} }, nonsense: {} },
    }
    throws(
      () => strategicMerge(POD, pod, patch),
      (error) => error instanceof StrategicMergeError && error.message === message,
    )
  })
}

test('refuses an item of the object itself that has no key', () => {
  throws(
    () => strategicMerge(POD, { spec: { containers: [{ image: 'x' }] } }, { spec: { containers: [{ name: 'a' }] } }),
    /does not contain declared merge key: name/,
  )
})
