import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCondition, hasCondition, removeCondition, setCondition } from './conditions.ts'
import type { Condition } from './kinds/condition.ts'
import type { PodCondition } from './kinds/pod.ts'

const NOW = Date.UTC(2030, 0, 1)
const ready: Condition = { type: 'Ready', status: 'True', reason: 'Fine', lastTransitionTime: '2029-01-01T00:00:00Z' }
const other: Condition = { type: 'Other', status: 'Unknown', lastTransitionTime: null }

test('finds by type, in a list that may be missing', () => {
  assert.equal(findCondition([other, ready], 'Ready'), ready)
  assert.equal(findCondition(undefined, 'Ready'), undefined)
  assert.equal(findCondition(null, 'Ready'), undefined)
})

test('a condition that is missing has no status', () => {
  assert.equal(hasCondition([ready], 'Ready'), true)
  assert.equal(hasCondition([ready], 'Ready', 'False'), false)
  assert.equal(hasCondition([], 'Ready', 'False'), false)
  assert.equal(hasCondition([other], 'Other', 'Unknown'), true)
})

test('a new condition begins now', () => {
  assert.deepEqual(setCondition<Condition>(undefined, { type: 'Ready', status: 'True' }, NOW), [
    { type: 'Ready', status: 'True', lastTransitionTime: '2030-01-01T00:00:00Z' },
  ])
})

test('another status is a transition, in its place in the list', () => {
  assert.deepEqual(setCondition([ready, other], { type: 'Ready', status: 'False', reason: 'Broken' }, NOW), [
    { type: 'Ready', status: 'False', reason: 'Broken', lastTransitionTime: '2030-01-01T00:00:00Z' },
    other,
  ])
})

test('another reason is no transition', () => {
  assert.deepEqual(setCondition([ready], { type: 'Ready', status: 'True', reason: 'Better' }, NOW), [
    { ...ready, reason: 'Better' },
  ])
})

test('a time that was never written is written', () => {
  assert.deepEqual(setCondition([other], { type: 'Other', status: 'Unknown' }, NOW), [
    { ...other, lastTransitionTime: '2030-01-01T00:00:00Z' },
  ])
})

test('no change gives back the same list', () => {
  const list = [ready, other]
  assert.equal(setCondition(list, { type: 'Ready', status: 'True', reason: 'Fine' }, NOW), list)
})

test('a field that the server has added as null is no change', () => {
  const list: readonly PodCondition[] = [{ ...ready, lastProbeTime: null }, other]
  assert.equal(setCondition<PodCondition>(list, { type: 'Ready', status: 'True', reason: 'Fine' }, NOW), list)
})

test('leaves the list that it was given', () => {
  const list: readonly Condition[] = Object.freeze([ready])
  setCondition(list, { type: 'Ready', status: 'False' }, NOW)
  assert.deepEqual(list, [ready])
})

test('removes by type, or gives back the same list', () => {
  const list = [ready, other]
  assert.deepEqual(removeCondition(list, 'Ready'), [other])
  assert.equal(removeCondition(list, 'Missing'), list)
  assert.deepEqual(removeCondition(undefined, 'Ready'), [])
})
