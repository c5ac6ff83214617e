import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { apiVersionOf } from '../../api/resource-type.ts'
import { BUILT_IN_KINDS, findSchema } from './find-schema.ts'
import { DESCRIPTIONS } from './generated/descriptions.ts'
import type { JsonObject } from './json.ts'
import { membersOf } from './openapi-definitions.ts'
import type { OpenApiKind } from './openapi-definitions.ts'
import { openApiV2Document, OPENAPI_V2_TYPE } from './openapi-v2.ts'
import { openApiV3Document, openApiV3Index, openApiV3Path } from './openapi-v3.ts'
import { ProtobufReader } from './protobuf-reader.ts'
import { NO_DESCRIPTIONS, readDescriptions } from './read-descriptions.ts'
import { schemaFromCrd } from './schema-from-crd.ts'

const descriptions = readDescriptions(DESCRIPTIONS)

const builtIn = (group: string, kind: string, plural: string, namespaced: boolean): OpenApiKind => {
  const schema = findSchema(group, 'v1', kind)
  ok(schema)
  return { group, version: 'v1', kind, plural, namespaced, schema }
}

const CLAIMS = builtIn('', 'PersistentVolumeClaim', 'persistentvolumeclaims', true)
const PODS = builtIn('', 'Pod', 'pods', true)
const CLASSES = builtIn('storage.k8s.io', 'StorageClass', 'storageclasses', false)
const THINGS: OpenApiKind = {
  group: 'example.com',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  namespaced: true,
  schema: schemaFromCrd({
    type: 'object',
    description: 'A thing.',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        description: 'What is wanted.',
        properties: {
          size: { type: 'integer', format: 'int32', minimum: 1, description: 'How large.' },
          items: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        },
        'x-kubernetes-validations': [{ rule: 'has(self.size)' }],
      },
    },
  }).schema,
}
const KINDS = [CLAIMS, PODS, CLASSES, THINGS]

// Follows names through objects; what is not there fails the test.
const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce((current, name) => {
    ok(typeof current === 'object' && current !== null && name in current, `${path.join(' / ')}: no ${name}`)
    return (current as JsonObject)[name]
  }, value)

test('the index names each document by its path, with its hash', () => {
  deepEqual(
    openApiV3Index(
      new Map([
        [openApiV3Path('', 'v1'), 'A1'],
        [openApiV3Path('storage.k8s.io', 'v1'), 'B2'],
      ]),
    ),
    {
      paths: {
        'api/v1': { serverRelativeURL: '/openapi/v3/api/v1?hash=A1' },
        'apis/storage.k8s.io/v1': { serverRelativeURL: '/openapi/v3/apis/storage.k8s.io/v1?hash=B2' },
      },
    },
  )
})

test('a patch operation has what kubectl looks for', () => {
  const document = openApiV3Document([CLAIMS, PODS], 'v1.36.0', NO_DESCRIPTIONS)
  const patch = at(document, 'paths', '/api/v1/namespaces/{namespace}/persistentvolumeclaims/{name}', 'patch')
  deepEqual(at(patch, 'x-kubernetes-group-version-kind'), { group: '', kind: 'PersistentVolumeClaim', version: 'v1' })
  const names = (at(patch, 'parameters') as { name: string; in: string }[])
    .filter((item) => item.in === 'query')
    .map((item) => item.name)
  ok(names.includes('fieldValidation') && names.includes('dryRun'))
  ok(at(patch, 'requestBody', 'content', 'application/strategic-merge-patch+json'))
})

test('a kind without a namespace has none in its path', () => {
  const document = openApiV3Document([CLASSES], 'v1.36.0', NO_DESCRIPTIONS)
  deepEqual(Object.keys(at(document, 'paths') as object), [
    '/apis/storage.k8s.io/v1/storageclasses',
    '/apis/storage.k8s.io/v1/storageclasses/{name}',
  ])
})

test('schemas carry how lists are merged', () => {
  const schemas = at(openApiV3Document([PODS], 'v1', NO_DESCRIPTIONS), 'components', 'schemas')
  deepEqual(at(schemas, 'io.k8s.api.core.v1.PodSpec', 'properties', 'volumes'), {
    type: 'array',
    items: { $ref: '#/components/schemas/io.k8s.api.core.v1.Volume' },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    'x-kubernetes-patch-merge-key': 'name',
    'x-kubernetes-patch-strategy': 'merge,retainKeys',
  })
  deepEqual(at(schemas, 'io.k8s.api.core.v1.Pod', 'x-kubernetes-group-version-kind'), [
    { group: '', kind: 'Pod', version: 'v1' },
  ])
  deepEqual(at(schemas, 'io.k8s.api.core.v1.PodSpec', 'required'), ['containers'])
})

