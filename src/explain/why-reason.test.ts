import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { nextClaimStep } from '../controllers/binder/next-claim-step.ts'
import { cureOf, withFacts } from './why-reason.ts'
import type { WhyCode } from './why-reason.ts'

const claim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: 'default', name: 'data' },
  spec: { storageClassName: 'fast' },
} as const

test('a code that no part has does not compile', () => {
  const step = nextClaimStep({ seen: { claim } })
  equal(step.kind === 'wait' && step.reason.code === 'StorageClassMissing', true)
  // @ts-expect-error: one letter is missing. Without this error the codes of the binder would not be a closed union.
  equal(step.kind === 'wait' && step.reason.code === 'StorageClassMising', false)
  // @ts-expect-error: neither a part nor this folder has it.
  const code: WhyCode = 'StorageClassMising'
  equal(code, 'StorageClassMising')
})

test('the cure of the part comes before ours', () => {
  equal(cureOf({ code: 'SecretMissing', cure: 'Ask the vault.' }), 'Ask the vault.')
  equal(cureOf({ code: 'SecretMissing' }), 'Create it.')
  equal(cureOf({ code: 'Attached' }), undefined)
})

test('a message names the objects that it is about', () => {
  const reason = { code: 'StorageShort', message: 'node(s) did not have enough free storage' } as const
  equal(
    withFacts({ ...reason, detail: { claim: 'default/data', class: 'fast', nodes: '3' } }).message,
    'node(s) did not have enough free storage (claim default/data, class fast)',
  )
  equal(withFacts({ ...reason, detail: { claim: 'storage' } }).message, reason.message)
})
