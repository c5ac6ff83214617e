import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kindUnderTest } from './testing/kind-under-test.ts'

const RULE = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }

describe('a webhook configuration', () => {
  const kind = kindUnderTest('ValidatingWebhookConfiguration')
  const WEBHOOK = {
    name: 'check.example.com',
    clientConfig: { url: 'https://localhost/check' },
    rules: [RULE],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  }
  const problems = (more: object): string[] =>
    kind.problems({ metadata: { name: 'x' }, webhooks: [{ ...WEBHOOK, ...more }] })
  const cases: [behaviour: string, more: object, problems: string[]][] = [
    ['is accepted', {}, []],
    [
      'names webhooks with a domain',
      { name: 'check' },
      ['webhooks[0].name: Invalid value: "check": should be a domain with at least three segments separated by dots'],
    ],
    [
      'says what the side effects are',
      { sideEffects: 'Some' },
      ['webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"'],
    ],
    [
      'does not wait for long',
      { timeoutSeconds: 31 },
      ['webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds'],
    ],
    [
      'has a URL or a service',
      { clientConfig: {} },
      ['webhooks[0].clientConfig: Required value: exactly one of url or service is required'],
    ],
    [
      'uses TLS',
      { clientConfig: { url: 'http://localhost' } },
      [
        `webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      ],
    ],
    [
      'speaks a version that the server knows',
      { admissionReviewVersions: ['v7'] },
      ['webhooks[0].admissionReviewVersions: Invalid value: ["v7"]: must include at least one of v1, v1beta1'],
    ],
    [
      'has either all operations or some',
      { rules: [{ ...RULE, operations: ['*', 'CREATE'] }] },
      [
        `webhooks[0].rules[0].operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`,
      ],
    ],
  ]
  for (const [behaviour, more, expected] of cases) test(behaviour, () => deepEqual(problems(more), expected))
  test('has conditions that compile', () => {
    deepEqual(problems({ matchConditions: [{ name: 'a', expression: "object.metadata.name == 'x'" }] }), [])
    match(
      problems({ matchConditions: [{ name: 'a', expression: '... [] bad expression' }] })[0] ?? '',
      /compilation failed/,
    )
  })
  test('waits for ten seconds and fails closed by default', () => {
    const { webhooks } = kind.create({ metadata: { name: 'x' }, webhooks: [WEBHOOK] }) as {
      webhooks: { timeoutSeconds: number; failurePolicy: string; rules: { scope: string }[] }[]
    }
    deepEqual(
      [webhooks[0]?.timeoutSeconds, webhooks[0]?.failurePolicy, webhooks[0]?.rules[0]?.scope],
      [10, 'Fail', '*'],
    )
  })
})

describe('a validating policy', () => {
  const kind = kindUnderTest('ValidatingAdmissionPolicy')
  const SPEC = {
    matchConstraints: { resourceRules: [RULE] },
    validations: [{ expression: 'object.spec.replicas <= 5' }],
  }
  const policy = (more: object = {}): object => ({ metadata: { name: 'x' }, spec: { ...SPEC, ...more } })
  test('is accepted, and shows how much it checks', () => {
    deepEqual(kind.problems(policy()), [])
    deepEqual([kind.row(policy())['Validations'], kind.row(policy())['ParamKind']], [1, '<unset>'])
  })
  test('checks something', () => equal(kind.problems(policy({ validations: [] })).length, 2))
  test('has expressions that compile', () =>
    match(
      kind.problems(policy({ validations: [{ expression: 'nobody.knows' }] }))[0] ?? '',
      /spec\.validations\[0\]\.expression: .*undeclared reference to 'nobody'/,
    ))
  test('has constraints', () =>
    deepEqual(kind.problems(policy({ matchConstraints: undefined })), ['spec.matchConstraints: Required value']))
})

describe('a binding of a validating policy', () => {
  const kind = kindUnderTest('ValidatingAdmissionPolicyBinding')
  const binding = (spec: object): object => ({ metadata: { name: 'x' }, spec: { policyName: 'p', ...spec } })
  test('does something', () => {
    deepEqual(kind.problems(binding({ validationActions: ['Deny', 'Audit'] })), [])
    deepEqual(kind.problems(binding({})), [
      'spec.validationActions: Required value: at least one validation action is required',
    ])
  })
  test('does not deny and warn at once', () =>
    match(
      kind.problems(binding({ validationActions: ['Deny', 'Warn'] }))[0] ?? '',
      /must not contain both Deny and Warn/,
    ))
})
