import { deepEqual, equal, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { KUBERNETES_TABLE } from '../schema/generated/kubernetes.ts'
import { normalize } from '../schema/normalize.ts'
import { readSchemaTable } from '../schema/read-schema-table.ts'
import { extendSchemaTable, ALPHA_EXTENSIONS } from './alpha-extensions.ts'

const IN_LINE = {
  driver: 'driver.example.com',
  volumeHandle: 'h1',
  controllerPublishSecretRef: { name: 'attach' },
  nodeStageSecretRef: { name: 'stage' },
  nodePublishSecretRef: { name: 'publish' },
}

describe('S2-4, S2-9: an in-line CSI volume', () => {
  const schema = readSchemaTable(extendSchemaTable(KUBERNETES_TABLE, ALPHA_EXTENSIONS)).findDefinition(
    'io.k8s.api.core.v1.CSIVolumeSource',
  )
  if (!schema) throw new Error('there is no CSIVolumeSource')

  test('keeps its handle and its secrets', () =>
    deepEqual(normalize(schema, IN_LINE), { value: IN_LINE, unknownFields: [], problems: [] }))
  test('needs neither', () => deepEqual(normalize(schema, { driver: 'd' }).value, { driver: 'd' }))
  test('S2-13: names secrets only', () =>
    deepEqual(normalize(schema, { driver: 'd', nodeStageSecretRef: { name: 's', namespace: 'ns' } }).unknownFields, [
      'nodeStageSecretRef.namespace',
    ]))
  test('has no protobuf numbers for them', () => equal(schema.properties.get('volumeHandle')?.number, 0))
})

test('an extension of a struct that does not exist is a mistake', () => {
  throws(
    () => extendSchemaTable(KUBERNETES_TABLE, [{ definition: 'io.k8s.none', field: 'a', type: 'string' }]),
    /no io\.k8s\.none/,
  )
})
