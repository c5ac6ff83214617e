import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { featureGates } from './feature-gates.ts'

const gates = featureGates(
  {
    Topology: { default: true, stage: 'GA' },
    HonorReclaimPolicy: { default: true, stage: 'GA', locked: true },
    ReleaseLeaderElectionOnExit: { default: false, stage: 'alpha' },
    CrossNamespace: { default: false, stage: 'alpha' },
    Recover: { default: true, stage: 'beta' },
    Legacy: { default: true, stage: 'deprecated' },
  },
  'Features.',
)
const defaults = {
  Topology: true,
  HonorReclaimPolicy: true,
  ReleaseLeaderElectionOnExit: false,
  CrossNamespace: false,
  Recover: true,
  Legacy: true,
}

const all =
  'Known gates: Topology, HonorReclaimPolicy, ReleaseLeaderElectionOnExit, CrossNamespace, Recover, Legacy, AllAlpha, AllBeta'

const right: [behaviour: string, words: string[], changed: Partial<typeof defaults>][] = [
  ['nothing changes nothing', [''], {}],
  ['a gate is set by its name', ['Topology=false,CrossNamespace=true'], { Topology: false, CrossNamespace: true }],
  [
    'spaces, empty items and every spelling of a boolean are fine',
    [' Topology = F , ,CrossNamespace=1,'],
    { Topology: false, CrossNamespace: true },
  ],
  [
    'the flag may be repeated, and the last one wins',
    ['CrossNamespace=true,Recover=false', 'Recover=true'],
    { CrossNamespace: true },
  ],
  ['AllAlpha turns on what is alpha', ['AllAlpha=true'], { ReleaseLeaderElectionOnExit: true, CrossNamespace: true }],
  ['AllBeta turns off what is beta', ['AllBeta=false'], { Recover: false }],
  [
    'a name counts more than AllAlpha before it',
    ['AllAlpha=true,CrossNamespace=false'],
    { ReleaseLeaderElectionOnExit: true },
  ],
  [
    'a name counts more than AllAlpha after it',
    ['CrossNamespace=false', 'AllAlpha=true'],
    { ReleaseLeaderElectionOnExit: true },
  ],
  ['a locked gate may be given its own value', ['HonorReclaimPolicy=true'], {}],
]

const wrong: [behaviour: string, words: string[], problems: string[]][] = [
  [
    'an unknown gate is refused, with the nearest',
    ['Topolgy=true'],
    [`unrecognized feature gate: "Topolgy". Did you mean Topology? ${all}`],
  ],
  [
    'a gate has its exact spelling',
    ['topology=true'],
    [`unrecognized feature gate: "topology". Did you mean Topology? ${all}`],
  ],
  ['a gate that objects inherit is unknown', ['toString=true'], [`unrecognized feature gate: "toString". ${all}`]],
  ['a gate has a value', ['Topology'], ['the gate Topology needs a value: Topology=true or Topology=false']],
  ['a gate is true or false', ['Topology=on'], ['the gate Topology is neither true nor false but "on"']],
  ['a locked gate stays', ['HonorReclaimPolicy=false'], ['the gate HonorReclaimPolicy is locked to true']],
  [
    'every problem is named',
    ['Topology=,X=1'],
    ['the gate Topology is neither true nor false but ""', `unrecognized feature gate: "X". ${all}`],
  ],
]

describe('featureGates', () => {
  test('defaults hold when nothing is given', () => deepEqual(gates.fallback, defaults))
  for (const [behaviour, words, changed] of right)
    test(behaviour, () => deepEqual(gates.read(words), { value: { ...defaults, ...changed } }))
  for (const [behaviour, words, problems] of wrong) test(behaviour, () => deepEqual(gates.read(words), { problems }))

  test('the help names each gate with default and stage', () => {
    const two = featureGates({ A: { default: true, stage: 'GA' }, B: { default: false, stage: 'alpha' } }, 'Features.')
    equal(two.details, 'Gates: A=true (GA), B=false (alpha).')
  })
})
