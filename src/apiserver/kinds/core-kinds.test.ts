import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CREATED, kindUnderTest } from './testing/kind-under-test.ts'
import { NOT_A_CONFIG_KEY } from './testing/messages-under-test.ts'

type Case = [behaviour: string, object: object, problems: string[]]
type Change = [behaviour: string, before: object, change: object, problems: string[]]

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const FROZEN = 'field is immutable when `immutable` is set'

describe('a Namespace', () => {
  const kind = kindUnderTest('Namespace')
  const namespace = (more: object = {}): object => ({ metadata: { name: 'ns' }, ...more })

  test('is active, held by its content, and labelled with its name', () => {
    const { metadata, spec, status } = kind.create(namespace({ status: { phase: 'Terminating' } }))
    deepEqual(
      [(metadata as { labels: object }).labels, spec, status],
      [{ 'kubernetes.io/metadata.name': 'ns' }, { finalizers: ['kubernetes'] }, { phase: 'Active' }],
    )
  })
  test('keeps finalizers of its own besides', () =>
    deepEqual(kind.create(namespace({ spec: { finalizers: ['example.com/a'] } }))['spec'], {
      finalizers: ['example.com/a', 'kubernetes'],
    }))
  test('has finalizers that are known or have a prefix', () => {
    deepEqual(kind.problems(namespace({ spec: { finalizers: ['mine'] } })), [
      'spec.finalizers: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
    ])
  })
  test('keeps its finalizers on an update', () => {
    const change = { metadata: { name: 'ns' }, spec: {} }
    kind.definition.prepareForUpdate?.(change, kind.create(namespace()), 0)
    deepEqual(change.spec, { finalizers: ['kubernetes'] })
  })
  test('is terminating from the moment that it is deleted', () => {
    const draft = kind.create(namespace())
    kind.definition.prepareForDelete?.(draft)
    deepEqual(draft['status'], { phase: 'Terminating' })
  })
  test('is held until its finalizers are gone', () => {
    equal(kind.definition.isHeld?.(kind.create(namespace())), true)
    equal(kind.definition.isHeld?.({ spec: {} }), false)
  })
  test('is active as long as it is not deleted', () => {
    deepEqual(kind.statusProblems(namespace(), namespace({ status: { phase: 'Terminating' } })), [
      'status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
    ])
  })
  test('is shown with its phase', () =>
    deepEqual(kind.row(namespace()), { Name: 'ns', Status: 'Active', Age: '3m20s' }))
})

