import type { Api } from '../../api/api.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../api/kinds/custom-resource-definition.ts'
import { gadget, gadgetCrd, gadgets, versionOf } from '../crd/testing/crd-under-test.ts'
import { configMap } from './objects-under-test.ts'
import type { RawRequest } from './raw-client.ts'
import { SCHEMA_STALL_ATTACKS } from './schema-stall-attacks.ts'
import type { StallAttack } from './stall-attack.ts'

const CONFIG_MAP_PATH = '/api/v1/namespaces/default/configmaps'
const GADGET_PATH = '/apis/example.com/v1/namespaces/default/gadgets'
const ROLE_PATH = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles'
const JSON_PATCH = 'application/json-patch+json'
const MERGE_PATCH = 'application/merge-patch+json'
const STRATEGIC_MERGE_PATCH = 'application/strategic-merge-patch+json'
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
const send = (method: string, path: string, type: string, body: unknown): RawRequest => ({
  method,
  path,
  headers: { 'content-type': type },
  body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
})
const patch = (name: string, type: string, body: unknown): RawRequest =>
  send('PATCH', `${CONFIG_MAP_PATH}/${name}`, type, body)
const post = (path: string, object: unknown): RawRequest => send('POST', path, 'application/json', object)
const postYaml = (body: string): RawRequest => send('POST', CONFIG_MAP_PATH, 'application/yaml', body)
const list = (query: string, accept = 'application/json'): RawRequest => ({
  path: `${CONFIG_MAP_PATH}?${query}`,
  headers: { accept },
})

const owner = (index: number) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: `uid-${index}` })
// Of a kind that is not served: whatever belongs to it is not collected.
const unknownOwner = (index: number) => ({ ...owner(index), apiVersion: 'example.com/v9' })
const dataOf = (count: number): Record<string, string> =>
  Object.fromEntries(times(count, (index) => [`key-${index}`, 'v']))

/** For what all attempts share. */
const once =
  (make: (api: Api) => Promise<unknown>) =>
  async (api: Api, attempt: number): Promise<void> =>
    attempt === 0 ? void (await make(api)) : undefined
const createConfigMap = (name: string, data: Record<string, string> = {}, metadata = {}) =>
  once((api) => api.create(CONFIG_MAPS, configMap(name, metadata, data)))

const LISTED = 40_000
const OLD_REVISION = 100
const LISTED_ALONE = 'labelSelector=listed%3Dtrue'
const LISTS: readonly StallAttack[] = [
  {
    name: 'a list of many objects',
    prepare: once((api) =>
      Promise.all(
        times(LISTED, (index) =>
          api.create(
            CONFIG_MAPS,
            configMap(`listed-${index}`, { labels: { listed: 'true' } }, { text: 'x'.repeat(150) }),
          ),
        ),
      ),
    ),
    request: () => list(LISTED_ALONE),
    status: 200,
  },
  { name: 'a table of many objects', request: () => list(LISTED_ALONE, TABLE), status: 200 },
  {
    name: 'a list of many objects for people to read',
    request: () => list(`${LISTED_ALONE}&pretty=true`),
    status: 200,
  },
  { name: 'a list of many objects as YAML', request: () => list(LISTED_ALONE, 'application/yaml'), status: 200 },
  {
    name: 'a list by a selector with many requirements',
    request: () => list(`labelSelector=${times(400, (index) => `!k${index}`).join(',')}`),
    status: 200,
  },
  {
    name: 'a watch by a selector with many requirements',
    request: () =>
      list(`watch=true&timeoutSeconds=1&labelSelector=none,${times(400, (index) => `!k${index}`).join(',')}`),
    status: 200,
  },
  {
    name: 'a watch that begins long ago',
    request: () => list(`watch=true&timeoutSeconds=1&labelSelector=none&resourceVersion=${OLD_REVISION}`),
    status: 200,
  },
  {
    name: 'the deletion of many objects',
    prepare: async (api, attempt) => {
      await Promise.all(
        times(4_000, (index) =>
          api.create(CONFIG_MAPS, configMap(`doomed-${attempt}-${index}`, { labels: { doomed: `in-${attempt}` } })),
        ),
      )
    },
    request: (attempt) => ({ method: 'DELETE', path: `${CONFIG_MAP_PATH}?labelSelector=doomed%3Din-${attempt}` }),
    status: 200,
  },
]

