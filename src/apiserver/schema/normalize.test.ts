import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findSchema } from './find-schema.ts'
import { normalize } from './normalize.ts'
import { schemaFromCrd } from './schema-from-crd.ts'
import type { ObjectSchema } from './schema.ts'

const schemaOf = (group: string, kind: string): ObjectSchema => {
  const schema = findSchema(group, 'v1', kind)
  ok(schema)
  return schema
}
const CLAIM = schemaOf('', 'PersistentVolumeClaim')
const POD = schemaOf('', 'Pod')
const CONFIG_MAP = schemaOf('', 'ConfigMap')
const SECRET = schemaOf('', 'Secret')
const EVENT = schemaOf('', 'Event')

/** The normal form of what is all right. */
function normalOf(schema: ObjectSchema, value: unknown): unknown {
  const { value: normal, unknownFields, problems } = normalize(schema, value)
  deepEqual({ unknownFields, problems }, { unknownFields: [], problems: [] })
  return normal
}

test('writes a claim as the Go type does', () => {
  const claim = {
    spec: { resources: { requests: { storage: '1024Mi' } }, accessModes: ['ReadWriteOnce'], volumeName: '' },
    metadata: { namespace: 'n', name: 'data', labels: { b: '2', a: '1' }, annotations: {}, creationTimestamp: null },
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
  }
  equal(
    JSON.stringify(normalOf(CLAIM, claim)),
    JSON.stringify({
      kind: 'PersistentVolumeClaim',
      apiVersion: 'v1',
      metadata: { name: 'data', namespace: 'n', labels: { a: '1', b: '2' } },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      status: {},
    }),
  )
})

const forms: [behaviour: string, schema: ObjectSchema, given: unknown, normal: unknown][] = [
  [
    'keeps an empty text behind a pointer, and drops one that is none',
    CLAIM,
    { spec: { storageClassName: '', volumeName: '' } },
    { metadata: {}, spec: { resources: {}, storageClassName: '' }, status: {} },
  ],
  [
    'adds what is always written',
    schemaOf('storage.k8s.io', 'VolumeAttachment'),
    { spec: { attacher: 'd', status: undefined } },
    { metadata: {}, spec: { attacher: 'd', source: {}, nodeName: '' }, status: { attached: false } },
  ],
  ['adds an empty provisioner', schemaOf('storage.k8s.io', 'StorageClass'), {}, { metadata: {}, provisioner: '' }],
  [
    'writes null for a missing list that is always written',
    schemaOf('rbac.authorization.k8s.io', 'ClusterRole'),
    {},
    { metadata: {}, rules: null },
  ],
  [
    'writes null for an empty list that is always written',
    schemaOf('rbac.authorization.k8s.io', 'ClusterRole'),
    { rules: [] },
    { metadata: {}, rules: null },
  ],
  [
    'writes null for times that are values and not set',
    EVENT,
    { involvedObject: { name: 'p' }, eventTime: null },
    {
      metadata: {},
      involvedObject: { name: 'p' },
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    },
  ],
  [
    'drops null, empty lists and empty maps',
    CONFIG_MAP,
    { metadata: { labels: {}, finalizers: [] }, data: null, immutable: null },
    { metadata: {} },
  ],
  ['takes null in a map for the zero value', CONFIG_MAP, { data: { a: null } }, { metadata: {}, data: { a: '' } }],
  ['keeps false behind a pointer', CONFIG_MAP, { immutable: false }, { metadata: {}, immutable: false }],
  ['leaves stringData as it is', SECRET, { stringData: { a: 'b' } }, { metadata: {}, stringData: { a: 'b' } }],
  ['takes base64 with line ends', SECRET, { data: { a: 'aGVs\nbG8=' } }, { metadata: {}, data: { a: 'aGVsbG8=' } }],
  [
    'takes ports by number and by name',
    schemaOf('', 'Service'),
    { spec: { ports: [{ port: 80, targetPort: 'http' }, { port: 81 }] } },
    {
      metadata: {},
      spec: {
        ports: [
          { port: 80, targetPort: 'http' },
          { port: 81, targetPort: 0 },
        ],
      },
      status: { loadBalancer: {} },
    },
  ],
  [
    'takes a number for a quantity',
    schemaOf('', 'PersistentVolume'),
    { spec: { capacity: { storage: 1000, b: ' 1.5Gi ' } } },
    { metadata: {}, spec: { capacity: { b: '1536Mi', storage: '1k' } }, status: {} },
  ],
  [
    'writes times in UTC and in whole seconds',
    CONFIG_MAP,
    { metadata: { deletionTimestamp: '2030-01-01T01:30:00.987+01:30' } },
    { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } },
  ],
  [
    'keeps six decimals where there are some',
    schemaOf('coordination.k8s.io', 'Lease'),
    { spec: { renewTime: '2030-01-01T00:00:00.5Z', leaseTransitions: 0 } },
    { metadata: {}, spec: { renewTime: '2030-01-01T00:00:00.500000Z', leaseTransitions: 0 } },
  ],
  [
    'keeps the JSON of managed fields',
    CONFIG_MAP,
    { metadata: { managedFields: [{ manager: 'm', fieldsV1: { 'f:data': { '.': {}, 'f:a': null } } }] } },
    { metadata: { managedFields: [{ manager: 'm', fieldsV1: { 'f:data': { '.': {}, 'f:a': null } } }] } },
  ],
]
for (const [behaviour, schema, given, normal] of forms)
  test(behaviour, () => deepEqual(normalOf(schema, given), normal))

