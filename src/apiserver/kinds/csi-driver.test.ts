import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kindUnderTest } from './testing/kind-under-test.ts'

const kind = kindUnderTest('CSIDriver')
const driver = (spec: object = {}): object => ({ metadata: { name: 'driver.example.com' }, spec })
const tokens = (...requests: object[]): object => driver({ tokenRequests: requests })
const SHORT = 'may not specify a duration less than 10 minutes'
const LONG = 'may not specify a duration larger than 2^32 seconds'
const POLICIES = 'supported values: "File", "None", "ReadWriteOnceWithFSType"'

const cases: [behaviour: string, object: object, problems: string[]][] = [
  ['an empty spec is enough', driver(), []],
  [
    'the fsGroup policy is a known one',
    driver({ fsGroupPolicy: 'Sometimes' }),
    [`spec.fsGroupPolicy: Unsupported value: "Sometimes": ${POLICIES}`],
  ],
  ['both lifecycle modes can stand together', driver({ volumeLifecycleModes: ['Persistent', 'Ephemeral'] }), []],
  [
    'a lifecycle mode is a known one',
    driver({ volumeLifecycleModes: ['Eternal'] }),
    ['spec.volumeLifecycleModes: Unsupported value: "Eternal": supported values: "Persistent", "Ephemeral"'],
  ],
  ['tokens for different audiences', tokens({ audience: 'a' }, { audience: '' }), []],
  [
    'audiences differ',
    tokens({ audience: 'a' }, { audience: 'a' }),
    ['spec.tokenRequests[1].audience: Duplicate value: "a"'],
  ],
  [
    'only one audience is left out',
    tokens({ audience: '' }, { audience: '' }),
    ['spec.tokenRequests[1].audience: Duplicate value: ""'],
  ],
  ['a token of ten minutes', tokens({ audience: 'a', expirationSeconds: 600 }), []],
  [
    'no token of less than ten minutes',
    tokens({ audience: 'a', expirationSeconds: 599 }),
    [`spec.tokenRequests[0].expirationSeconds: Invalid value: 599: ${SHORT}`],
  ],
  ['a token of 2^32 seconds', tokens({ audience: 'a', expirationSeconds: 4_294_967_296 }), []],
  [
    'no token of more than 2^32 seconds',
    tokens({ audience: 'a', expirationSeconds: 4_294_967_297 }),
    [`spec.tokenRequests[0].expirationSeconds: Invalid value: 4294967297: ${LONG}`],
  ],
  ['the limit of volumes is read every ten seconds', driver({ nodeAllocatableUpdatePeriodSeconds: 10 }), []],
  [
    'and not more often',
    driver({ nodeAllocatableUpdatePeriodSeconds: 9 }),
    ['spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 9: must be greater than or equal to 10 seconds'],
  ],
  [
    'tokens can go into the secrets',
    driver({ tokenRequests: [{ audience: '' }], serviceAccountTokenInSecrets: true }),
    [],
  ],
  [
    'where tokens go is said only when there are some',
    driver({ serviceAccountTokenInSecrets: false }),
    [
      'spec.serviceAccountTokenInSecrets: Invalid value: false: serviceAccountTokenInSecrets is set but no tokenRequests are specified',
    ],
  ],
]

describe('a new CSIDriver', () => {
  for (const [behaviour, object, problems] of cases) test(behaviour, () => deepEqual(kind.problems(object), problems))

  test('has a value for everything that sidecars read', () => {
    deepEqual(kind.create(driver())['spec'], {
      attachRequired: true,
      podInfoOnMount: false,
      volumeLifecycleModes: ['Persistent'],
      storageCapacity: false,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      requiresRepublish: false,
      seLinuxMount: false,
    })
  })

  test('keeps what was said', () => {
    const { attachRequired, volumeLifecycleModes } = kind.create(
      driver({ attachRequired: false, volumeLifecycleModes: ['Ephemeral'] }),
    )['spec'] as Record<string, unknown>
    deepEqual({ attachRequired, volumeLifecycleModes }, { attachRequired: false, volumeLifecycleModes: ['Ephemeral'] })
  })

  test('loses a field that upstream has not switched on', () => {
    deepEqual(
      'preventPodSchedulingIfMissing' in
        (kind.create(driver({ preventPodSchedulingIfMissing: true }))['spec'] as object),
      false,
    )
  })
})

describe('a changed CSIDriver', () => {
  const changes: [behaviour: string, spec: object, problems: string[]][] = [
    ['may ask for tokens', { tokenRequests: [{ audience: 'a' }] }, []],
    ['may ask for pod information', { podInfoOnMount: true }, []],
    ['may change its fsGroup policy', { fsGroupPolicy: 'None' }, []],
    [
      'keeps whether it attaches',
      { attachRequired: false },
      ['spec.attachedRequired: Invalid value: false: field is immutable'],
    ],
    [
      'keeps its lifecycle modes',
      { volumeLifecycleModes: ['Ephemeral'] },
      ['spec.volumeLifecycleModes: Invalid value: ["Ephemeral"]: field is immutable'],
    ],
  ]
  for (const [behaviour, spec, problems] of changes)
    test(behaviour, () => deepEqual(kind.updateProblems(driver(), driver(spec)), problems))
})

test('tokens in volume attributes are warned about', () => {
  deepEqual(kind.warnings(tokens({ audience: 'a' })), [
    'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
  ])
  deepEqual(kind.warnings(driver({ tokenRequests: [{ audience: 'a' }], serviceAccountTokenInSecrets: false })), [])
})

test('the table shows what the driver asks for', () => {
  deepEqual(
    kind.row(
      driver({
        tokenRequests: [{ audience: 'a' }, { audience: 'b' }],
        volumeLifecycleModes: ['Persistent', 'Ephemeral'],
      }),
    ),
    {
      Name: 'driver.example.com',
      AttachRequired: true,
      PodInfoOnMount: false,
      StorageCapacity: false,
      TokenRequests: 'a,b',
      RequiresRepublish: false,
      Modes: 'Persistent,Ephemeral',
      Age: '3m20s',
    },
  )
  deepEqual(kind.row(driver())['TokenRequests'], '<unset>')
})
