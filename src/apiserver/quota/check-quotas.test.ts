import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { ResourceQuota } from '../../api/kinds/resource-quota.ts'
import { SECRETS } from '../../api/kinds/secret.ts'
import { SERVICES } from '../../api/kinds/service.ts'
import type { Amounts } from './amounts.ts'
import { checkQuotas, usedBy } from './check-quotas.ts'
import type { MeasuredWrite, QuotaDecision } from './check-quotas.ts'

const NOW_MS = 0
const quota = (hard: Amounts, more: { used?: Amounts; spec?: object } = {}): ResourceQuota => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q' },
  spec: { hard, ...more.spec },
  status: { hard, used: { ...Object.fromEntries(Object.keys(hard).map((name) => [name, '0'])), ...more.used } },
})
const write = (type: MeasuredWrite['type'], object: object, more: Partial<MeasuredWrite> = {}): MeasuredWrite => ({
  type,
  subresource: '',
  object: { metadata: {}, ...object },
  old: undefined,
  ...more,
})
const claim = (storage: string, storageClassName = 'fast'): { spec: object } => ({
  spec: { storageClassName, resources: { requests: { storage } } },
})
const pod = (resources: object, more: object = {}): object => ({
  spec: { containers: [{ name: 'c', resources }], ...more },
})

const used = (decision: QuotaDecision): unknown =>
  decision.kind === 'charge' ? decision.charges.map((charge) => charge.used) : decision.why
const decided = (one: ResourceQuota, asked: MeasuredWrite): unknown => used(checkQuotas([one], asked, NOW_MS))

describe('a claim', () => {
  const byClass = 'fast.storageclass.storage.k8s.io/requests.storage'
  test('is charged with its size, in all and for its class', () =>
    deepEqual(
      decided(quota({ 'requests.storage': '10Gi', [byClass]: '5Gi' }), write(PERSISTENT_VOLUME_CLAIMS, claim('1Gi'))),
      [{ 'requests.storage': '1Gi', [byClass]: '1Gi' }],
    ))
  test('of another class does not count for the class', () =>
    deepEqual(decided(quota({ [byClass]: '5Gi' }), write(PERSISTENT_VOLUME_CLAIMS, claim('1Gi', 'slow'))), []))
  test('beyond the quota of its class is rejected', () =>
    equal(
      decided(
        quota({ [byClass]: '5Gi' }, { used: { [byClass]: '4Gi' } }),
        write(PERSISTENT_VOLUME_CLAIMS, claim('2Gi')),
      ),
      `exceeded quota: q, requested: ${byClass}=2Gi, used: ${byClass}=4Gi, limited: ${byClass}=5Gi`,
    ))
  test('may use exactly what is left', () =>
    deepEqual(
      decided(
        quota({ 'requests.storage': '5Gi' }, { used: { 'requests.storage': '4Gi' } }),
        write(PERSISTENT_VOLUME_CLAIMS, claim('1Gi')),
      ),
      [{ 'requests.storage': '5Gi' }],
    ))
  test('that grows is charged with the difference', () => {
    const asked = write(PERSISTENT_VOLUME_CLAIMS, claim('3Gi'), { old: { metadata: {}, ...claim('1Gi') } })
    deepEqual(decided(quota({ 'requests.storage': '5Gi' }, { used: { 'requests.storage': '1Gi' } }), asked), [
      { 'requests.storage': '3Gi' },
    ])
  })
  test('that shrinks after a failed expansion is not charged', () => {
    const asked = write(PERSISTENT_VOLUME_CLAIMS, claim('1Gi'), { old: { metadata: {}, ...claim('3Gi') } })
    deepEqual(decided(quota({ 'requests.storage': '5Gi' }, { used: { 'requests.storage': '3Gi' } }), asked), [])
  })
  test('counts with what an expansion may have allocated', () => {
    const object = { ...claim('1Gi'), status: { allocatedResources: { storage: '2Gi' } } }
    deepEqual(decided(quota({ 'requests.storage': '5Gi' }), write(PERSISTENT_VOLUME_CLAIMS, object)), [
      { 'requests.storage': '2Gi' },
    ])
  })
  test('is selected by its volume attributes class', () => {
    const spec = {
      scopeSelector: { matchExpressions: [{ scopeName: 'VolumeAttributesClass', operator: 'In', values: ['gold'] }] },
    }
    const gold = { spec: { ...claim('1Gi').spec, volumeAttributesClassName: 'gold' } }
    const one = quota({ persistentvolumeclaims: '1' }, { spec })
    deepEqual(decided(one, write(PERSISTENT_VOLUME_CLAIMS, gold)), [{ persistentvolumeclaims: '1' }])
    deepEqual(decided(one, write(PERSISTENT_VOLUME_CLAIMS, claim('1Gi'))), [])
  })
})