test('drops unknown fields and lists their paths', () => {
  const { value, unknownFields, problems } = normalize(POD, {
    spec: {
      volumeClaimTempate: {},
      containers: [{ name: 'a' }, { name: 'b', foo: 1, resources: { limits: { cpu: '1' }, bar: 2 } }],
    },
    Metadata: { name: 'x' },
    metadata: { labels: { foo: 'kept' } },
    constructor: 1,
  })
  deepEqual(unknownFields, [
    'Metadata',
    'constructor',
    'spec.volumeClaimTempate',
    'spec.containers[1].foo',
    'spec.containers[1].resources.bar',
  ])
  deepEqual(problems, [])
  deepEqual(value, {
    metadata: { labels: { foo: 'kept' } },
    spec: {
      containers: [
        { name: 'a', resources: {} },
        { name: 'b', resources: { limits: { cpu: '1' } } },
      ],
    },
    status: {},
  })
})

test('lists at most a hundred unknown fields', () => {
  const fields = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`x${index}`, 1]))
  equal(normalize(CONFIG_MAP, fields).unknownFields.length, 100)
})

const mismatches: [schema: ObjectSchema, value: unknown, problem: string][] = [
  [
    CLAIM,
    { spec: { accessModes: 'ReadWriteOnce' } },
    'json: cannot unmarshal string into Go struct field PersistentVolumeClaimSpec.spec.accessModes of type []string',
  ],
  [
    CLAIM,
    { spec: [] },
    'json: cannot unmarshal array into Go struct field PersistentVolumeClaim.spec of type v1.PersistentVolumeClaimSpec',
  ],
  [
    CONFIG_MAP,
    { data: { a: 1 } },
    'json: cannot unmarshal number into Go struct field ConfigMap.data.a of type string',
  ],
  [
    CONFIG_MAP,
    { immutable: 'yes' },
    'json: cannot unmarshal string into Go struct field ConfigMap.immutable of type bool',
  ],
  [
    POD,
    { spec: { containers: [{ ports: [{ containerPort: 1.5 }] }] } },
    'json: cannot unmarshal number 1.5 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
  ],
  [
    POD,
    { spec: { priority: 2 ** 31 } },
    'json: cannot unmarshal number 2147483648 into Go struct field PodSpec.spec.priority of type int32',
  ],
  [
    POD,
    { spec: { containers: [{ resources: { limits: { cpu: 'lots' } } }] } },
    "spec.containers[0].resources.limits.cpu: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  [
    CONFIG_MAP,
    { metadata: { creationTimestamp: 'yesterday' } },
    'metadata.creationTimestamp: parsing time "yesterday": it is not in the form of RFC 3339',
  ],
  [
    CONFIG_MAP,
    { metadata: { creationTimestamp: '2030-02-29T00:00:00Z' } },
    'metadata.creationTimestamp: parsing time "2030-02-29T00:00:00Z": it is not in the form of RFC 3339',
  ],
  [SECRET, { data: { a: 'not base64!' } }, 'data.a: illegal base64 data'],
  [CONFIG_MAP, 'text', 'json: cannot unmarshal string into Go value of type v1.ConfigMap'],
]
for (const [schema, value, problem] of mismatches)
  test(`refuses ${JSON.stringify(value)}`, () => equal(normalize(schema, value).problems[0], problem))

test('takes a ConfigMap with any key', () => {
  const text = '{"data":{"__proto__":"a","constructor":"b","10":"c","9":"d"}}'
  const normal = normalOf(CONFIG_MAP, JSON.parse(text)) as { data: object }
  deepEqual(Object.entries(normal.data), [
    ['9', 'd'],
    ['10', 'c'],
    ['__proto__', 'a'],
    ['constructor', 'b'],
  ])
})