test('what stands beside a reference is kept by putting the reference inside', () => {
  const deployments = builtIn('apps', 'Deployment', 'deployments', true)
  deepEqual(
    at(
      openApiV3Document([deployments], 'v1', NO_DESCRIPTIONS),
      'components',
      'schemas',
      'io.k8s.api.apps.v1.DeploymentSpec',
      'properties',
      'strategy',
    ),
    {
      allOf: [{ $ref: '#/components/schemas/io.k8s.api.apps.v1.DeploymentStrategy' }],
      'x-kubernetes-patch-strategy': 'retainKeys',
    },
  )
})

test('every reference leads somewhere', () => {
  const document = openApiV3Document(KINDS, 'v1', NO_DESCRIPTIONS)
  const schemas = at(document, 'components', 'schemas') as JsonObject
  const references = JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)
  const missing = [...references].map((found) => found[1] ?? '').filter((name) => !Object.hasOwn(schemas, name))
  deepEqual(missing, [])
})

test('a custom resource is told with its descriptions, checks and rules, and can not be patched strategically', () => {
  const document = openApiV3Document([THINGS], 'v1', NO_DESCRIPTIONS)
  const thing = at(document, 'components', 'schemas', 'com.example.v1.Thing')
  equal(at(thing, 'description'), 'A thing.')
  deepEqual(at(thing, 'required'), ['spec'])
  deepEqual(at(thing, 'properties', 'metadata'), {
    allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }],
    description:
      "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
  })
  deepEqual(at(thing, 'properties', 'spec', 'properties', 'size'), {
    type: 'integer',
    description: 'How large.',
    minimum: 1,
    format: 'int32',
  })
  deepEqual(at(thing, 'properties', 'spec', 'x-kubernetes-validations'), [{ rule: 'has(self.size)' }])
  const content = at(
    document,
    'paths',
    '/apis/example.com/v1/namespaces/{namespace}/things/{name}',
    'patch',
    'requestBody',
    'content',
  )
  deepEqual(Object.keys(content as object), ['application/json-patch+json', 'application/merge-patch+json'])
})