const GADGET_PROPERTIES = {
  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
  map: {
    type: 'array',
    items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  },
} as const
const LARGE_LISTS = {
  set: times(4_500, (index) => `item-${index}`),
  map: times(4_500, (index) => ({ name: `item-${index}` })),
}

const CUSTOM_RESOURCES: readonly StallAttack[] = [
  {
    name: 'a JSON patch that doubles a value with each operation',
    prepare: once(async (api) => {
      await api.create(CUSTOM_RESOURCE_DEFINITIONS, gadgetCrd({ versions: [versionOf(GADGET_PROPERTIES)] }))
      await api.create(gadgets(), gadget('doubled', { free: { a: 'b' } }))
    }),
    request: () =>
      send(
        'PATCH',
        `${GADGET_PATH}/doubled`,
        JSON_PATCH,
        times(30, (index) => ({ op: 'copy', from: '/spec/free', path: `/spec/free/${index}` })),
      ),
    status: 422,
    answer: /Unable to complete the copy, the accumulated size increase of copy is \d+, exceeding the limit 3145728/,
  },
  {
    name: 'a large set and a large map in a custom resource',
    request: (attempt) =>
      post(GADGET_PATH, {
        apiVersion: 'example.com/v1',
        kind: 'Gadget',
        metadata: { name: `large-${attempt}` },
        spec: LARGE_LISTS,
      }),
    status: 201,
  },
  {
    name: 'a change of a large map in a custom resource',
    prepare: once((api) => api.create(gadgets(), gadget('large', LARGE_LISTS))),
    request: (attempt) =>
      send('PATCH', `${GADGET_PATH}/large`, JSON_PATCH, [
        { op: 'add', path: '/spec/map/-', value: { name: `more-${attempt}` } },
      ]),
    status: 200,
  },
]

const PATCHES: readonly StallAttack[] = [
  {
    name: 'a JSON patch that adds to a large object again and again',
    prepare: createConfigMap('large', dataOf(12_000)),
    request: () =>
      patch(
        'large',
        JSON_PATCH,
        times(1_000, (index) => ({ op: 'add', path: `/data/more-${index}`, value: '' })),
      ),
    status: 200,
  },
  {
    name: 'a large object as YAML',
    request: () => ({ path: `${CONFIG_MAP_PATH}/large`, headers: { accept: 'application/yaml' } }),
    status: 200,
  },
  {
    name: 'a JSON patch that inserts at the front of a large list again and again',
    prepare: createConfigMap('finalized', {}, { finalizers: times(9_000, (index) => `example.com/f-${index}`) }),
    request: () =>
      patch(
        'finalized',
        JSON_PATCH,
        times(10_000, () => ({ op: 'add', path: '/metadata/finalizers/0', value: 'example.com/front' })),
      ),
    status: 422,
    answer: /the accumulated number of shifted list items is \d+, exceeding the limit/,
  },
  {
    name: 'a strategic merge patch of many list items',
    prepare: createConfigMap('owned', {}, { ownerReferences: times(3_900, unknownOwner) }),
    request: () =>
      patch('owned', STRATEGIC_MERGE_PATCH, { metadata: { ownerReferences: times(3_900, unknownOwner).toReversed() } }),
    status: 200,
  },
  {
    name: 'a strategic merge patch that deletes many list items',
    request: () =>
      patch('owned', STRATEGIC_MERGE_PATCH, {
        metadata: { ownerReferences: times(7_000, (index) => ({ $patch: 'delete', uid: `another-${index}` })) },
      }),
    status: 200,
  },
  {
    name: 'a merge patch with a field twice and a long text',
    prepare: createConfigMap('twice'),
    request: () => patch('twice', MERGE_PATCH, `{"data":{"a":"b","a":${JSON.stringify('\\'.repeat(1_400_000))}}}`),
    status: 422,
  },
]

