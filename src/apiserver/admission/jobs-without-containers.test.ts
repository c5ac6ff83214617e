import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../api/object.ts'
import { jobsWithoutContainers } from './jobs-without-containers.ts'
import { admitted, viewOf, writeOf } from './testing/admission-under-test.ts'

const nodeOf = (kubeletVersion: string): KubeObject =>
  ({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' }, status: { nodeInfo: { kubeletVersion } } }) as KubeObject
const warningsOf = (kind: string, node: KubeObject, more: object = {}): readonly string[] => {
  const request = writeOf(kind, { metadata: { name: 'j' } }, { view: viewOf(node), ...more })
  admitted(jobsWithoutContainers, request)
  return request.warnings
}
const WARNING =
  'Holdfast nodes run no containers: pods of a Job stay Running there until the phase in their status is set to Succeeded or Failed'

test('creating a Job or CronJob warns if nodes run no containers', () => {
  deepEqual(warningsOf('Job', nodeOf('holdfast-1.0.0')), [WARNING])
  deepEqual(warningsOf('CronJob', nodeOf('holdfast-1.0.0')), [WARNING])
})
test('nothing warns on nodes with a kubelet, for other kinds, or about a change', () => {
  deepEqual(warningsOf('Job', nodeOf('v1.36.0')), [])
  deepEqual(warningsOf('Deployment', nodeOf('holdfast-1.0.0')), [])
  deepEqual(warningsOf('Job', nodeOf('holdfast-1.0.0'), { operation: 'UPDATE' }), [])
})
