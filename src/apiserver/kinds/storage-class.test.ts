import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kindUnderTest } from './testing/kind-under-test.ts'
import { NOT_A_QUALIFIED_NAME } from './testing/messages-under-test.ts'

const kind = kindUnderTest('StorageClass')
const storageClass = (more: object = {}): object => ({
  metadata: { name: 'fast' },
  provisioner: 'driver.example.com',
  ...more,
})
const term = (...expressions: [key: string, values: string[]][]): object => ({
  matchLabelExpressions: expressions.map(([key, values]) => ({ key, values })),
})

const cases: [behaviour: string, object: object, problems: string[]][] = [
  ['a provisioner is enough', storageClass(), []],
  ['a provisioner may have capitals', storageClass({ provisioner: 'Driver.Example.com' }), []],
  ['a provisioner is required', storageClass({ provisioner: '' }), ['provisioner: Required value']],
  [
    'a provisioner is a qualified name',
    storageClass({ provisioner: 'No!' }),
    [`provisioner: Invalid value: "no!": ${NOT_A_QUALIFIED_NAME}`],
  ],
  [
    'parameters have keys',
    storageClass({ parameters: { '': 'x' } }),
    ['parameters: Invalid value: "": field can not be empty.'],
  ],
  [
    'at most 512 parameters',
    storageClass({ parameters: Object.fromEntries(Array.from({ length: 513 }, (_, i) => [`k${i}`, ''])) }),
    ['parameters: Too long: may not be more than 512 bytes'],
  ],
  [
    '512 parameters are fine',
    storageClass({ parameters: Object.fromEntries(Array.from({ length: 512 }, (_, i) => [`k${i}`, ''])) }),
    [],
  ],
  [
    'parameters of at most 256 KiB',
    storageClass({ parameters: { k: 'x'.repeat(256 * 1024) } }),
    ['parameters: Too long: may not be more than 262144 bytes'],
  ],
  ['parameters of just 256 KiB are fine', storageClass({ parameters: { k: 'x'.repeat(256 * 1024 - 1) } }), []],
  ['Retain is a reclaim policy', storageClass({ reclaimPolicy: 'Retain' }), []],
  [
    'Recycle is none for a class',
    storageClass({ reclaimPolicy: 'Recycle' }),
    ['reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"'],
  ],
  ['binding can wait', storageClass({ volumeBindingMode: 'WaitForFirstConsumer' }), []],
  [
    'binding cannot be something else',
    storageClass({ volumeBindingMode: 'Never' }),
    ['volumeBindingMode: Unsupported value: "Never": supported values: "Immediate", "WaitForFirstConsumer"'],
  ],
  [
    'topology terms may differ',
    storageClass({ allowedTopologies: [term(['zone', ['a']]), term(['zone', ['b']])] }),
    [],
  ],
  [
    'topology terms differ, whatever the order of their values',
    storageClass({ allowedTopologies: [term(['zone', ['a', 'b']]), term(['zone', ['b', 'a']])] }),
    ['allowedTopologies[1].matchLabelExpressions: Duplicate value: ""'],
  ],
  [
    'a topology key has values',
    storageClass({ allowedTopologies: [term(['zone', []])] }),
    ['allowedTopologies[0].matchLabelExpressions[0].values: Required value'],
  ],
  [
    'values of a topology key differ',
    storageClass({ allowedTopologies: [term(['zone', ['a', 'a']])] }),
    ['allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: "a"'],
  ],
  [
    'a topology key stands once in a term',
    storageClass({ allowedTopologies: [term(['zone', ['a']], ['zone', ['b']])] }),
    ['allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: "zone"'],
  ],
  [
    'a topology key is a label',
    storageClass({ allowedTopologies: [term(['-', ['a']])] }),
    [`allowedTopologies[0].matchLabelExpressions[0].key: Invalid value: "-": ${NOT_A_QUALIFIED_NAME}`],
  ],
]

describe('a new StorageClass', () => {
  for (const [behaviour, object, problems] of cases) test(behaviour, () => deepEqual(kind.problems(object), problems))

  test('deletes volumes and binds at once by default', () => {
    const { reclaimPolicy, volumeBindingMode } = kind.create(storageClass())
    deepEqual({ reclaimPolicy, volumeBindingMode }, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' })
  })
})

describe('a changed StorageClass', () => {
  const changes: [behaviour: string, change: object, problems: string[]][] = [
    ['may allow expansion', { allowVolumeExpansion: true }, []],
    ['may get other mount options', { mountOptions: ['ro'] }, []],
    ['may get other topologies', { allowedTopologies: [term(['zone', ['a']])] }, []],
    ['keeps its provisioner', { provisioner: 'other' }, ['provisioner: Invalid value: "other": field is immutable']],
    ['keeps its parameters', { parameters: { a: 'b' } }, ['parameters: Invalid value: {"a":"b"}: field is immutable']],
    [
      'keeps its reclaim policy',
      { reclaimPolicy: 'Retain' },
      ['reclaimPolicy: Invalid value: "Retain": field is immutable'],
    ],
    [
      'keeps its binding mode',
      { volumeBindingMode: 'WaitForFirstConsumer' },
      ['volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable'],
    ],
  ]
  for (const [behaviour, change, problems] of changes)
    test(behaviour, () => deepEqual(kind.updateProblems(storageClass(), storageClass(change)), problems))

  test('may lose parameters no more than get some', () => {
    deepEqual(kind.updateProblems(storageClass({ parameters: { a: 'b' } }), storageClass()), [
      'parameters: Invalid value: null: field is immutable',
    ])
  })
})

test('an old zone label is warned about', () => {
  deepEqual(
    kind.warnings(storageClass({ allowedTopologies: [term(['failure-domain.beta.kubernetes.io/zone', ['a']])] })),
    [
      'allowedTopologies[0].matchLabelExpressions[0].key: deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    ],
  )
})

test('the table shows which class is the default', () => {
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' }
  deepEqual(kind.row(storageClass({ metadata: { name: 'fast', annotations }, allowVolumeExpansion: true })), {
    Name: 'fast (default)',
    Provisioner: 'driver.example.com',
    ReclaimPolicy: 'Delete',
    VolumeBindingMode: 'Immediate',
    AllowVolumeExpansion: true,
    Age: '3m20s',
  })
})
