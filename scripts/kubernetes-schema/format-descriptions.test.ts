import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { readDescriptions } from '../../src/apiserver/schema/read-descriptions.ts'
import { formatDescriptions } from './format-descriptions.ts'

const text = formatDescriptions(
  {
    'a.Pod': {
      description: 'A pod.\n\nOf containers.',
      properties: {
        apiVersion: { description: 'The version.' },
        kind: { description: 'The kind.' },
        metadata: { description: 'The name.' },
        spec: { description: 'Wanted.' },
        status: {},
      },
    },
    'a.Reference': { properties: { kind: { description: 'Kind of the referent.' } } },
    'a.Unused': { description: 'Nothing refers to it.' },
  },
  ['a.Reference', 'a.Pod', 'a.Inlined'],
)

test('definitions that are used are written in order, without the fields that every object has', () =>
  equal(
    text,
    `a.Pod A pod.
|
|Of containers.
metadata The name.
spec Wanted.

a.Reference
kind Kind of the referent.`,
  ))

test('the server reads what is written', () => {
  const descriptions = readDescriptions(text)
  equal(descriptions('a.Pod'), 'A pod.\n\nOf containers.')
  equal(descriptions('a.Pod', 'spec'), 'Wanted.')
  equal(descriptions('a.Reference', 'kind'), 'Kind of the referent.')
})
