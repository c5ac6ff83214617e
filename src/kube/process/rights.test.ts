import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { formatRules, READ, right, rightOnStatus } from './rights.ts'

test('rights to the same resource become one rule with the verbs of all of them', () => {
  const rules = formatRules([
    right(PERSISTENT_VOLUMES, 'patch', ...READ),
    right(PERSISTENT_VOLUMES, 'delete', 'get', 'create'),
  ])
  deepEqual(rules, [
    { apiGroups: [''], resources: ['persistentvolumes'], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  ])
})

test('a right to an object grants nothing on its status, and the other way round', () => {
  const rules = formatRules([rightOnStatus(VOLUME_ATTACHMENTS, 'patch'), right(VOLUME_ATTACHMENTS, 'get')])
  deepEqual(rules, [
    { apiGroups: ['storage.k8s.io'], resources: ['volumeattachments'], verbs: ['get'] },
    { apiGroups: ['storage.k8s.io'], resources: ['volumeattachments/status'], verbs: ['patch'] },
  ])
})
