import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { nextAllocatableStep } from './next-allocatable-step.ts'
import type { AllocatableStep, AllocatableView } from './next-allocatable-step.ts'
import { REASONS } from './reasons.ts'

const waitMs = (retryInMs: number): AllocatableStep => ({ kind: 'wait', reason: REASONS.LimitCurrent, retryInMs })
const idle: AllocatableView = { dueInMs: 60_000, waiting: [], lookInMs: undefined }

const cases: [behaviour: string, view: Partial<AllocatableView>, step: AllocatableStep][] = [
  ['plans a driver that is new', { dueInMs: undefined }, { kind: 'plan' }],
  ['waits for the end of the period', {}, waitMs(60_000)],
  ['waits until the period is over', { dueInMs: 1 }, waitMs(1)],
  ['asks the driver when the period is over', { dueInMs: 0 }, { kind: 'refresh' }],
  ['plans to look at the attachment of a volume that is not attached', { waiting: ['a'] }, { kind: 'plan' }],
  ['waits before it looks', { waiting: ['a'], lookInMs: 1 }, waitMs(1)],
  ['waits for the period where that ends first', { waiting: ['a'], lookInMs: 70_000 }, waitMs(60_000)],
  ['looks when it is time', { waiting: ['a', 'b'], lookInMs: 0 }, { kind: 'look', attachments: ['a', 'b'] }],
  ['asks the driver instead when both are due', { dueInMs: 0, waiting: ['a'], lookInMs: 0 }, { kind: 'refresh' }],
  ['has nothing to look at once all is attached', { lookInMs: -5 }, waitMs(60_000)],
]
for (const [behaviour, view, step] of cases)
  test(behaviour, () => deepEqual(nextAllocatableStep({ ...idle, ...view }), step))
