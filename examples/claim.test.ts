import { deepEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { findResourceType } from '../src/api/kinds/all-resource-types.ts'
import type { KubeObject } from '../src/api/object.ts'
import { openTestCore } from '../src/apiserver/testing/open-test-core.ts'

test('claim.yaml is taken as it stands, every field of it', async (t) => {
  const { api } = await openTestCore(t)
  const created: string[] = []
  for (const document of parseAllDocuments(readFileSync(join(import.meta.dirname, 'claim.yaml'), 'utf8'))) {
    const object = document.toJS() as KubeObject
    const type = findResourceType(object)
    if (!type) throw new Error(`${object.kind} is not known`)
    const inNamespace = type.namespaced ? { ...object, metadata: { namespace: 'default', ...object.metadata } } : object
    created.push((await api.create(type, inNamespace, { fieldValidation: 'Strict' })).kind)
  }
  deepEqual(created, ['StorageClass', 'PersistentVolumeClaim'])
})
