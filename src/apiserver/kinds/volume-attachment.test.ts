import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kindUnderTest } from './kind-under-test.ts'
import { NOT_A_SUBDOMAIN } from './messages-under-test.ts'

const kind = kindUnderTest('VolumeAttachment')
const attachment = (spec: object = {}, status?: object): object => ({
  metadata: { name: 'va' },
  spec: { attacher: 'driver.example.com', nodeName: 'n1', source: { persistentVolumeName: 'v1' }, ...spec },
  ...(status && { status }),
})
const inline = (volume: object = {}): object =>
  attachment({ source: { inlineVolumeSpec: { accessModes: ['ReadWriteOnce'], csi: { driver: 'driver.example.com', volumeHandle: 'h' }, ...volume } } })
const INLINE = 'may not be specified in the context of inline volumes'
const AT = 'spec.source.inlineVolumeSpec'

const cases: [behaviour: string, object: object, problems: string[]][] = [
  ['a volume by name', attachment(), []],
  ['an attacher is required', attachment({ attacher: '' }), ['spec.attacher: Required value']],
  ['an attacher has at most 63 bytes', attachment({ attacher: 'a'.repeat(64) }), ['spec.attacher: Too long: may not be more than 63 bytes']],
  ['an attacher is a domain', attachment({ attacher: 'a_b' }), [`spec.attacher: Invalid value: "a_b": ${NOT_A_SUBDOMAIN}`]],
  ['a node is required', attachment({ nodeName: '' }), [`spec.nodeName: Invalid value: "": ${NOT_A_SUBDOMAIN}`]],
  ['a source is required', attachment({ source: {} }), ['spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName']],
  [
    'two sources are one too many',
    attachment({ source: { persistentVolumeName: 'v1', inlineVolumeSpec: {} } }),
    ['spec.source: Forbidden: must specify exactly one of inlineVolumeSpec and persistentVolumeName'],
  ],
  [
    'a volume has a name',
    attachment({ source: { persistentVolumeName: '' } }),
    ['spec.source.persistentVolumeName: Required value: must specify non empty persistentVolumeName', `spec.source.persistentVolumeName: Invalid value: "": ${NOT_A_SUBDOMAIN}`],
  ],
  ['a volume of a pod', inline(), []],
  ['a volume of a pod has access modes', inline({ accessModes: [] }), [`${AT}.accessModes: Required value`]],
  ['a volume of a pod has a driver', inline({ csi: { driver: '', volumeHandle: 'h' } }), [`${AT}.csi.driver: Required value`]],
  [
    'a volume of a pod is a CSI volume',
    inline({ csi: null, hostPath: { path: '/x' } }),
    [`${AT}.csi: Required value: has to be specified in the context of inline volumes`],
  ],
  ['a volume of a pod has no claim', inline({ claimRef: { name: 'c' } }), [`${AT}.claimRef: Forbidden: ${INLINE}`]],
  ['a volume of a pod has no capacity', inline({ capacity: { storage: '1Gi' } }), [`${AT}.capacity: Forbidden: ${INLINE}`]],
  ['a volume of a pod has no class', inline({ storageClassName: 'fast' }), [`${AT}.storageClassName: Forbidden: ${INLINE}`]],
  ['a volume of a pod is everywhere', inline({ nodeAffinity: {} }), [`${AT}.nodeAffinity: Forbidden: ${INLINE}`]],
  [
    'a volume of a pod is never deleted',
    inline({ persistentVolumeReclaimPolicy: 'Delete' }),
    [`${AT}.persistentVolumeReclaimPolicy: Forbidden: may only be Retain in the context of inline volumes`],
  ],
  [
    'a volume of a pod is a file system',
    inline({ volumeMode: 'Block' }),
    [`${AT}.volumeMode: Forbidden: may not specify volumeMode other than Filesystem in the context of inline volumes`],
  ],
]

describe('a new VolumeAttachment', () => {
  for (const [behaviour, object, problems] of cases) test(behaviour, () => deepEqual(kind.problems(object), problems))

  test('is not attached, whatever the client says', () => deepEqual(kind.create(attachment({}, { attached: true }))['status'], { attached: false }))
})

describe('a changed VolumeAttachment', () => {
  test('may get labels', () => deepEqual(kind.updateProblems(attachment(), { ...attachment(), metadata: { name: 'va', labels: { a: 'b' } } }), []))
  test('keeps its spec', () => {
    deepEqual(kind.updateProblems(attachment(), attachment({ nodeName: 'n2' })), [
      'spec: Invalid value: {"attacher":"driver.example.com","source":{"persistentVolumeName":"v1"},"nodeName":"n2"}: field is immutable',
    ])
  })
})

describe('the status of a VolumeAttachment', () => {
  const statuses: [behaviour: string, status: object, problems: string[]][] = [
    ['can be attached with metadata', { attached: true, attachmentMetadata: { devicePath: '/dev/x' } }, []],
    [
      'has at most 256 KiB of metadata',
      { attached: true, attachmentMetadata: { k: 'x'.repeat(256 * 1024) } },
      ['status.attachmentMetadata: Too long: may not be more than 262144 bytes'],
    ],
    ['has a message of 1,024 bytes', { attached: false, attachError: { message: 'x'.repeat(1024) } }, []],
    [
      'and no longer one',
      { attached: false, attachError: { message: 'x'.repeat(1025) } },
      ['status.attachError.message: Too long: may not be more than 262144 bytes'],
    ],
    ['has an error code', { attached: false, detachError: { errorCode: 8 } }, []],
    [
      'has no negative error code',
      { attached: false, detachError: { errorCode: -1 } },
      ['status.detachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, inclusive'],
    ],
  ]
  for (const [behaviour, status, problems] of statuses) test(behaviour, () => deepEqual(kind.statusProblems(attachment(), attachment({}, status)), problems))
})

test('the table says whether it is attached', () => {
  deepEqual(kind.row(attachment({}, { attached: true })), { Name: 'va', Attacher: 'driver.example.com', PV: 'v1', Node: 'n1', Attached: true, Age: '3m20s' })
  deepEqual(kind.row(inline())['PV'], '')
})
