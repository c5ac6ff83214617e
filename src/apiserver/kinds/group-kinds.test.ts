import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kindUnderTest } from './testing/kind-under-test.ts'

type Case = [behaviour: string, object: object, problems: string[]]

describe('a Lease', () => {
  const kind = kindUnderTest('Lease')
  const lease = (spec: object): object => ({ metadata: { name: 'l', namespace: 'ns' }, spec })
  const cases: Case[] = [
    ['may be held', lease({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 }), []],
    [
      'lasts',
      lease({ leaseDurationSeconds: 0 }),
      ['spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0'],
    ],
    [
      'has changed hands a number of times',
      lease({ leaseTransitions: -1 }),
      ['spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'prefers a holder only by a strategy',
      lease({ preferredHolder: 'b' }),
      ['spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined'],
    ],
  ]
  for (const [behaviour, object, problems] of cases) test(behaviour, () => deepEqual(kind.problems(object), problems))
  test('is shown with its holder', () =>
    deepEqual(kind.row(lease({ holderIdentity: 'a' })), { Name: 'l', Holder: 'a', Age: '3m20s' }))
})

describe('roles', () => {
  const role = kindUnderTest('Role')
  const clusterRole = kindUnderTest('ClusterRole')
  const rules = (rule: object): object => ({ metadata: { name: 'r' }, rules: [rule] })
  const READ = { apiGroups: [''], resources: ['pods'], verbs: ['get'] }
  const cases: [behaviour: string, kind: typeof role, object: object, problems: string[]][] = [
    ['allow verbs on resources', role, rules(READ), []],
    [
      'allow some verb',
      role,
      rules({ ...READ, verbs: [] }),
      ['rules[0].verbs: Required value: verbs must contain at least one value'],
    ],
    [
      'allow it in a group',
      role,
      rules({ ...READ, apiGroups: [] }),
      ['rules[0].apiGroups: Required value: resource rules must supply at least one api group'],
    ],
    [
      'allow it on a resource',
      role,
      rules({ ...READ, resources: [] }),
      ['rules[0].resources: Required value: resource rules must supply at least one resource'],
    ],
    ['allow paths for the cluster', clusterRole, rules({ verbs: ['get'], nonResourceURLs: ['/metrics'] }), []],
    [
      'allow no paths in a namespace',
      role,
      rules({ verbs: ['get'], nonResourceURLs: ['/metrics'] }),
      ['rules[0].nonResourceURLs: Invalid value: ["/metrics"]: namespaced rules cannot apply to non-resource URLs'],
    ],
    [
      'allow not both in one rule',
      clusterRole,
      rules({ ...READ, nonResourceURLs: ['/x'] }),
      [
        'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
      ],
    ],
    [
      'gather others by a selector',
      clusterRole,
      { metadata: { name: 'r' }, aggregationRule: {} },
      [
        'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
      ],
    ],
  ]
  for (const [behaviour, kind, object, problems] of cases)
    test(behaviour, () => deepEqual(kind.problems(object), problems))
})

describe('role bindings', () => {
  const kind = kindUnderTest('RoleBinding')
  const cluster = kindUnderTest('ClusterRoleBinding')
  const GROUP = 'rbac.authorization.k8s.io'
  const binding = (more: object = {}): object => ({
    metadata: { name: 'b' },
    roleRef: { kind: 'Role', name: 'r' },
    ...more,
  })
  const subject = (one: object): object => binding({ subjects: [one] })
  const cases: Case[] = [
    ['name a role', binding(), []],
    [
      'name a role of a known kind',
      binding({ roleRef: { kind: 'Pod', name: 'r' } }),
      ['roleRef.kind: Unsupported value: "Pod": supported values: "Role", "ClusterRole"'],
    ],
    ['name a role by name', binding({ roleRef: { kind: 'Role', name: '' } }), ['roleRef.name: Required value']],
    [
      'name a role of this group',
      binding({ roleRef: { kind: 'Role', name: 'r', apiGroup: 'x' } }),
      [`roleRef.apiGroup: Unsupported value: "x": supported values: "${GROUP}"`],
    ],
    ['name users', subject({ kind: 'User', name: 'jane' }), []],
    ['name accounts, of this namespace by default', subject({ kind: 'ServiceAccount', name: 'sa' }), []],
    ['name somebody', subject({ kind: 'Group', name: '' }), ['subjects[0].name: Required value']],
    [
      'name known kinds',
      subject({ kind: 'Robot', name: 'r' }),
      ['subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"'],
    ],
  ]
  for (const [behaviour, object, problems] of cases) test(behaviour, () => deepEqual(kind.problems(object), problems))

  test('of the cluster name an account with its namespace', () => {
    deepEqual(
      cluster.problems({
        metadata: { name: 'b' },
        roleRef: { kind: 'ClusterRole', name: 'r' },
        subjects: [{ kind: 'ServiceAccount', name: 'sa' }],
      }),
      ['subjects[0].namespace: Required value'],
    )
    deepEqual(cluster.problems(binding()), ['roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"'])
  })
  test('keep their role', () => {
    deepEqual(kind.updateProblems(binding(), binding({ roleRef: { kind: 'Role', name: 'other' } })), [
      `roleRef: Invalid value: {"apiGroup":"${GROUP}","kind":"Role","name":"other"}: cannot change roleRef`,
    ])
  })
  test('are shown with whom they bind', () => {
    const subjects = [
      { kind: 'User', name: 'jane' },
      { kind: 'User', name: 'joe' },
      { kind: 'ServiceAccount', namespace: 'ns', name: 'sa' },
    ]
    deepEqual(kind.row(binding({ subjects })), {
      Name: 'b',
      Role: 'Role/r',
      Age: '3m20s',
      Users: 'jane, joe',
      Groups: '',
      ServiceAccounts: 'ns/sa',
    })
  })
})

describe('a StatefulSet', () => {
  const kind = kindUnderTest('StatefulSet')
  const pods = (spec: object = {}): object => ({
    metadata: { labels: { app: 'a' } },
    spec: { containers: [{ name: 'c', image: 'i', volumeMounts: [{ name: 'data', mountPath: '/data' }] }], ...spec },
  })
  const CLAIM = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }
  const set = (spec: object = {}): object => ({
    metadata: { name: 's', namespace: 'ns' },
    spec: {
      serviceName: 's',
      selector: { matchLabels: { app: 'a' } },
      template: pods(),
      volumeClaimTemplates: [CLAIM],
      ...spec,
    },
  })
  const cases: Case[] = [
    ['mounts the volumes of its claims', set(), []],
    [
      'selects its own pods',
      set({ selector: { matchLabels: { app: 'b' } } }),
      ['spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`'],
    ],
    ['has a selector', set({ selector: null }), ['spec.selector: Required value']],
    [
      'selects something',
      set({ selector: {} }),
      ['spec.selector: Invalid value: {}: empty selector is invalid for statefulset'],
    ],
    [
      'has no negative number of pods',
      set({ replicas: -1 }),
      ['spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'has claims that could be made',
      set({ volumeClaimTemplates: [{ ...CLAIM, spec: { accessModes: ['ReadWriteOnce'] } }] }),
      ['spec.volumeClaimTemplates[0].spec.resources[storage]: Required value'],
    ],
    [
      'restarts its pods',
      set({ template: pods({ restartPolicy: 'Never' }) }),
      ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
    ],
    [
      'updates in a known way',
      set({ updateStrategy: { type: 'x' } }),
      [`spec.updateStrategy: Invalid value: {"type":"x"}: must be 'RollingUpdate' or 'OnDelete'`],
    ],
    [
      'keeps or deletes claims',
      set({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'x' } }),
      [
        'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "x": supported values: "Retain", "Delete"',
      ],
    ],
  ]
  for (const [behaviour, object, problems] of cases) test(behaviour, () => deepEqual(kind.problems(object), problems))

  test('has what rollout status asks for', () => {
    const {
      replicas,
      podManagementPolicy,
      updateStrategy,
      revisionHistoryLimit,
      persistentVolumeClaimRetentionPolicy,
    } = kind.create(set())['spec'] as Record<string, unknown>
    deepEqual(
      { replicas, podManagementPolicy, updateStrategy, revisionHistoryLimit, persistentVolumeClaimRetentionPolicy },
      {
        replicas: 1,
        podManagementPolicy: 'OrderedReady',
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
        revisionHistoryLimit: 10,
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      },
    )
    deepEqual(kind.create(set())['status'], { replicas: 0, availableReplicas: 0 })
  })

  const changes: [behaviour: string, change: object, problems: string[]][] = [
    ['may be scaled', set({ replicas: 3 }), []],
    ['may get another template', set({ template: pods({ containers: [{ name: 'c', image: 'j' }] }) }), []],
    [
      'keeps its claims',
      set({ volumeClaimTemplates: [] }),
      [
        'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"',
        "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      ],
    ],
  ]
  for (const [behaviour, change, problems] of changes)
    test(behaviour, () => deepEqual(kind.updateProblems(set(), change), problems))

  test('has no more ready pods than pods', () => {
    deepEqual(kind.statusProblems(set(), { ...set(), status: { replicas: 1, readyReplicas: 2 } }), [
      'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
    ])
  })
  test('is shown with its containers', () =>
    deepEqual(kind.row(set({ replicas: 3 })), { Name: 's', Ready: '0/3', Age: '3m20s', Containers: 'c', Images: 'i' }))
})

describe('a PodDisruptionBudget', () => {
  const kind = kindUnderTest('PodDisruptionBudget')
  const budget = (spec: object): object => ({ metadata: { name: 'b', namespace: 'ns' }, spec })
  const cases: Case[] = [
    ['keeps a part of the pods', budget({ minAvailable: '50%' }), []],
    ['keeps a number of pods', budget({ maxUnavailable: 1 }), []],
    [
      'says it in one way',
      budget({ minAvailable: 1, maxUnavailable: 1 }),
      [
        'spec: Invalid value: {"minAvailable":1,"maxUnavailable":1}: minAvailable and maxUnavailable cannot be both set',
      ],
    ],
    [
      'keeps not more than all',
      budget({ minAvailable: '101%' }),
      ['spec.minAvailable: Invalid value: "101%": must not be greater than 100%'],
    ],
    [
      'keeps a number or a part',
      budget({ minAvailable: 'some' }),
      [
        "spec.minAvailable: Invalid value: \"some\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
      ],
    ],
    [
      'keeps not less than none',
      budget({ maxUnavailable: -1 }),
      ['spec.maxUnavailable: Invalid value: -1: must be greater than or equal to 0'],
    ],
  ]
  for (const [behaviour, object, problems] of cases) test(behaviour, () => deepEqual(kind.problems(object), problems))
  test('is shown', () =>
    deepEqual(kind.row(budget({ minAvailable: '50%' })), {
      Name: 'b',
      'Min Available': '50%',
      'Max Unavailable': 'N/A',
      'Allowed Disruptions': 0,
      Age: '3m20s',
    }))
})

describe('a CustomResourceDefinition', () => {
  const kind = kindUnderTest('CustomResourceDefinition')
  const APPROVED = { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/enhancements/pull/1' }
  const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111'
  const version = (more: object = {}): object => ({
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object' } },
    ...more,
  })
  const crd = (spec: object = {}, metadata: object = {}): object => ({
    metadata: { name: 'snapshots.example.com', ...metadata },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'snapshots', kind: 'Snapshot' },
      versions: [version()],
      ...spec,
    },
  })
  const protectedCrd = (annotations?: object): object =>
    crd({ group: 'storage.k8s.io' }, { name: 'snapshots.storage.k8s.io', ...(annotations && { annotations }) })
  const cases: Case[] = [
    ['has a group, names and a version', crd(), []],
    [
      'is named after plural and group',
      crd({}, { name: 'x' }),
      ['metadata.name: Invalid value: "x": must be spec.names.plural+"."+spec.group'],
    ],
    [
      'has a group with a dot',
      crd({ group: 'example' }, { name: 'snapshots.example' }),
      ['spec.group: Invalid value: "example": should be a domain with at least one dot'],
    ],
    [
      'has a scope',
      crd({ scope: 'Galaxy' }),
      ['spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"'],
    ],
    [
      'has exactly one version that is stored',
      crd({ versions: [version(), version({ name: 'v2' })] }),
      [
        'spec.versions: Invalid value: [{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}},{"name":"v2","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]: must have exactly one version marked as storage version',
      ],
    ],
    [
      'has a schema',
      crd({ versions: [version({ schema: null })] }),
      ['spec.versions[0].schema.openAPIV3Schema: Required value'],
    ],
    [
      'has a schema of objects',
      crd({ versions: [version({ schema: { openAPIV3Schema: { type: 'string' } } })] }),
      ['spec.versions[0].schema.openAPIV3Schema.type: Invalid value: "string": must be object at the root'],
    ],
    [
      'of a protected group is approved',
      protectedCrd(),
      [
        `metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", ${SEE}`,
      ],
    ],
    ['of a protected group names where', protectedCrd(APPROVED), []],
    [
      'of a protected group may say that it is not',
      protectedCrd({ 'api-approved.kubernetes.io': 'unapproved, legacy' }),
      [],
    ],
    [
      'of a protected group says one or the other',
      protectedCrd({ 'api-approved.kubernetes.io': 'yes' }),
      [
        `metadata.annotations[api-approved.kubernetes.io]: Invalid value: "yes": protected groups must have approval annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", ${SEE}`,
      ],
    ],
  ]
  for (const [behaviour, object, problems] of cases) test(behaviour, () => deepEqual(kind.problems(object), problems))

  test('gets the names that were left out, and knows what is stored', () => {
    const { spec, status } = kind.create(crd()) as {
      spec: { names: object; conversion: object }
      status: { storedVersions: unknown }
    }
    deepEqual(spec.names, { plural: 'snapshots', singular: 'snapshot', kind: 'Snapshot', listKind: 'SnapshotList' })
    deepEqual([spec.conversion, status.storedVersions], [{ strategy: 'None' }, ['v1']])
  })
  test('keeps its group and plural', () => {
    deepEqual(
      kind.updateProblems(crd(), crd({ names: { plural: 'snaps', kind: 'Snapshot' } }, { name: 'snaps.example.com' })),
      ['spec.names.plural: Invalid value: "snaps": field is immutable'],
    )
  })
  test('keeps a version in which objects may be stored', () => {
    deepEqual(kind.updateProblems(crd(), crd({ versions: [version({ name: 'v2' })] })), [
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
    ])
  })
  test('is held while it has objects', () => {
    const draft = kind.create(crd())
    kind.definition.prepareForDelete?.(draft)
    deepEqual((draft['metadata'] as { finalizers: unknown }).finalizers, ['customresourcecleanup.apiextensions.k8s.io'])
  })
})