test('shares nothing with its input, and changes nothing in it', () => {
  const deepFreeze = <T>(value: T): T => {
    if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze)
    return value
  }
  const given = deepFreeze({
    metadata: { managedFields: [{ fieldsV1: { a: [1] } }], labels: { a: 'b' } },
    data: { k: 'v' },
  })
  const normal = normalOf(CONFIG_MAP, given) as typeof given
  normal.metadata.managedFields[0]?.fieldsV1.a.push(2)
  normal.metadata.labels.a = 'c'
  deepEqual(given.metadata.managedFields[0]?.fieldsV1.a, [1])
  equal(given.metadata.labels.a, 'b')
})

test('is stable: what is normal stays as it is, byte for byte', () => {
  const labels = fc.dictionary(fc.string(), fc.string())
  const quantity = fc.oneof(
    fc.constantFrom('1.5Gi', '0', '1e3', '100m', '1024Ki', '0.5'),
    fc.nat(10_000_000).map(String),
  )
  const claim = fc.record(
    {
      metadata: fc.record(
        { name: fc.string(), labels, annotations: labels, finalizers: fc.array(fc.string()) },
        { requiredKeys: [] },
      ),
      spec: fc.record(
        {
          storageClassName: fc.option(fc.string()),
          accessModes: fc.array(fc.string()),
          resources: fc.record({ requests: fc.dictionary(fc.string(), quantity) }),
        },
        { requiredKeys: [] },
      ),
      junk: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(claim, (given) => {
      const once = normalize(CLAIM, given)
      deepEqual(once.problems, [])
      const twice = normalize(CLAIM, JSON.parse(JSON.stringify(once.value)))
      equal(JSON.stringify(twice.value), JSON.stringify(once.value))
      deepEqual(twice.unknownFields, [])
    }),
  )
})

const THING = schemaFromCrd({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        a: { type: 'string' },
        nullable: { type: 'string', nullable: true },
        initial: { type: 'integer', default: 3 },
        port: { 'x-kubernetes-int-or-string': true },
        list: { type: 'array', items: { type: 'object', properties: { b: { type: 'integer' } } } },
        map: { type: 'object', additionalProperties: { type: 'object', properties: { c: { type: 'string' } } } },
        free: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: { type: 'object', properties: {} } },
        },
        anything: { 'x-kubernetes-preserve-unknown-fields': true },
        template: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          properties: { spec: { type: 'object', properties: { x: { type: 'string' } } } },
        },
      },
    },
  },
}).schema

test('prunes a custom resource by its schema', () => {
  const { value, unknownFields, problems } = normalize(THING, {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: { name: 'x', creationTimestamp: null, unknown: 1 },
    spec: {
      a: 'kept',
      b: 'gone',
      port: 'http',
      list: [{ b: 1, c: 2 }, { b: 3 }],
      map: { k: { c: 'd', e: 'f' } },
      free: { any: { thing: null }, known: { gone: 1 } },
      anything: [1, { x: null }],
      template: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'y', labels: {} },
        spec: { x: 'y', z: 1 },
        other: 1,
      },
    },
    status: { gone: true },
  })
  deepEqual(problems, [])
  deepEqual([...unknownFields].sort(), [
    'metadata.unknown',
    'spec.b',
    'spec.free.known.gone',
    'spec.list[0].c',
    'spec.map.k.e',
    'spec.template.other',
    'spec.template.spec.z',
    'status',
  ])
  deepEqual(value, {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: { name: 'x' },
    spec: {
      a: 'kept',
      port: 'http',
      list: [{ b: 1 }, { b: 3 }],
      map: { k: { c: 'd' } },
      free: { any: { thing: null }, known: {} },
      anything: [1, { x: null }],
      template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'y' }, spec: { x: 'y' } },
    },
  })
})

test('drops null in a custom resource where it is no value and no default stands for it', () => {
  const { value } = normalize(THING, { spec: { a: null, nullable: null, initial: null, anything: null } })
  deepEqual(value, { spec: { nullable: null, initial: null } })
})

test('keeps values of the wrong type in a custom resource for the validation', () => {
  deepEqual(normalize(THING, { spec: { a: 1, list: 'x' } }), {
    value: { spec: { a: 1, list: 'x' } },
    unknownFields: [],
    problems: [],
  })
})

test('refuses a custom resource whose metadata has the wrong type', () => {
  deepEqual(normalize(THING, { metadata: { labels: { a: 1 } } }).problems, [
    'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels.a of type string',
  ])
})