test('built-in kinds and their fields are described in the words of Kubernetes, also where a field refers to another type', () => {
  const schemas = at(openApiV3Document([CLAIMS], 'v1', descriptions), 'components', 'schemas')
  equal(
    at(schemas, 'io.k8s.api.core.v1.PersistentVolumeClaim', 'description'),
    "PersistentVolumeClaim is a user's request for and claim to a persistent volume",
  )
  deepEqual(at(schemas, 'io.k8s.api.core.v1.PersistentVolumeClaimSpec', 'properties', 'volumeName'), {
    type: 'string',
    description: 'volumeName is the binding reference to the PersistentVolume backing this claim.',
  })
  deepEqual(at(schemas, 'io.k8s.api.core.v1.PersistentVolumeClaimSpec', 'properties', 'selector'), {
    allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector' }],
    description: 'selector is a label query over volumes to consider for binding.',
  })
  match(
    String(at(schemas, 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', 'properties', 'labels', 'description')),
    /^Map of string keys and values that can be used to organize and categorize/,
  )
  match(
    String(at(schemas, 'io.k8s.apimachinery.pkg.api.resource.Quantity', 'description')),
    /^Quantity is a fixed-point/,
  )
})

test('every built-in kind is described, except for what Kubernetes does not describe or does not have', () => {
  const kinds = BUILT_IN_KINDS.map(({ group, version, kind }): OpenApiKind => {
    const schema = findSchema(group, version, kind)
    ok(schema)
    return { group, version, kind, plural: kind, namespaced: true, schema }
  })
  const schemas = at(openApiV3Document(kinds, 'v1', descriptions), 'components', 'schemas') as JsonObject
  const isBare = (described: unknown): boolean => !Object.hasOwn(described as JsonObject, 'description')
  const incomplete = Object.entries(schemas).filter(
    ([, schema]) => isBare(schema) || Object.values(membersOf(schema as JsonObject, 'properties')).some(isBare),
  )
  deepEqual(
    incomplete.map(([name]) => name.split('.').at(-1)),
    [
      'CSIVolumeSource',
      'VolumeSource',
      'IngressRule',
      'VolumeAttachmentSource',
      'ExternalDocumentation',
      'JSONSchemaProps',
    ],
  )
})

/** The messages with these numbers inside each other. */
function messagesAt(bytes: Uint8Array, ...numbers: readonly number[]): Buffer[] {
  const [number, ...inner] = numbers
  const found: Buffer[] = []
  const reader = ProtobufReader.of(bytes)
  while (!reader.isAtEnd) {
    const tag = reader.tag()
    if (tag.number === number && tag.wireType === 'bytes') found.push(reader.bytes())
    else reader.skip(tag.wireType)
  }
  return inner.length === 0 ? found : found.flatMap((message) => messagesAt(message, ...inner))
}

test('version 2 holds the definitions and a patch operation for each kind', () => {
  const bytes = openApiV2Document(KINDS, 'v1.36.0', descriptions)
  deepEqual(messagesAt(bytes, 1).map(String), ['2.0'])
  const paths = messagesAt(bytes, 8, 2, 1).map(String)
  deepEqual(paths, [
    '/api/v1/namespaces/{namespace}/persistentvolumeclaims/{name}',
    '/api/v1/namespaces/{namespace}/pods/{name}',
    '/apis/storage.k8s.io/v1/storageclasses/{name}',
    '/apis/example.com/v1/namespaces/{namespace}/things/{name}',
  ])
  const parameters = messagesAt(messagesAt(bytes, 8, 2, 2, 8)[0] ?? Buffer.alloc(0), 8, 1, 2, 3, 4).map(String)
  deepEqual(parameters, ['dryRun', 'fieldManager', 'fieldValidation', 'pretty'])
  const names = messagesAt(bytes, 9, 1, 1).map(String)
  ok(names.includes('io.k8s.api.core.v1.PodSpec') && names.includes('com.example.v1.Thing'))
})

const run = promisify(execFile)
const kubectlHelp = await run('kubectl', ['explain', '--help']).then(
  ({ stdout }) => stdout,
  () => undefined,
)

test(
  'kubectl explains from either version',
  { skip: kubectlHelp === undefined && 'kubectl is missing' },
  async (context) => {
    const cache = mkdtempSync(join(tmpdir(), 'holdfast-openapi-'))
    const server = createServer((request, response) => {
      const { contentType, body } = answer(new URL(request.url ?? '/', 'http://server').pathname)
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': contentType }).end(body)
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    context.after(() => {
      server.close()
      server.closeAllConnections()
      rmSync(cache, { recursive: true })
    })
    const options = [
      '--server',
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      '--cache-dir',
      cache,
      '--kubeconfig',
      '/dev/null',
    ]
    const explain = async (...words: string[]): Promise<string> =>
      (await run('kubectl', ['explain', ...words, ...options])).stdout

    match(
      await explain('persistentvolumeclaims.spec'),
      /storageClassName\s+<string>\s+storageClassName is the name of the StorageClass required by the claim/,
    )
    match(await explain('pods.spec.volumes.persistentVolumeClaim'), /claimName\s+<string> -required-/)
    match(await explain('things.spec'), /What is wanted\.[\s\S]*size\s+<integer>[\s\S]*How large\./)
    if (kubectlHelp?.includes('plaintext-openapiv2')) {
      match(
        await explain('pods.spec.containers', '--output', 'plaintext-openapiv2'),
        /volumeMounts\s+<\[\]Object>\s+Pod volumes to mount/,
      )
      match(await explain('things.spec', '--output', 'plaintext-openapiv2'), /size\s+<integer>[\s\S]*How large\./)
    }
  },
)

// As much of discovery as kubectl needs to find the kinds.
function answer(path: string): { contentType: string; body: Uint8Array | string | undefined } {
  if (path === '/openapi/v2')
    return { contentType: OPENAPI_V2_TYPE, body: openApiV2Document(KINDS, 'v1.36.0', descriptions) }
  const found = discover(path)
  return { contentType: 'application/json', body: found && JSON.stringify(found) }
}

function discover(path: string): JsonObject | undefined {
  const groups = ['storage.k8s.io', 'example.com']
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] }
  if (path === '/apis') {
    const versionOf = (group: string): JsonObject => ({ groupVersion: `${group}/v1`, version: 'v1' })
    return {
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: groups.map((name) => ({ name, versions: [versionOf(name)], preferredVersion: versionOf(name) })),
    }
  }
  if (path === '/openapi/v3')
    return openApiV3Index(new Map(['', ...groups].map((group) => [openApiV3Path(group, 'v1'), 'HASH'])))
  const kinds = KINDS.filter(({ group, version }) => path.endsWith(`/${openApiV3Path(group, version)}`))
  const [first] = kinds
  if (!first) return undefined
  if (path.startsWith('/openapi/')) return openApiV3Document(kinds, 'v1.36.0', descriptions)
  const resources = kinds.map(({ plural, namespaced, kind }) => ({
    name: plural,
    singularName: kind.toLowerCase(),
    namespaced,
    kind,
    verbs: ['get', 'list', 'patch'],
  }))
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersionOf(first), resources }
}
