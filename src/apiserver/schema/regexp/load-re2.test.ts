import { equal } from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { SNAPSHOT_CRDS } from '../../crd/snapshot-crds.ts'
import { CostMeter } from '../cost-meter.ts'
import { schemaFromCrd, schemaFromStoredCrd } from '../schema-from-crd.ts'
import { validateStructure } from '../validate-structure.ts'
import { GoRegExp } from './go-regexp.ts'

const isLoaded = (): boolean => Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes('re2js'))

test('the package is loaded when a pattern is used, not by the definitions that every cluster has', () => {
  for (const { spec } of SNAPSHOT_CRDS)
    for (const { schema } of spec.versions) equal(schemaFromCrd(schema?.openAPIV3Schema).problems.length, 0)
  const stored = schemaFromStoredCrd({ type: 'object', properties: { a: { type: 'string', pattern: '^a$' } } })
  equal(isLoaded(), false)
  equal(validateStructure(stored, { a: 'b' }).length, 1)
  equal(isLoaded(), true)
})

test('the pattern of quantities that is taken without being compiled is one', () => {
  const { schema } = schemaFromCrd({
    type: 'object',
    properties: {
      a: {
        pattern:
          '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        type: 'string',
      },
    },
  })
  equal(validateStructure(schema, { a: '1Gi' }).length, 0)
  equal(validateStructure(schema, { a: '1G1' }).length, 1)
  equal(new GoRegExp('^[0-9]+$').test('12', new CostMeter(1000)), true)
})