describe('a pod', () => {
  test('is charged with what its containers request together', () => {
    const object = {
      spec: {
        containers: [
          { name: 'a', resources: { requests: { cpu: '500m' } } },
          { name: 'b', resources: { requests: { cpu: '1' } } },
        ],
        initContainers: [{ name: 'i', resources: { requests: { cpu: '2' } } }],
      },
    }
    deepEqual(decided(quota({ cpu: '4', pods: '3' }), write(PODS, object)), [{ cpu: '2', pods: '1' }])
  })
  test('has to say what it uses of a limited resource', () =>
    equal(
      decided(quota({ 'limits.memory': '1Gi', 'requests.cpu': '1' }), write(PODS, pod({}))),
      'failed quota: q: must specify limits.memory for: c; requests.cpu for: c',
    ))
  test('that has ended counts only as an object', () =>
    deepEqual(
      decided(quota({ pods: '1', 'count/pods': '5' }), write(PODS, { ...pod({}), status: { phase: 'Failed' } })),
      [{ pods: '0', 'count/pods': '1' }],
    ))
  test('without requests is best effort', () => {
    const bestEffort = quota({ pods: '5' }, { spec: { scopes: ['BestEffort'] } })
    deepEqual(decided(bestEffort, write(PODS, pod({}))), [{ pods: '1' }])
    deepEqual(decided(bestEffort, write(PODS, pod({ requests: { cpu: '1' } }))), [])
  })
  test('with a deadline is terminating', () => {
    const terminating = quota({ pods: '5' }, { spec: { scopes: ['Terminating'] } })
    deepEqual(decided(terminating, write(PODS, pod({}, { activeDeadlineSeconds: 60 }))), [{ pods: '1' }])
    deepEqual(decided(terminating, write(PODS, pod({}))), [])
  })
  test('is selected by its priority class', () => {
    const spec = {
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'NotIn', values: ['low'] }] },
    }
    deepEqual(decided(quota({ pods: '5' }, { spec }), write(PODS, pod({}, { priorityClassName: 'high' }))), [
      { pods: '1' },
    ])
    deepEqual(decided(quota({ pods: '5' }, { spec }), write(PODS, pod({}, { priorityClassName: 'low' }))), [])
  })
})

test('a service counts its node ports and load balancers', () => {
  const object = { spec: { type: 'LoadBalancer', ports: [{ port: 80 }, { port: 81 }] } }
  deepEqual(
    decided(
      quota({ services: '2', 'services.nodeports': '2', 'services.loadbalancers': '1' }),
      write(SERVICES, object),
    ),
    [{ services: '1', 'services.nodeports': '2', 'services.loadbalancers': '1' }],
  )
})

test('other objects count when they are created, not when they change', () => {
  deepEqual(decided(quota({ secrets: '1', 'count/secrets': '2' }), write(SECRETS, {})), [
    { secrets: '1', 'count/secrets': '1' },
  ])
  deepEqual(
    decided(quota({ secrets: '1' }, { used: { secrets: '1' } }), write(SECRETS, {}, { old: { metadata: {} } })),
    [],
  )
})

test('custom resources are counted by their group', () => {
  const widgets = { group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true }
  equal(
    decided(quota({ 'count/widgets.example.com': '0' }), write(widgets, {})),
    'exceeded quota: q, requested: count/widgets.example.com=1, used: count/widgets.example.com=0, limited: count/widgets.example.com=0',
  )
})

test('a quota whose use is not known yet lets nothing pass', () => {
  const unknown = { ...quota({ secrets: '1' }), status: { hard: { secrets: '1' } } }
  equal(decided(unknown, write(SECRETS, {})), 'status unknown for quota: q, resources: secrets')
})

test('use is the sum over all objects that the quota is about', () => {
  const one = quota({ pods: '9', 'requests.storage': '9Gi', secrets: '9' })
  const kinds = [
    { type: PODS, objects: () => [pod({}), { ...pod({}), status: { phase: 'Succeeded' } }] as never },
    { type: PERSISTENT_VOLUME_CLAIMS, objects: () => [claim('1Gi'), claim('2Gi')] as never },
  ]
  deepEqual(usedBy(one, kinds, NOW_MS), { pods: '1', 'requests.storage': '3Gi', secrets: '0' })
})