describe('a Node', () => {
  const kind = kindUnderTest('Node')
  const node = (more: object = {}): object => ({ metadata: { name: 'n1' }, ...more })
  const tainted = (...taints: object[]): object => node({ spec: { taints } })
  const cases: Case[] = [
    ['may be tainted', tainted({ key: 'a', effect: 'NoSchedule' }, { key: 'a', effect: 'NoExecute' }), []],
    ['has taints with an effect', tainted({ key: 'a', effect: '' }), ['metadata.taints[0].effect: Required value']],
    [
      'has taints with a known effect',
      tainted({ key: 'a', effect: 'x' }),
      [
        'metadata.taints[0].effect: Unsupported value: "x": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      ],
    ],
    [
      'has no taint twice',
      tainted({ key: 'a', effect: 'NoSchedule' }, { key: 'a', effect: 'NoSchedule' }),
      [
        'metadata.taints[1]: Duplicate value: {"key":"a","effect":"NoSchedule"}: taints must be unique by key and effect pair',
      ],
    ],
    [
      'has no negative capacity',
      node({ status: { capacity: { cpu: '-1' } } }),
      [
        'status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0',
        'status.allocatable.cpu: Invalid value: "-1": must be greater than or equal to 0',
      ],
    ],
  ]
  for (const [behaviour, object, problems] of cases) test(behaviour, () => deepEqual(kind.problems(object), problems))

  const changes: Change[] = [
    ['may be cordoned', node(), node({ spec: { unschedulable: true } }), []],
    ['may get a provider id', node(), node({ spec: { providerID: 'x' } }), []],
    [
      'keeps its provider id',
      node({ spec: { providerID: 'x' } }),
      node({ spec: { providerID: 'y' } }),
      ['spec.providerID: Forbidden: node updates may not change providerID except from "" to valid'],
    ],
    [
      'keeps its pod range',
      node({ spec: { podCIDRs: ['10.0.0.0/24'] } }),
      node({ spec: { podCIDRs: ['10.0.1.0/24'] } }),
      ['spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid'],
    ],
  ]
  for (const [behaviour, before, change, problems] of changes)
    test(behaviour, () => deepEqual(kind.updateProblems(before, change), problems))

  test('registers with what it found', () =>
    deepEqual(
      (kind.create(node({ status: { capacity: { cpu: '2' } } }))['status'] as { allocatable: object }).allocatable,
      { cpu: '2' },
    ))
  test('is shown with state, roles and addresses', () => {
    const shown = kind.row(
      node({
        metadata: {
          name: 'n1',
          labels: { 'node-role.kubernetes.io/worker': '', 'node-role.kubernetes.io/control-plane': '' },
        },
        spec: { unschedulable: true },
        status: {
          conditions: [{ type: 'Ready', status: 'True' }],
          addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
          nodeInfo: { kubeletVersion: 'v1.36.0', kernelVersion: '6.1', architecture: 'amd64' },
        },
      }),
    )
    deepEqual(shown, {
      Name: 'n1',
      Status: 'Ready,SchedulingDisabled',
      Roles: 'control-plane,worker',
      Age: '3m20s',
      Version: 'v1.36.0',
      'Internal-IP': '10.0.0.1',
      'External-IP': '<none>',
      'OS-Image': '<unknown>',
      'Kernel-Version': '6.1 (amd64)',
      'Container-Runtime': '<unknown>',
    })
    equal(kind.row(node())['Status'], 'Unknown')
  })
})

describe('a Secret', () => {
  const kind = kindUnderTest('Secret')
  const secret = (more: object = {}): object => ({ metadata: { name: 's', namespace: 'ns' }, ...more })
  const data = (entries: Record<string, string>): object => ({
    data: Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, base64(value)])),
  })
  const cases: Case[] = [
    ['may be empty', secret(), []],
    [
      'has keys that can be file names',
      secret(data({ 'a/b': '' })),
      [`data[a/b]: Invalid value: "a/b": ${NOT_A_CONFIG_KEY}`],
    ],
    ['holds a MiB', secret(data({ a: 'x'.repeat(1024 * 1024) })), []],
    [
      'and no more',
      secret(data({ a: 'x'.repeat(1024 * 1024 + 1) })),
      ['data: Too long: may not be more than 1048576 bytes'],
    ],
    [
      'of type tls has a certificate and a key',
      secret({ type: 'kubernetes.io/tls' }),
      ['data[tls.crt]: Required value', 'data[tls.key]: Required value'],
    ],
    [
      'of type basic-auth has one of two',
      secret({ type: 'kubernetes.io/basic-auth' }),
      ['data[username]: Required value', 'data[password]: Required value'],
    ],
    ['of type basic-auth needs no more', secret({ type: 'kubernetes.io/basic-auth', ...data({ username: '' }) }), []],
    [
      'of an account names it',
      secret({ type: 'kubernetes.io/service-account-token' }),
      ['metadata.annotations[kubernetes.io/service-account.name]: Required value'],
    ],
    [
      'for a registry is JSON, and not quoted when it is not',
      secret({ type: 'kubernetes.io/dockerconfigjson', ...data({ '.dockerconfigjson': 'hush' }) }),
      ['data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": is no JSON object'],
    ],
  ]
  for (const [behaviour, object, problems] of cases) test(behaviour, () => deepEqual(kind.problems(object), problems))

  const changes: Change[] = [
    ['may change', secret(data({ a: 'b' })), secret(data({ a: 'c' })), []],
    ['keeps its type', secret({ type: 'a' }), secret({ type: 'b' }), ['type: Invalid value: "b": field is immutable']],
    [
      'stays as it is once it is immutable',
      secret({ ...data({ a: 'b' }), immutable: true }),
      secret({ ...data({ a: 'c' }), immutable: true }),
      [`data: Forbidden: ${FROZEN}`],
    ],
    ['stays immutable', secret({ immutable: true }), secret(), [`immutable: Forbidden: ${FROZEN}`]],
  ]
  for (const [behaviour, before, change, problems] of changes)
    test(behaviour, () => deepEqual(kind.updateProblems(before, change), problems))

  test('is opaque by default, and keeps plain text encoded', () => {
    const {
      type,
      data: stored,
      stringData,
    } = kind.create(secret({ ...data({ a: 'old', b: 'b' }), stringData: { a: 'new' } }))
    deepEqual([type, stored, stringData], ['Opaque', { a: base64('new'), b: base64('b') }, undefined])
  })
  test('is shown by the number of its keys', () =>
    deepEqual(kind.row(secret(data({ a: '', b: '' }))), { Name: 's', Type: 'Opaque', Data: 2, Age: '3m20s' }))
})

