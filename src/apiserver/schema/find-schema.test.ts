import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { BUILT_IN_KINDS, findSchema, objectMetaSchema } from './find-schema.ts'
import type { ObjectSchema, Property, Schema } from './schema.ts'

const kindSchema = (group: string, version: string, kind: string): ObjectSchema => {
  const schema = findSchema(group, version, kind)
  ok(schema, `${kind} is known`)
  return schema
}

// Follows `spec.containers.env`, through lists and maps.
function propertyAt(schema: Schema, path: string): Property {
  let current = schema
  let found: Property | undefined
  for (const name of path.split('.')) {
    if (current.type === 'list') current = current.items
    found = current.type === 'object' ? current.properties.get(name) : undefined
    ok(found, `${path} is known`)
    current = found.schema
  }
  ok(found)
  return found
}

test('knows every built-in kind with all that it refers to', () => {
  const seen = new Set<Schema>()
  const visit = (schema: Schema): void => {
    if (seen.has(schema)) return
    seen.add(schema)
    if (schema.type === 'object') for (const property of schema.properties.values()) visit(property.schema)
    else if (schema.type === 'list') visit(schema.items)
    else if (schema.type === 'map') visit(schema.values)
    else if (schema.type === 'schema-or') visit(schema.schema)
  }
  for (const { group, version, kind } of BUILT_IN_KINDS) visit(kindSchema(group, version, kind))
  equal(BUILT_IN_KINDS.length, 73)
})

test('does not know what is not built in', () => {
  equal(findSchema('', 'v1', 'Thing'), undefined)
  equal(findSchema('storage.k8s.io', 'v1alpha1', 'CSINode'), undefined)
})

test('finds options of a deletion in every group', () => {
  equal(findSchema('snapshot.storage.k8s.io', 'v1', 'DeleteOptions'), findSchema('', 'v1', 'DeleteOptions'))
  ok(findSchema('', 'v1', 'DeleteOptions'))
})

const CLAIM = kindSchema('', 'v1', 'PersistentVolumeClaim')
const VOLUME = kindSchema('', 'v1', 'PersistentVolume')
const POD = kindSchema('', 'v1', 'Pod')

test('tells where absence differs from the zero value', () => {
  equal(propertyAt(CLAIM, 'spec.storageClassName').pointer, true)
  equal(propertyAt(VOLUME, 'spec.storageClassName').pointer, false)
  equal(propertyAt(kindSchema('storage.k8s.io', 'v1', 'CSIDriver'), 'spec.attachRequired').pointer, true)
})

test('tells what is always written', () => {
  const attachment = kindSchema('storage.k8s.io', 'v1', 'VolumeAttachment')
  equal(propertyAt(attachment, 'status.attached').whenEmpty, 'zero')
  equal(propertyAt(attachment, 'status').whenEmpty, 'zero')
  equal(propertyAt(kindSchema('', 'v1', 'Event'), 'eventTime').whenEmpty, 'null')
  equal(propertyAt(POD, 'metadata.creationTimestamp').whenEmpty, 'omit')
  equal(propertyAt(kindSchema('rbac.authorization.k8s.io', 'v1', 'ClusterRole'), 'rules').whenEmpty, 'null')
})

test('puts the fields of an inlined struct among its neighbours, and keeps it apart for protobuf', () => {
  const volume = propertyAt(POD, 'spec.volumes').schema
  ok(volume.type === 'list' && volume.items.type === 'object')
  deepEqual([...volume.items.properties.keys()].slice(0, 3), ['name', 'hostPath', 'emptyDir'])
  const inlined = volume.items.numbered.get(2)
  ok(inlined && 'inlined' in inlined)
  equal(inlined.inlined.name, 'io.k8s.api.core.v1.VolumeSource')
})

test('has the protobuf numbers', () => {
  equal(propertyAt(objectMetaSchema(), 'finalizers').number, 14)
  equal(propertyAt(CLAIM, 'spec.volumeAttributesClassName').number, 9)
})

const merged: [schema: Schema, path: string, key: string | undefined, strategy: string][] = [
  [POD, 'metadata.ownerReferences', 'uid', 'merge'],
  [POD, 'metadata.finalizers', undefined, 'merge'],
  [CLAIM, 'status.conditions', 'type', 'merge'],
  [kindSchema('storage.k8s.io', 'v1', 'CSINode'), 'spec.drivers', 'name', 'merge'],
  [POD, 'spec.volumes', 'name', 'merge,retainKeys'],
  [POD, 'spec.containers', 'name', 'merge'],
  [POD, 'spec.resourceClaims', 'name', 'merge,retainKeys'],
  [POD, 'spec.hostAliases', 'ip', 'merge'],
  [POD, 'spec.topologySpreadConstraints', 'topologyKey', 'merge'],
  [POD, 'spec.containers.env', 'name', 'merge'],
  [POD, 'spec.containers.ports', 'containerPort', 'merge'],
  [POD, 'spec.containers.volumeMounts', 'mountPath', 'merge'],
  [POD, 'spec.containers.volumeDevices', 'devicePath', 'merge'],
  [POD, 'status.podIPs', 'ip', 'merge'],
  [kindSchema('', 'v1', 'ServiceAccount'), 'secrets', 'name', 'merge'],
  [kindSchema('', 'v1', 'Service'), 'spec.ports', 'port', 'merge'],
  [kindSchema('', 'v1', 'Node'), 'status.addresses', 'type', 'merge'],
  [kindSchema('', 'v1', 'Node'), 'spec.podCIDRs', undefined, 'merge'],
  [kindSchema('apps', 'v1', 'Deployment'), 'spec.strategy', undefined, 'retainKeys'],
  [kindSchema('policy', 'v1', 'PodDisruptionBudget'), 'spec.selector', undefined, 'replace'],
  [CLAIM, 'spec.accessModes', undefined, ''],
  [POD, 'spec.tolerations', undefined, ''],
]
for (const [schema, path, key, strategy] of merged) {
  test(`patches ${schema.type === 'object' ? schema.name?.split('.').at(-1) : ''} ${path} by ${strategy || 'replacing it'}`, () => {
    const { mergeKey, patchStrategy, retainKeys } = propertyAt(schema, path)
    equal(mergeKey, key)
    equal([patchStrategy, retainKeys && 'retainKeys'].filter(Boolean).join(','), strategy)
  })
}

test('has list types and keys', () => {
  const ports = propertyAt(POD, 'spec.containers.ports').schema
  ok(ports.type === 'list')
  deepEqual([ports.listType, ports.keys], ['map', ['containerPort', 'protocol']])
  const modes = propertyAt(CLAIM, 'spec.accessModes').schema
  ok(modes.type === 'list')
  equal(modes.listType, 'atomic')
})

test('lets JSON schemas hold JSON schemas', () => {
  const schema = propertyAt(
    kindSchema('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition'),
    'spec.versions.schema.openAPIV3Schema',
  ).schema
  const not = propertyAt(schema, 'not').schema
  equal(not, schema)
})
