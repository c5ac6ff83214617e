import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isApiError } from '../../api/api-error.ts'
import { errorEncoding, negotiate } from './negotiate.ts'

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'
const OLD_TABLE = 'application/json;as=Table;v=v1beta1;g=meta.k8s.io'

const cases: [who: string, accept: string | undefined, chosen: string][] = [
  ['a client that says nothing', undefined, 'json object v1'],
  ['curl', '*/*', 'json object v1'],
  ['a dynamic client', 'application/json', 'json object v1'],
  ['a typed Go client of today', 'application/vnd.kubernetes.protobuf,application/json', 'json object v1'],
  ['a sidecar', 'application/vnd.kubernetes.protobuf, */*', 'json object v1'],
  ['a JavaScript client', 'application/json, */*;q=0.8', 'json object v1'],
  ['kubectl get', `${TABLE},${OLD_TABLE},application/json`, 'json table v1'],
  ['an old kubectl get', `${OLD_TABLE},application/json`, 'json table v1beta1'],
  [
    'the metadata client',
    'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
    'json partial v1',
  ],
  [
    'the metadata client for a list',
    'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    'json partial v1',
  ],
  [
    'someone who wants a table of an unknown version',
    'application/json;as=Table;v=v9;g=meta.k8s.io,application/json',
    'json object v1',
  ],
  [
    'someone who wants a table of another group',
    'application/json;as=Table;v=v1;g=example.com,application/json',
    'json object v1',
  ],
  ['a reader of YAML', 'application/yaml', 'yaml object v1'],
  ['someone who prefers YAML', 'application/json;q=0.5,application/yaml', 'yaml object v1'],
  ['someone who refuses YAML', 'application/yaml;q=0,application/json', 'json object v1'],
]
for (const [who, accept, chosen] of cases) {
  test(`gives ${who}: ${chosen}`, () => {
    const { encoding, as, version } = negotiate(accept)
    assert.equal(`${encoding} ${as} ${version}`, chosen)
  })
}

test('refuses what it can write in no way, and says what it can', () => {
  assert.throws(
    () => negotiate('application/xml'),
    (error) => isApiError(error, 'NotAcceptable') && error.message.includes('application/json, application/yaml'),
  )
  assert.throws(
    () => negotiate('application/json;as=Table;v=v9;g=meta.k8s.io'),
    (error) => isApiError(error, 'NotAcceptable'),
  )
})

test('writes watches in JSON only', () => {
  assert.throws(
    () => negotiate('application/yaml', { stream: true }),
    (error) => isApiError(error, 'NotAcceptable'),
  )
  assert.equal(negotiate('application/yaml, application/json', { stream: true }).encoding, 'json')
})

test('tells errors in JSON, except to those who read YAML', () => {
  assert.equal(errorEncoding('application/xml'), 'json')
  assert.equal(errorEncoding('application/json, application/yaml'), 'json')
  assert.equal(errorEncoding('application/yaml'), 'yaml')
})
