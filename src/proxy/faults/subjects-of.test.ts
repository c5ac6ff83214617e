import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CSI_RPCS } from '../../csi/index.ts'
import { findCallSubject, subjectsOf } from './subjects-of.ts'

const messageOf = (method: string, members: object): [string, unknown] => {
  const rpc = CSI_RPCS.get(method)
  assert.ok(rpc)
  return [rpc.requestName, rpc.requestType.fromPartial(members)]
}

test('a call is about the IDs and names in its request', () => {
  const source = { type: { $case: 'snapshot', value: { snapshotId: 's' } } }
  const request = messageOf('createVolume', { name: 'n', volumeContentSource: source, secrets: { name: 'x' } })
  assert.deepEqual(subjectsOf(...request), ['n', 's'])
})

test('a call is for the claim or pod that its request names, otherwise for its volume', () => {
  const claim = { 'csi.storage.k8s.io/pvc/name': 'data', 'csi.storage.k8s.io/pvc/namespace': 'shop' }
  const pod = { 'csi.storage.k8s.io/pod.name': 'web', 'csi.storage.k8s.io/pod.namespace': 'shop' }
  assert.equal(findCallSubject(...messageOf('createVolume', { name: 'n', parameters: claim })), 'claim shop/data')
  assert.equal(
    findCallSubject(...messageOf('nodePublishVolume', { volumeId: 'v', volumeContext: pod })),
    'pod shop/web',
  )
  assert.equal(findCallSubject(...messageOf('deleteVolume', { volumeId: 'v' })), 'v')
  assert.equal(findCallSubject(...messageOf('probe', {})), undefined)
})