describe('kinds that nothing here runs', () => {
  test('a Deployment is shown as kubectl knows it', () => {
    const deployment = {
      metadata: { name: 'd' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { a: 'b' } },
        template: { spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
      status: { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1 },
    }
    deepEqual(kindUnderTest('Deployment').row(deployment), {
      Name: 'd',
      Ready: '1/2',
      'Up-to-date': 2,
      Available: 1,
      Age: '3m20s',
      Containers: 'c',
      Images: 'i',
      Selector: 'a=b',
    })
  })
  test('a Job is shown by how far it came', () => {
    const job = {
      metadata: { name: 'j' },
      spec: { completions: 3, template: {} },
      status: { succeeded: 1, startTime: '2030-01-01T00:00:00Z' },
    }
    const { Status, Completions, Duration } = kindUnderTest('Job').row(job)
    deepEqual([Status, Completions, Duration], ['Running', '1/3', '3m20s'])
  })
  test('a ControllerRevision is shown with whom it belongs to', () => {
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 's', uid: 'u', controller: true }
    equal(
      kindUnderTest('ControllerRevision').row({ metadata: { name: 'r', ownerReferences: [owner] }, revision: 2 })[
        'Controller'
      ],
      'statefulset.apps/s',
    )
  })
  test('a PriorityClass preempts by default', () =>
    equal(
      kindUnderTest('PriorityClass').create({ metadata: { name: 'p' }, value: 1 })['preemptionPolicy'],
      'PreemptLowerPriority',
    ))
})
