import { deepEqual, equal, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  MUTATING_ADMISSION_POLICIES,
  MUTATING_ADMISSION_POLICY_BINDINGS,
  VALIDATING_ADMISSION_POLICIES,
  VALIDATING_ADMISSION_POLICY_BINDINGS,
} from '../../../api/kinds/admission-registration.ts'
import { CONFIG_MAPS } from '../../../api/kinds/config-map.ts'
import type { ConfigMap } from '../../../api/kinds/config-map.ts'
import { STATEFUL_SETS } from '../../../api/kinds/stateful-set.ts'
import type { StatefulSet } from '../../../api/kinds/stateful-set.ts'
import { openTestCore } from '../../testing/open-test-core.ts'
import type { TestCore } from '../../testing/open-test-core.ts'

const MATCH = {
  resourceRules: [
    { operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
  ],
}
const GROUP = 'admissionregistration.k8s.io/v1' as const

async function enforce(
  { api }: TestCore,
  spec: object,
  binding: object = { validationActions: ['Deny'] },
): Promise<void> {
  await api.create(VALIDATING_ADMISSION_POLICIES, {
    apiVersion: GROUP,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'p' },
    spec: { matchConstraints: MATCH, ...spec },
  })
  await api.create(VALIDATING_ADMISSION_POLICY_BINDINGS, {
    apiVersion: GROUP,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'b' },
    spec: { policyName: 'p', ...binding },
  })
}
async function mutateBy({ api }: TestCore, mutation: object, matchConstraints: object = MATCH): Promise<void> {
  await api.create(MUTATING_ADMISSION_POLICIES, {
    apiVersion: GROUP,
    kind: 'MutatingAdmissionPolicy',
    metadata: { name: 'p' },
    spec: { matchConstraints, reinvocationPolicy: 'Never', mutations: [mutation] as never },
  })
  await api.create(MUTATING_ADMISSION_POLICY_BINDINGS, {
    apiVersion: GROUP,
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name: 'b' },
    spec: { policyName: 'p' },
  })
}
const map = (name: string, data: Record<string, string>, namespace = 'default'): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name },
  data,
})

describe('a validating policy', () => {
  test('rejects what its expression does not allow, with its message', async (context) => {
    const core = await openTestCore(context)
    await enforce(core, {
      variables: [{ name: 'count', expression: 'size(object.data)' }],
      validations: [
        { expression: 'variables.count % 2 == 1', messageExpression: "'odd, please: ' + object.metadata.name" },
      ],
    })
    await core.api.create(CONFIG_MAPS, map('one', { a: '1' }))
    await rejects(core.api.create(CONFIG_MAPS, map('two', { a: '1', b: '2' })), {
      code: 422,
      reason: 'Invalid',
      message:
        "configmaps \"two\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: odd, please: two",
    })
    await rejects(
      core.api.patch(
        CONFIG_MAPS,
        { namespace: 'default', name: 'one' },
        { type: 'merge', value: { data: { b: '2' } } },
      ),
      /denied request/,
    )
  })

  test('rejects what it cannot evaluate, unless failures are ignored', async (context) => {
    const core = await openTestCore(context)
    await enforce(core, { validations: [{ expression: "object.data.missing == 'x'" }] })
    await rejects(core.api.create(CONFIG_MAPS, map('m', {})), /resulted in error: no such key/)
    const value = { spec: { failurePolicy: 'Ignore' } }
    await core.api.patch(VALIDATING_ADMISSION_POLICIES, { name: 'p' }, { type: 'merge', value })
    await core.api.create(CONFIG_MAPS, map('m', {}))
  })

  test('sees its namespace and its parameters', async (context) => {
    const core = await openTestCore(context)
    await core.api.create(CONFIG_MAPS, map('limits', { forbidden: 'secret' }, 'kube-system'))
    await enforce(
      core,
      {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConditions: [{ name: 'default-only', expression: "namespaceObject.metadata.name == 'default'" }],
        validations: [{ expression: '!(params.data.forbidden in object.data)', reason: 'Forbidden' }],
      },
      {
        validationActions: ['Deny'],
        paramRef: { name: 'limits', namespace: 'kube-system', parameterNotFoundAction: 'Deny' },
      },
    )
    await rejects(core.api.create(CONFIG_MAPS, map('m', { secret: 'x' })), { code: 403 })
    await core.api.create(CONFIG_MAPS, map('m', { secret: 'x' }, 'kube-public'))
    await core.api.create(CONFIG_MAPS, map('m', { open: 'x' }))
  })

  test('whose parameters are missing rejects everything that it is about', async (context) => {
    const core = await openTestCore(context)
    await enforce(
      core,
      { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, validations: [{ expression: 'true' }] },
      { validationActions: ['Deny'], paramRef: { name: 'absent', parameterNotFoundAction: 'Deny' } },
    )
    await rejects(core.api.create(CONFIG_MAPS, map('m', {})), /no params found for policy binding/)
  })
})

describe('a mutating policy', () => {
  test('merges an object into what is written', async (context) => {
    const core = await openTestCore(context)
    const expression = `Object{metadata: Object.metadata{annotations: {"by": "policy"}}, data: {"b": object.data.a + "!"}}`
    await mutateBy(core, { patchType: 'ApplyConfiguration', applyConfiguration: { expression } })
    const { metadata, data } = await core.api.create(CONFIG_MAPS, map('m', { a: '1' }))
    deepEqual(data, { a: '1', b: '1!' })
    equal(metadata.annotations?.['by'], 'policy')
  })

  test('patches what is written', async (context) => {
    const core = await openTestCore(context)
    const expression = `[JSONPatch{op: "add", path: "/data/b", value: "2"}, JSONPatch{op: "remove", path: "/data/a"}]`
    await mutateBy(core, { patchType: 'JSONPatch', jsonPatch: { expression } })
    deepEqual((await core.api.create(CONFIG_MAPS, map('m', { a: '1' }))).data, { b: '2' })
  })
})

describe('a policy for scale', () => {
  test('sees and changes a Scale', async (context) => {
    const core = await openTestCore(context)
    const name = { namespace: 'default', name: 'web' }
    await core.api.create(STATEFUL_SETS, {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: name,
      spec: {
        serviceName: 'web',
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'busybox' }] } },
      },
    })
    const matchConstraints = {
      resourceRules: [
        { operations: ['UPDATE'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['statefulsets/scale'] },
      ],
    }
    const expression = "[JSONPatch{op: 'replace', path: '/spec/replicas', value: object.spec.replicas * 2}]"
    await mutateBy(core, { patchType: 'JSONPatch', jsonPatch: { expression } }, matchConstraints)
    await enforce(core, {
      matchConstraints,
      validations: [{ expression: "object.kind == 'Scale' && object.spec.replicas < 10" }],
    })
    const scaleTo = (replicas: number): Promise<StatefulSet> =>
      core.api.patch(STATEFUL_SETS, name, { type: 'merge', value: { spec: { replicas } } }, { subresource: 'scale' })
    await scaleTo(4)
    equal((await core.api.get(STATEFUL_SETS, name)).spec?.replicas, 8)
    await rejects(scaleTo(5), { code: 422 })
  })
})
