import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { readDescriptions } from './read-descriptions.ts'

const descriptions = readDescriptions(`
a.Pod A pod.
spec What is wanted.
|
|More: https://example.com
status

a.Bare
name A name.
`)

test('a definition and its fields have their descriptions', () => {
  equal(descriptions('a.Pod'), 'A pod.')
  equal(descriptions('a.Bare', 'name'), 'A name.')
})

test('a description may have several lines, and empty ones', () =>
  equal(descriptions('a.Pod', 'spec'), 'What is wanted.\n\nMore: https://example.com'))

test('what has no description has none', () => {
  equal(descriptions('a.Pod', 'status'), undefined)
  equal(descriptions('a.Pod', 'absent'), undefined)
  equal(descriptions('a.Bare'), undefined)
  equal(descriptions('a.Absent'), undefined)
})