const yamlConfigMap = (name: string, data: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n${data}`
const YAML_LENGTH = 120 * 1024
const CREATIONS: readonly StallAttack[] = [
  {
    name: 'an object with many owners',
    request: (attempt) =>
      post(CONFIG_MAP_PATH, configMap(`many-owners-${attempt}`, { ownerReferences: times(3_900, owner) })),
    status: 201,
  },
  {
    name: 'an object with many finalizers',
    request: (attempt) =>
      post(
        CONFIG_MAP_PATH,
        configMap(`many-finalizers-${attempt}`, { finalizers: times(19_000, (index) => `example.com/f-${index}`) }),
      ),
    status: 201,
  },
  {
    name: 'a body of many tiny values',
    request: () => post(CONFIG_MAP_PATH, { list: times(1_500_000, () => 0) }),
    status: 413,
    answer: /more than 50000 fields and list items/,
  },
  {
    name: 'an object of many tiny values',
    request: () => post(CONFIG_MAP_PATH, configMap('tiny', {}, dataOf(45_000))),
    status: 413,
    answer: /more than 20000 fields and list items/,
  },
  {
    name: 'a protobuf body of many tiny values',
    request: () =>
      send(
        'POST',
        CONFIG_MAP_PATH,
        'application/vnd.kubernetes.protobuf',
        protobufConfigMap(Buffer.alloc(2_000_000, Buffer.from([0x72, 0x00]))),
      ),
    status: 413,
    answer: /more than 50000 fields and list items/,
  },
  {
    name: 'a role that stands for billions of rights',
    request: () => {
      const words = (prefix: string): string[] => times(300, (index) => `${prefix}-${index}`)
      const rules = [
        { verbs: words('verb'), apiGroups: words('group'), resources: words('resource'), resourceNames: words('name') },
      ]
      return post(ROLE_PATH, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'billions' },
        rules,
      })
    },
    status: 403,
    answer: /is attempting to grant RBAC permissions not currently held/,
  },
  {
    name: 'a large YAML body',
    request: (attempt) =>
      postYaml(yamlConfigMap(`yaml-${attempt}`, `data:\n${times(8_500, (index) => `  k${index}: "v"\n`).join('')}`)),
    status: 201,
  },
  {
    name: 'a YAML body of many mistakes',
    request: () => postYaml('}'.repeat(YAML_LENGTH)),
    status: 400,
    answer: /the body of the request is not YAML: /,
  },
  {
    name: 'a YAML body of many anchors and aliases',
    request: () =>
      postYaml(
        `${times(5_000, (index) => `- &a${index} x\n`).join('')}${times(5_000, (index) => `- *a${index}\n`).join('')}`,
      ),
    status: 400,
  },
]

// Magic, then an envelope with its type and, as raw bytes, a ConfigMap whose metadata is given.
function protobufConfigMap(metadata: Uint8Array): Uint8Array {
  const field = (number: number, bytes: Uint8Array): Uint8Array =>
    Buffer.concat([Buffer.from([(number << 3) | 2]), varint(bytes.length), bytes])
  const type = Buffer.concat([field(1, Buffer.from('v1')), field(2, Buffer.from('ConfigMap'))])
  return Buffer.concat([Buffer.from('k8s\0'), field(1, type), field(2, field(1, metadata))])
}

const varint = (value: number): Uint8Array =>
  value < 128 ? Buffer.from([value]) : Buffer.concat([Buffer.from([(value & 127) | 128]), varint(value >>> 7)])

/** Each is one request that once blocked or killed the server. */
export const STALL_ATTACKS: readonly StallAttack[] = [
  ...LISTS,
  ...CUSTOM_RESOURCES,
  ...PATCHES,
  ...CREATIONS,
  ...SCHEMA_STALL_ATTACKS,
]
