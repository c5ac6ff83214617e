import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { PODS } from '../../api/kinds/pod.ts'
import type { PodSpec } from '../../api/kinds/pod.ts'
import { pod } from '../testing/objects-under-test.ts'
import { openServerUnderTest } from '../testing/open-server-under-test.ts'
import { defaultTolerationSeconds } from './default-toleration-seconds.ts'
import { admitted, writeOf } from './testing/admission-under-test.ts'

const added = (name: string) => ({
  key: `node.kubernetes.io/${name}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
})
const tolerationsOf = (tolerations?: object[], more: object = {}): unknown => {
  const pod = { metadata: { name: 'p' }, spec: { containers: [], ...(tolerations ? { tolerations } : {}) } }
  return (admitted(defaultTolerationSeconds, writeOf('Pod', pod, more)) as unknown as { spec: PodSpec }).spec
    .tolerations
}

test('a pod stays for 300 seconds on a node that is not ready or unreachable', () => {
  deepEqual(tolerationsOf(), [added('not-ready'), added('unreachable')])
  deepEqual(tolerationsOf(undefined, { operation: 'UPDATE' }), [added('not-ready'), added('unreachable')])
})
test('a pod that says how long it stays is left alone', () => {
  const own = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 1 }
  deepEqual(tolerationsOf([own]), [own, added('unreachable')])
  deepEqual(tolerationsOf([{ operator: 'Exists' }]), [{ operator: 'Exists' }])
})
test('tolerations of other effects do not count', () => {
  const other = { operator: 'Exists', effect: 'NoSchedule' }
  deepEqual(tolerationsOf([other]), [other, added('not-ready'), added('unreachable')])
})
test('subresources are not changed', () => deepEqual(tolerationsOf(undefined, { subresource: 'status' }), undefined))
test('an update without them changes nothing, so the generation stays', async () => {
  await using server = await openServerUnderTest()
  const made = await server.api.create(PODS, pod('p'))
  const { tolerations: _added, ...spec } = made.spec
  equal((await server.api.update(PODS, { ...made, spec })).metadata.generation, made.metadata.generation)
})
