import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../api/api-error.ts'
import { decodeBody, decodePatch } from './decode-body.ts'

const encoded = (contentType: string | undefined, text: string) => ({ contentType, bytes: Buffer.from(text) })
const refusalOf = async (work: () => unknown): Promise<string> => {
  try {
    await work()
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`
    throw error
  }
  return 'accepted'
}

test('reads JSON, also without a type, and with parameters', async () => {
  for (const type of ['application/json', undefined, '', 'Application/JSON; charset=utf-8']) {
    assert.deepEqual((await decodeBody(encoded(type, '{"a":"ä"}'))).value, { a: 'ä' })
  }
})

test('notices fields that stand twice', async () => {
  assert.deepEqual((await decodeBody(encoded('application/json', '{"a":{"b":1,"b":2}}'))).duplicateFields, ['a.b'])
  const yaml = await decodeBody(encoded('application/yaml', 'a:\n  b: 1\n  b: 2\nl:\n  - c: 1\n    c: 2\n'))
  assert.deepEqual(yaml, {
    value: { a: { b: 2 }, l: [{ c: 2 }] },
    duplicateFields: ['line 3: key "b" already set in map', 'line 6: key "c" already set in map'],
  })
})

test('reads YAML, once and not a thousand times', async () => {
  assert.deepEqual((await decodeBody(encoded('application/yaml', 'a: [1, true, x]\n'))).value, { a: [1, true, 'x'] })
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x,x]',
    ...'bcdefgh'.split('').map((name, index) => `${name}: &${name} [${`*${'abcdefgh'[index]},`.repeat(10)}]`),
  ].join('\n')
  assert.match(
    await refusalOf(() => decodeBody(encoded('application/yaml', bomb))),
    /^400 the body of the request is not YAML/,
  )
  assert.match(
    await refusalOf(() => decodeBody(encoded('application/yaml', 'a: 1\n---\nb: 2\n'))),
    /^400 .*one document/,
  )
})

test('refuses what is nested without end, however it is written', async () => {
  const deep = 100_000
  const texts: [type: string, text: string][] = [
    ['application/json', '['.repeat(deep)],
    ['application/json', `${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`],
    ['application/yaml', `{"a":${'['.repeat(deep)}${']'.repeat(deep)}}`],
    ['application/yaml', '['.repeat(deep)],
    ['application/yaml', `${'['.repeat(deep / 2)}${']'.repeat(deep / 2)}`],
    ['application/yaml', '- '.repeat(deep / 2)],
    ['application/yaml', '? '.repeat(deep / 2)],
    // None of them is deep, but all together are.
    [
      'application/yaml',
      Array.from(
        { length: 60 },
        (_, index) => `a${index}: &a${index} ${'['.repeat(50)}${index === 0 ? '' : `*a${index - 1}`}${']'.repeat(50)}`,
      ).join('\n'),
    ],
  ]
  for (const [type, text] of texts)
    assert.match(await refusalOf(() => decodeBody(encoded(type, text))), /^4(00|13) .*(not JSON|not YAML|too large)/)
})

test('says what is wrong with YAML, and where, without looking at every mistake', async () => {
  assert.equal(
    await refusalOf(() => decodeBody(encoded('application/yaml', 'a: b\nc: [,]\n'))),
    '400 the body of the request is not YAML: Unexpected , in flow sequence at line 2, column 5',
  )
  assert.match(
    await refusalOf(() => decodeBody(encoded('application/yaml', `[${','.repeat(20_000)}`))),
    /^400 .*at line 1, column 3$/,
  )
})

test('refuses YAML that says what JSON cannot', async () => {
  assert.match(
    await refusalOf(() => decodeBody(encoded('application/yaml', 'a: &a [*a]\n'))),
    /^400 the body of the request is not YAML/,
  )
})

test('reads as much JSON under the name of YAML as under its own, and of YAML itself much less', async () => {
  const large = 'x'.repeat(1024 * 1024)
  assert.deepEqual((await decodeBody(encoded('application/yaml', `{"a":"${large}"}`))).value, { a: large })
  assert.equal(
    await refusalOf(() => decodeBody(encoded('application/yaml', `a: ${large}\n`))),
    '413 Request entity too large: limit is 131072',
  )
})

test('refuses other types with 415 and the list of those it takes', async () => {
  const refusal =
    '415 the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf'
  assert.equal(await refusalOf(() => decodeBody(encoded('text/plain', '{}'))), refusal)
  assert.equal(
    await refusalOf(() => decodeBody({ ...encoded('application/json', '{}'), contentEncoding: 'gzip' })),
    refusal,
  )
})

test('refuses text that is no JSON, or nothing at all, with 400', async () => {
  assert.match(
    await refusalOf(() => decodeBody(encoded('application/json', '{"a":'))),
    /^400 the body of the request is not JSON/,
  )
  assert.equal(
    await refusalOf(() => decodeBody(encoded('application/json', ''))),
    '400 the body of the request is empty',
  )
})

test('tells the types of patches apart', async () => {
  const patchOf = async (type: string, text: string) =>
    (await decodePatch(encoded(type, text), { strategic: true })).patch
  assert.deepEqual(await patchOf('application/merge-patch+json', '{"a":null}'), { type: 'merge', value: { a: null } })
  assert.deepEqual(await patchOf('application/strategic-merge-patch+json', '{"a":1}'), {
    type: 'strategic',
    value: { a: 1 },
  })
  const operations = [{ op: 'remove', path: '/a' }]
  assert.deepEqual(await patchOf('application/json-patch+json', JSON.stringify(operations)), {
    type: 'json',
    operations,
  })
})

test('offers custom resources no strategic merge', async () => {
  const custom = () => decodePatch(encoded('application/strategic-merge-patch+json', '{}'), { strategic: false })
  assert.equal(
    await refusalOf(custom),
    '415 the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
  )
  assert.match(await refusalOf(() => decodePatch(encoded(undefined, '{}'), { strategic: true })), /^415/)
})

test('reads an applied configuration as YAML and as JSON', async () => {
  for (const text of ['a: 1\n', '{"a":1}']) {
    const { patch } = await decodePatch(encoded('application/apply-patch+yaml', text), { strategic: true, force: true })
    assert.deepEqual(patch, { type: 'apply', value: { a: 1 }, force: true })
  }
})

test('refuses patches of the wrong shape with 400', async () => {
  const refused = (type: string, text: string) => refusalOf(() => decodePatch(encoded(type, text), { strategic: true }))
  assert.match(await refused('application/json-patch+json', '{}'), /^400 a JSON patch is a list/)
  assert.match(await refused('application/json-patch+json', '[{"op":"jump","path":"/a"}]'), /^400/)
  assert.equal(await refused('application/merge-patch+json', '[]'), '400 the patch is not an object')
})
