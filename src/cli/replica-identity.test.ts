import { equal, match, notEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '../base/random.ts'
import { replicaIdentity } from './replica-identity.ts'

const random = createSeededRandom(1)
const identityOf = (hostname: string, env: Record<string, string>): string => replicaIdentity({ hostname, env, random })

test('in a pod a replica is its host', () => {
  equal(identityOf('csi-0', { KUBERNETES_SERVICE_HOST: '10.0.0.1' }), 'csi-0')
  equal(identityOf('csi-0', { POD_NAME: 'csi-0' }), 'csi-0')
})
test('two pods on the network of one node differ', () =>
  equal(identityOf('node-1', { KUBERNETES_SERVICE_HOST: '10.0.0.1', POD_NAME: 'csi-a' }), 'node-1_csi-a'))
test('two processes of one machine differ', () => {
  match(identityOf('laptop', {}), /^laptop_[0-9a-f-]{36}$/)
  notEqual(identityOf('laptop', {}), identityOf('laptop', {}))
})
