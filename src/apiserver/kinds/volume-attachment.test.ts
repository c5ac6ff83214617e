import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kindUnderTest } from './testing/kind-under-test.ts'
import { NOT_A_SUBDOMAIN } from './testing/messages-under-test.ts'

const kind = kindUnderTest('VolumeAttachment')
const attachment = (spec: object = {}, status?: object): object => ({
  metadata: { name: 'va' },
  spec: { attacher: 'driver.example.com', nodeName: 'n1', source: { persistentVolumeName: 'v1' }, ...spec },
  ...(status && { status }),
})
const inline = (volume: object = {}): object =>
  attachment({
    source: {
      inlineVolumeSpec: {
        accessModes: ['ReadWriteOnce'],
        csi: { driver: 'driver.example.com', volumeHandle: 'h' },
        ...volume,
      },
    },
  })
const INLINE = 'may not be specified in the context of inline volumes'
const AT = 'spec.source.inlineVolumeSpec'

const cases: [behaviour: string, object: object, problems: string[]][] = [
  ['a volume by name', attachment(), []],
  ['an attacher is required', attachment({ attacher: '' }), ['spec.attacher: Required value']],
  [
    'an attacher has at most 63 bytes',
    attachment({ attacher: 'a'.repeat(64) }),
    ['spec.attacher: Too long: may not be more than 63 bytes'],
  ],
  [
    'an attacher is a domain',
    attachment({ attacher: 'a_b' }),
    [`spec.attacher: Invalid value: "a_b": ${NOT_A_SUBDOMAIN}`],
  ],
  ['a node is required', attachment({ nodeName: '' }), [`spec.nodeName: Invalid value: "": ${NOT_A_SUBDOMAIN}`]],
  [
    'a source is required',
    attachment({ source: {} }),
    ['spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName'],
  ],
  [
    'two sources are one too many',
    attachment({ source: { persistentVolumeName: 'v1', inlineVolumeSpec: {} } }),
    ['spec.source: Forbidden: must specify exactly one of inlineVolumeSpec and persistentVolumeName'],
  ],
  [
    'a volume has a name',
    attachment({ source: { persistentVolumeName: '' } }),
    [
      'spec.source.persistentVolumeName: Required value: must specify non empty persistentVolumeName',
      `spec.source.persistentVolumeName: Invalid value: "": ${NOT_A_SUBDOMAIN}`,
    ],
  ],
  ['a volume of a pod', inline(), []],
  ['a volume of a pod has access modes', inline({ accessModes: [] }), [`${AT}.accessModes: Required value`]],
  [
    'a volume of a pod has a driver',
    inline({ csi: { driver: '', volumeHandle: 'h' } }),
    [`${AT}.csi.driver: Required value`],
  ],
  [
    'a volume of a pod is a CSI volume',
    inline({ csi: null, hostPath: { path: '/x' } }),
    [`${AT}.csi: Required value: has to be specified in the context of inline volumes`],
  ],
  ['a volume of a pod has no claim', inline({ claimRef: { name: 'c' } }), [`${AT}.claimRef: Forbidden: ${INLINE}`]],
  [
    'a volume of a pod has no capacity',
    inline({ capacity: { storage: '1Gi' } }),
    [`${AT}.capacity: Forbidden: ${INLINE}`],
  ],
  [
    'a volume of a pod has no class',
    inline({ storageClassName: 'fast' }),
    [`${AT}.storageClassName: Forbidden: ${INLINE}`],
  ],
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

// `spec.source.volumeSource`: the source of a pod's volume, as the design document about in-line volumes has it.
const NAMESPACE = 'csi.holdfast.dev/pod-namespace'
const POD_AT = 'spec.source.volumeSource'
const CSI = { driver: 'driver.example.com', volumeHandle: 'h' }
const ofPod = (volumeSource: object, annotations?: Record<string, string>, more: object = {}): object => ({
  ...attachment({ source: { volumeSource, ...more } }),
  metadata: { name: 'va', ...(annotations && { annotations }) },
})
const storedSource = (object: object): unknown => (kind.create(object)['spec'] as { source: unknown }).source
const ONE = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'

describe("the source of a pod's volume in a VolumeAttachment", () => {
  test('S2-16, S2-18, H42: is taken whole, and stored in the words of today', () => {
    const csi = { ...CSI, readOnly: true, fsType: 'xfs', volumeAttributes: { tier: 'fast' } }
    deepEqual(kind.problems(ofPod({ csi })), [])
    deepEqual(storedSource(ofPod({ csi })), {
      inlineVolumeSpec: { accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem', csi },
    })
  })

  test('S2-18, H44: a file system that is left out is ext4', () => {
    deepEqual(storedSource(ofPod({ csi: CSI })), {
      inlineVolumeSpec: { accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem', csi: { ...CSI, fsType: 'ext4' } },
    })
  })

  test('H41, H42: its secrets are those of the namespace that the attachment names', () => {
    const secrets = {
      controllerPublishSecretRef: { name: 'attach' },
      nodeStageSecretRef: { name: 'stage' },
      nodePublishSecretRef: { name: 'publish' },
    }
    const { inlineVolumeSpec } = storedSource(ofPod({ csi: { ...CSI, ...secrets } }, { [NAMESPACE]: 'shop' })) as {
      inlineVolumeSpec: { csi: object }
    }
    deepEqual(inlineVolumeSpec.csi, {
      ...CSI,
      fsType: 'ext4',
      controllerPublishSecretRef: { name: 'attach', namespace: 'shop' },
      nodeStageSecretRef: { name: 'stage', namespace: 'shop' },
      nodePublishSecretRef: { name: 'publish', namespace: 'shop' },
    })
    for (const [member, reference] of Object.entries(secrets)) {
      deepEqual(kind.problems(ofPod({ csi: { ...CSI, [member]: reference } })), [
        `metadata.annotations[${NAMESPACE}]: Required value: must name the namespace of the pod, which is also that of the volume's secrets`,
      ])
    }
  })

  test('H39, H42: says the same by the reserved attributes, which are not stored', () => {
    const prefix = 'csi.kubernetes.io/inline.'
    const csi = {
      driver: CSI.driver,
      volumeAttributes: { [`${prefix}volumeHandle`]: 'h', [`${prefix}controllerPublishSecretName`]: 'attach' },
    }
    deepEqual(storedSource(ofPod({ csi }, { [NAMESPACE]: 'shop' })), {
      inlineVolumeSpec: {
        accessModes: ['ReadWriteOnce'],
        volumeMode: 'Filesystem',
        csi: { ...CSI, fsType: 'ext4', controllerPublishSecretRef: { name: 'attach', namespace: 'shop' } },
      },
    })
    deepEqual(kind.problems(ofPod({ csi })).length, 1)
  })

  const refused: [behaviour: string, object: object, problems: string[]][] = [
    [
      'S2-17: is refused beside the name of a volume',
      ofPod({ csi: CSI }, undefined, { persistentVolumeName: 'v1' }),
      [`spec.source: Forbidden: ${ONE}`],
    ],
    [
      'S2-17: is refused beside a source in the words of today',
      ofPod({ csi: CSI }, undefined, { inlineVolumeSpec: { accessModes: ['ReadWriteOnce'], csi: CSI } }),
      [`spec.source: Forbidden: ${ONE}`],
    ],
    [
      'S2-17: is refused beside the same in the words of today',
      ofPod({ csi: CSI }, undefined, {
        inlineVolumeSpec: { accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem', csi: { ...CSI, fsType: 'ext4' } },
      }),
      [`spec.source: Forbidden: ${ONE}`],
    ],
    [
      'S2-17: is required where there is no other at all',
      attachment({ source: {} }),
      [`spec.source: Required value: ${ONE}`],
    ],
    [
      'S2-19: is refused without a CSI source',
      ofPod({}),
      [`${POD_AT}.csi: Required value: has to be specified in the context of inline volumes`],
    ],
    [
      'S2-19: is refused if it is of another kind',
      ofPod({ hostPath: { path: '/x' } }),
      [
        `${POD_AT}.hostPath: Forbidden: only csi is supported`,
        `${POD_AT}.csi: Required value: has to be specified in the context of inline volumes`,
      ],
    ],
    [
      'S2-19: is refused if it has another kind beside CSI',
      ofPod({ csi: CSI, emptyDir: {} }),
      [`${POD_AT}.emptyDir: Forbidden: only csi is supported`],
    ],
    [
      'H42: is refused without a driver',
      ofPod({ csi: { ...CSI, driver: '' } }),
      [`${POD_AT}.csi.driver: Required value`],
    ],
    [
      'H42: is refused without a handle',
      ofPod({ csi: { driver: CSI.driver } }),
      [`${POD_AT}.csi.volumeHandle: Required value`],
    ],
    [
      'H42: is refused with a secret without a name',
      ofPod({ csi: { ...CSI, nodeStageSecretRef: {} } }, { [NAMESPACE]: 'shop' }),
      [`${POD_AT}.csi.nodeStageSecretRef.name: Required value`],
    ],
    [
      'H41: is refused with a namespace that can be none',
      ofPod({ csi: CSI }, { [NAMESPACE]: 'Shop' }),
      [
        `metadata.annotations[${NAMESPACE}]: Invalid value: "Shop": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
      ],
    ],
  ]
  for (const [behaviour, object, problems] of refused) test(behaviour, () => deepEqual(kind.problems(object), problems))

  test('S2-18: may be any that a pod can have, as far as its form goes', () => {
    const members = [
      'awsElasticBlockStore',
      'configMap',
      'emptyDir',
      'gcePersistentDisk',
      'hostPath',
      'nfs',
      'secret',
      'rbd',
    ]
    for (const member of members)
      deepEqual(kind.problems(ofPod({ csi: CSI, [member]: {} })), [
        `${POD_AT}.${member}: Forbidden: only csi is supported`,
      ])
  })

  test('may be applied once more, and not be changed', () => {
    const before = ofPod({ csi: CSI })
    const { inlineVolumeSpec } = storedSource(before) as { inlineVolumeSpec: object }
    deepEqual(kind.updateProblems(before, before), [])
    deepEqual(kind.updateProblems(before, ofPod({ csi: CSI }, undefined, { inlineVolumeSpec })), [])
    equal(kind.updateProblems(before, ofPod({ csi: { ...CSI, volumeHandle: 'other' } })).length, 1)
    deepEqual(
      kind.updateProblems(
        before,
        ofPod({ csi: { ...CSI, volumeHandle: 'other' } }, undefined, { inlineVolumeSpec }),
      )[0],
      `spec.source: Forbidden: ${ONE}`,
    )
  })
})

describe('a new VolumeAttachment', () => {
  for (const [behaviour, object, problems] of cases) test(behaviour, () => deepEqual(kind.problems(object), problems))

  test('is not attached, whatever the client says', () =>
    deepEqual(kind.create(attachment({}, { attached: true }))['status'], { attached: false }))
})

describe('a changed VolumeAttachment', () => {
  test('may get labels', () =>
    deepEqual(kind.updateProblems(attachment(), { ...attachment(), metadata: { name: 'va', labels: { a: 'b' } } }), []))
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
  for (const [behaviour, status, problems] of statuses)
    test(behaviour, () => deepEqual(kind.statusProblems(attachment(), attachment({}, status)), problems))
})

test('the table says whether it is attached', () => {
  deepEqual(kind.row(attachment({}, { attached: true })), {
    Name: 'va',
    Attacher: 'driver.example.com',
    PV: 'v1',
    Node: 'n1',
    Attached: true,
    Age: '3m20s',
  })
  deepEqual(kind.row(inline())['PV'], '')
})
