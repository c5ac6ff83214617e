import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import type { LimitRange, LimitRangeItem } from '../../api/kinds/limit-range.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { Loose } from '../kinds/loose.ts'
import { applyContainerDefaults, claimLimitProblems, podLimitProblems } from './limit-range.ts'

const range = (...limits: LimitRangeItem[]): LimitRange => ({
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name: 'l' },
  spec: { limits },
})
const pod = (resources?: object): Loose<Pod> =>
  ({ metadata: {}, spec: { containers: [{ name: 'c', ...(resources && { resources }) }] } }) as Loose<Pod>
const claim = (storage: string): object => ({ spec: { resources: { requests: { storage } } } })

test('a container without requests and limits gets those of the namespace, and the pod says so', () => {
  const filled = pod({ limits: { cpu: '1' } })
  applyContainerDefaults(
    range({ type: 'Container', default: { cpu: '2', memory: '1Gi' }, defaultRequest: { cpu: '500m' } }),
    filled,
  )
  deepEqual(filled.spec?.containers?.[0]?.resources, { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } })
  deepEqual(filled.metadata?.annotations, {
    'kubernetes.io/limit-ranger': 'LimitRanger plugin set: cpu request for container c; memory limit for container c',
  })
})

const claims: [behaviour: string, size: string, problems: string[]][] = [
  ['a claim may have the smallest size', '1Gi', []],
  ['a claim may have the largest size', '5Gi', []],
  [
    'a smaller claim is rejected',
    '1Mi',
    ['minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi'],
  ],
  ['a larger claim is rejected', '6Gi', ['maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 6Gi']],
]
const SIZES: LimitRangeItem = { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '5Gi' } }
for (const [behaviour, size, problems] of claims)
  test(behaviour, () => deepEqual(claimLimitProblems(range(SIZES), claim(size)), problems))

const pods: [behaviour: string, item: LimitRangeItem, resources: object, problems: string[]][] = [
  [
    'a container needs a limit where there is a maximum',
    { type: 'Container', max: { cpu: '1' } },
    {},
    ['maximum cpu usage per Container is 1.  No limit is specified'],
  ],
  [
    'a container stays below the maximum',
    { type: 'Container', max: { cpu: '1' } },
    { limits: { cpu: '1500m' } },
    ['maximum cpu usage per Container is 1, but limit is 1500m'],
  ],
  [
    'a pod requests at least the minimum',
    { type: 'Pod', min: { memory: '1Gi' } },
    { requests: { memory: '1Mi' } },
    ['minimum memory usage per Pod is 1Gi, but request is 1Mi'],
  ],
  [
    'a limit is near the request',
    { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
    { requests: { cpu: '1' }, limits: { cpu: '3' } },
    ['cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000'],
  ],
  [
    'a limit may be twice the request',
    { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
    { requests: { cpu: '1' }, limits: { cpu: '2' } },
    [],
  ],
]
for (const [behaviour, item, resources, problems] of pods)
  test(behaviour, () => deepEqual(podLimitProblems(range(item), pod(resources)), problems))