describe('a ConfigMap', () => {
  const kind = kindUnderTest('ConfigMap')
  const map = (more: object = {}): object => ({ metadata: { name: 'm', namespace: 'ns' }, ...more })
  const cases: Case[] = [
    ['may hold text and bytes', map({ data: { a: 'x' }, binaryData: { b: base64('y') } }), []],
    [
      'has no key twice',
      map({ data: { a: 'x' }, binaryData: { a: base64('y') } }),
      ['data[a]: Invalid value: "a": duplicate of key present in binaryData'],
    ],
    [
      'has keys that can be file names',
      map({ data: { '..': '' } }),
      [`data[..]: Invalid value: "..": must not be '..'`],
    ],
    [
      'holds a MiB in all',
      map({ data: { a: 'x'.repeat(1024 * 1024) }, binaryData: { b: base64('y') } }),
      [': Too long: may not be more than 1048576 bytes'],
    ],
  ]
  for (const [behaviour, object, problems] of cases) test(behaviour, () => deepEqual(kind.problems(object), problems))
  test('stays as it is once it is immutable', () => {
    deepEqual(
      kind.updateProblems(map({ immutable: true, data: { a: 'b' } }), map({ binaryData: { c: base64('d') } })),
      [`immutable: Forbidden: ${FROZEN}`, `data: Forbidden: ${FROZEN}`, `binaryData: Forbidden: ${FROZEN}`],
    )
  })
  test('is shown by the number of its keys', () =>
    deepEqual(kind.row(map({ data: { a: '' }, binaryData: { b: '' } })), { Name: 'm', Data: 2, Age: '3m20s' }))
})

test('a ServiceAccount is shown with its age', () =>
  deepEqual(kindUnderTest('ServiceAccount').row({ metadata: { name: 'sa' } }), { Name: 'sa', Age: '3m20s' }))

test('a Service is shown with its addresses', () => {
  const kind = kindUnderTest('Service')
  const service = {
    metadata: { name: 'web', creationTimestamp: CREATED },
    spec: { clusterIP: 'None', ports: [{ port: 80 }, { port: 443, nodePort: 30443 }], selector: { app: 'web' } },
  }
  deepEqual(kind.row(service), {
    Name: 'web',
    Type: 'ClusterIP',
    'Cluster-IP': 'None',
    'External-IP': '<none>',
    'Port(s)': '80/TCP,443:30443/TCP',
    Age: '3m20s',
    Selector: 'app=web',
  })
})
