import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CREATED, kindUnderTest } from './testing/kind-under-test.ts'
import { NOT_A_LABEL, NOT_A_SUBDOMAIN } from './testing/messages-under-test.ts'

const kind = kindUnderTest('Pod')
const container = (more: object = {}): object => ({ name: 'main', image: 'app:1', ...more })
const pod = (spec: object = {}, more: object = {}): object => ({
  metadata: { name: 'p', namespace: 'ns' },
  spec: { serviceAccountName: 'default', containers: [container()], ...spec },
  ...more,
})
const withVolume = (source: object, containerMore: object = {}): object =>
  pod({ volumes: [{ name: 'data', ...source }], containers: [container(containerMore)] })
const CLAIM = { persistentVolumeClaim: { claimName: 'c' } }
const TEMPLATE = { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } }

const FILE_MODE = 'must be a number between 0 and 0777 (octal), both inclusive'
const C = 'spec.containers[0]'
const V = 'spec.volumes[0]'

type Case = [behaviour: string, object: object, problems: string[]]

const volumeCases: Case[] = [
  ['a claim', withVolume(CLAIM), []],
  [
    'a claim without a name',
    withVolume({ persistentVolumeClaim: { claimName: '' } }),
    [`${V}.persistentVolumeClaim.claimName: Required value`],
  ],
  ['no source becomes an empty directory', withVolume({}), []],
  [
    'two sources',
    withVolume({ ...CLAIM, hostPath: { path: '/x' } }),
    [`${V}.persistentVolumeClaim: Forbidden: may not specify more than 1 volume type`],
  ],
  ['no name', pod({ volumes: [{ name: '', ...CLAIM }] }), [`${V}.name: Required value`]],
  [
    'a name that is no label',
    pod({ volumes: [{ name: 'A', ...CLAIM }] }),
    [`${V}.name: Invalid value: "A": ${NOT_A_LABEL}`],
  ],
  [
    'a name that stands twice',
    pod({
      volumes: [
        { name: 'a', ...CLAIM },
        { name: 'a', ...CLAIM },
      ],
    }),
    ['spec.volumes[1].name: Duplicate value: "a"'],
  ],
  [
    'a negative size limit',
    withVolume({ emptyDir: { sizeLimit: '-1' } }),
    [`${V}.emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity`],
  ],
  ['a secret without a name', withVolume({ secret: { secretName: '' } }), [`${V}.secret.secretName: Required value`]],
  [
    'a secret with a strange mode',
    withVolume({ secret: { secretName: 's', defaultMode: 512 } }),
    [`${V}.secret.defaultMode: Invalid value: 512: ${FILE_MODE}`],
  ],
  [
    'a key without key and path',
    withVolume({ configMap: { name: 'm', items: [{ key: '', path: '' }] } }),
    [`${V}.configMap.items[0].key: Required value`, `${V}.configMap.items[0].path: Required value`],
  ],
  [
    'a key at an absolute path',
    withVolume({ configMap: { name: 'm', items: [{ key: 'k', path: '/x' }] } }),
    [`${V}.configMap.items[0].path: Invalid value: "/x": must be a relative path`],
  ],
  [
    'a key at a reserved path',
    withVolume({ configMap: { name: 'm', items: [{ key: 'k', path: '..x' }] } }),
    [`${V}.configMap.items[0].path: Invalid value: "..x": must not start with '..'`],
  ],
  ['a config map without a name', withVolume({ configMap: {} }), [`${V}.configMap.name: Required value`]],
  [
    'two files at one path',
    withVolume({
      projected: {
        sources: [
          { secret: { name: 's', items: [{ key: 'k', path: 'x' }] } },
          { configMap: { name: 'm', items: [{ key: 'k', path: 'x' }] } },
        ],
      },
    }),
    [`${V}.projected: Invalid value: "m": conflicting duplicate paths`],
  ],
  [
    'two sources in one projection',
    withVolume({ projected: { sources: [{ secret: { name: 's' }, configMap: { name: 'm' } }] } }),
    [`${V}.projected.sources[0]: Forbidden: may not specify more than 1 volume type per source`],
  ],
  [
    'a token that is short-lived',
    withVolume({ projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 599 } }] } }),
    [
      `${V}.projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes`,
    ],
  ],
  [
    'a token of no account',
    pod({
      serviceAccountName: '',
      volumes: [{ name: 'data', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }],
    }),
    [
      `${V}.projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set`,
    ],
  ],
  [
    'a field of the pod as a file, of which field is not said',
    withVolume({ downwardAPI: { items: [{ path: 'x' }] } }),
    [`${V}.downwardAPI: Required value: one of fieldRef and resourceFieldRef is required`],
  ],

  ['an in-line CSI volume', withVolume({ csi: { driver: 'driver.example.com' } }), []],
  ['an in-line CSI volume without a driver', withVolume({ csi: { driver: '' } }), [`${V}.csi.driver: Required value`]],
  [
    'an in-line CSI volume whose driver is no domain',
    withVolume({ csi: { driver: 'a_b' } }),
    [`${V}.csi.driver: Invalid value: "a_b": ${NOT_A_SUBDOMAIN}`],
  ],
  [
    'an in-line CSI volume with a secret',
    withVolume({ csi: { driver: 'd', nodePublishSecretRef: { name: 's' } } }),
    [],
  ],
  [
    'an in-line CSI volume with a secret that has no name',
    withVolume({ csi: { driver: 'd', nodePublishSecretRef: {} } }),
    [`${V}.csi.nodePublishSecretRef.name: Required value`],
  ],
  [
    'an in-line CSI volume with a secret that cannot be',
    withVolume({ csi: { driver: 'd', nodePublishSecretRef: { name: 'S' } } }),
    [`${V}.csi.name: Invalid value: "S": ${NOT_A_SUBDOMAIN}`],
  ],

  ['a claim of its own', withVolume({ ephemeral: { volumeClaimTemplate: TEMPLATE } }), []],
  [
    'a claim of its own without a template',
    withVolume({ ephemeral: {} }),
    [`${V}.ephemeral.volumeClaimTemplate: Required value`],
  ],
  [
    'a claim of its own without a size',
    withVolume({ ephemeral: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'] } } } }),
    [`${V}.ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value`],
  ],
  [
    'a claim of its own with a name of its own',
    withVolume({ ephemeral: { volumeClaimTemplate: { ...TEMPLATE, metadata: { name: 'x', labels: { a: 'b' } } } } }),
    [`${V}.ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set`],
  ],
  [
    'a claim of its own whose name would be too long',
    {
      ...withVolume({ ephemeral: { volumeClaimTemplate: TEMPLATE } }),
      metadata: { name: 'p'.repeat(253), namespace: 'ns' },
    },
    [`${V}.name: Invalid value: "data": PVC name "${'p'.repeat(253)}-data": must be no more than 253 characters`],
  ],
  [
    'a claim of its own that another volume names',
    pod({
      volumes: [
        { name: 'a', ephemeral: { volumeClaimTemplate: TEMPLATE } },
        { name: 'b', persistentVolumeClaim: { claimName: 'p-a' } },
      ],
    }),
    [
      'spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: "p-a": must not reference a PVC that gets created for an ephemeral volume',
    ],
  ],
]

const mount = (more: object = {}): object => ({ volumeMounts: [{ name: 'data', mountPath: '/data', ...more }] })
const device = (more: object = {}): object => ({ volumeDevices: [{ name: 'data', devicePath: '/dev/x', ...more }] })

const useCases: Case[] = [
  ['a mount', withVolume(CLAIM, mount()), []],
  [
    'a mount of a volume that is not there',
    pod({ containers: [container(mount())] }),
    [`${C}.volumeMounts[0].name: Not found: "data"`],
  ],
  [
    'a mount of a volume that is wrong',
    withVolume({ csi: { driver: '' } }, mount()),
    [`${V}.csi.driver: Required value`, `${C}.volumeMounts[0].name: Not found: "data"`],
  ],
  [
    'a mount without a path',
    withVolume(CLAIM, mount({ mountPath: '' })),
    [`${C}.volumeMounts[0].mountPath: Required value`],
  ],
  [
    'two mounts at one path',
    withVolume(CLAIM, {
      volumeMounts: [
        { name: 'data', mountPath: '/a' },
        { name: 'data', mountPath: '/a' },
      ],
    }),
    [`${C}.volumeMounts[1].mountPath: Invalid value: "/a": must be unique`],
  ],
  ['a part of a volume', withVolume(CLAIM, mount({ subPath: 'a/b' })), []],
  [
    'a part of a volume above it',
    withVolume(CLAIM, mount({ subPath: '../b' })),
    [`${C}.volumeMounts.subPath: Invalid value: "../b": must not contain '..'`],
  ],
  [
    'a part of a volume at an absolute path',
    withVolume(CLAIM, mount({ subPath: '/b' })),
    [`${C}.volumeMounts.subPath: Invalid value: "/b": must be a relative path`],
  ],
  [
    'a part of a volume named twice',
    withVolume(CLAIM, mount({ subPath: 'a', subPathExpr: '$(B)' })),
    [`${C}.volumeMounts[0].subPathExpr: Invalid value: "$(B)": subPathExpr and subPath are mutually exclusive`],
  ],
  [
    'mounts that go both ways',
    withVolume(CLAIM, mount({ mountPropagation: 'Bidirectional' })),
    [
      `${C}.volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers`,
    ],
  ],
  [
    'mounts that go both ways, for the privileged',
    withVolume(CLAIM, { ...mount({ mountPropagation: 'Bidirectional' }), securityContext: { privileged: true } }),
    [],
  ],
  [
    'mounts that go an unknown way',
    withVolume(CLAIM, mount({ mountPropagation: 'Up' })),
    [
      `${C}.volumeMounts.mountPropagation: Unsupported value: "Up": supported values: "Bidirectional", "HostToContainer", "None"`,
    ],
  ],
  [
    'read-only to the ground, but not read-only',
    withVolume(CLAIM, mount({ recursiveReadOnly: 'Enabled' })),
    [`${C}.volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true`],
  ],
  ['a device', withVolume(CLAIM, device()), []],
  ['a device of a claim of its own', withVolume({ ephemeral: { volumeClaimTemplate: TEMPLATE } }, device()), []],
  [
    'a device of something else',
    withVolume({ emptyDir: {} }, device()),
    [
      `${C}.volumeDevices[0].name: Invalid value: "data": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode`,
    ],
  ],
  [
    'a device of a volume that is not there',
    pod({ containers: [container(device())] }),
    [`${C}.volumeDevices[0].name: Not found: "data"`],
  ],
  [
    'a device without a path',
    withVolume(CLAIM, device({ devicePath: '' })),
    [`${C}.volumeDevices[0].devicePath: Required value`],
  ],
  [
    'a device at a path that climbs',
    withVolume(CLAIM, device({ devicePath: '/dev/../x' })),
    [`${C}.volumeDevices[0].devicePath: Invalid value: "/dev/../x": can not contain backsteps ('..')`],
  ],
  [
    'a volume as a device and as a mount',
    withVolume(CLAIM, { ...device(), ...mount() }),
    [
      `${C}.volumeMounts[0].name: Invalid value: "data": must not already exist in volumeDevices`,
      `${C}.volumeDevices[0].name: Invalid value: "data": must not already exist in volumeMounts`,
    ],
  ],
  [
    'two devices of one volume',
    withVolume(CLAIM, {
      volumeDevices: [
        { name: 'data', devicePath: '/dev/x' },
        { name: 'data', devicePath: '/dev/y' },
      ],
    }),
    [`${C}.volumeDevices[1].name: Invalid value: "data": must be unique`],
  ],
]

const specCases: Case[] = [
  ['no container', pod({ containers: [] }), ['spec.containers: Required value']],
  [
    'a container without name and image',
    pod({ containers: [{ name: '' }] }),
    [`${C}.name: Required value`, `${C}.image: Required value`],
  ],
  [
    'two containers of one name',
    pod({ containers: [container(), container()] }),
    ['spec.containers[1].name: Duplicate value: "main"'],
  ],
  [
    'an init container of the same name',
    pod({ initContainers: [container()] }),
    ['spec.initContainers[0].name: Duplicate value: "main"'],
  ],
  [
    'an image with space around it',
    pod({ containers: [container({ image: 'a ' })] }),
    [`${C}.image: Invalid value: "a ": must not have leading or trailing whitespace`],
  ],
  [
    'an unknown pull policy',
    pod({ containers: [container({ imagePullPolicy: 'x' })] }),
    [`${C}.imagePullPolicy: Unsupported value: "x": supported values: "Always", "IfNotPresent", "Never"`],
  ],
  [
    'an unknown restart policy',
    pod({ restartPolicy: 'x' }),
    ['spec.restartPolicy: Unsupported value: "x": supported values: "Always", "OnFailure", "Never"'],
  ],
  [
    'more asked for than allowed',
    pod({ containers: [container({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } })] }),
    [`${C}.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1`],
  ],
  [
    'a negative group',
    pod({ securityContext: { fsGroup: -1 } }),
    ['spec.securityContext.fsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive'],
  ],
  [
    'an unknown change policy',
    pod({ securityContext: { fsGroupChangePolicy: 'x' } }),
    ['spec.securityContext.fsGroupChangePolicy: Unsupported value: "x": supported values: "Always", "OnRootMismatch"'],
  ],
  ['a node that cannot be', pod({ nodeName: 'A' }), [`spec.nodeName: Invalid value: "A": ${NOT_A_SUBDOMAIN}`]],
  [
    'a gate and a node',
    pod({ nodeName: 'n', schedulingGates: [{ name: 'a' }] }),
    ['spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared'],
  ],
  [
    'a container for debugging',
    pod({ ephemeralContainers: [container({ name: 'debug' })] }),
    ['spec.ephemeralContainers: Forbidden: cannot be set on create'],
  ],
  [
    'a toleration of everything, wrongly',
    pod({ tolerations: [{ operator: 'Equal' }] }),
    [
      'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
    ],
  ],
  [
    'affinity of no weight',
    pod({
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, preference: {} }] } },
    }),
    [
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be in the range 1-100',
    ],
  ],
]

describe('the volumes of a new pod', () => {
  for (const [behaviour, object, problems] of volumeCases)
    test(behaviour, () => deepEqual(kind.problems(object), problems))
})
describe('the use of volumes by a container', () => {
  for (const [behaviour, object, problems] of useCases)
    test(behaviour, () => deepEqual(kind.problems(object), problems))
})
describe('the rest of a new pod', () => {
  for (const [behaviour, object, problems] of specCases)
    test(behaviour, () => deepEqual(kind.problems(object), problems))
})

describe('a new pod', () => {
  const specOf = (object: object): Record<string, unknown> => kind.create(object)['spec'] as Record<string, unknown>
  const volumeOf = (source: object): unknown => (specOf(withVolume(source))['volumes'] as unknown[])[0]
  const containerOf = (more: object): Record<string, unknown> =>
    (specOf(pod({ containers: [container(more)] }))['containers'] as Record<string, unknown>[])[0] ?? {}

  test('has defaults', () => {
    deepEqual(specOf(pod()), {
      serviceAccountName: 'default',
      serviceAccount: 'default',
      containers: [
        {
          name: 'main',
          image: 'app:1',
          resources: {},
          imagePullPolicy: 'IfNotPresent',
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
        },
      ],
      enableServiceLinks: true,
      dnsPolicy: 'ClusterFirst',
      restartPolicy: 'Always',
      securityContext: {},
      terminationGracePeriodSeconds: 30,
      schedulerName: 'default-scheduler',
    })
  })

  const images: [image: string, policy: string][] = [
    ['app', 'Always'],
    ['app:latest', 'Always'],
    ['app:1', 'IfNotPresent'],
    ['registry:5000/app', 'Always'],
    ['registry:5000/app:1', 'IfNotPresent'],
    ['app@sha256:00', 'IfNotPresent'],
    ['app:latest@sha256:00', 'Always'],
  ]
  for (const [image, policy] of images)
    test(`pulls ${image}: ${policy}`, () => equal(containerOf({ image })['imagePullPolicy'], policy))

  const volumes: [behaviour: string, source: object, volume: object][] = [
    ['an empty directory where no source is given', {}, { emptyDir: {} }],
    [
      'readable files from a secret',
      { secret: { secretName: 's' } },
      { secret: { secretName: 's', defaultMode: 420 } },
    ],
    ['readable files from a config map', { configMap: { name: 'm' } }, { configMap: { name: 'm', defaultMode: 420 } }],
    [
      'a token for an hour',
      { projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
      { projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 3600 } }], defaultMode: 420 } },
    ],
    ['a host path of any type', { hostPath: { path: '/x' } }, { hostPath: { path: '/x', type: '' } }],
  ]
  for (const [behaviour, source, volume] of volumes)
    test(`has ${behaviour}`, () => deepEqual(volumeOf(source), { name: 'data', ...volume }))

  test('has a claim of its own as a file system', () => {
    const { ephemeral } = volumeOf({ ephemeral: { volumeClaimTemplate: TEMPLATE } }) as {
      ephemeral: { volumeClaimTemplate: { spec: { volumeMode: string } } }
    }
    equal(ephemeral.volumeClaimTemplate.spec.volumeMode, 'Filesystem')
  })
  test('asks for what it is limited to', () =>
    deepEqual(
      containerOf({ resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } } })['resources'],
      { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m', memory: '1Gi' } },
    ))
  test('takes its account under the old name', () =>
    equal(specOf(pod({ serviceAccountName: '', serviceAccount: 'builder' }))['serviceAccountName'], 'builder'))
  test('has probes with defaults', () => {
    deepEqual(containerOf({ livenessProbe: { httpGet: { port: 80 } } })['livenessProbe'], {
      httpGet: { port: 80, path: '/', scheme: 'HTTP' },
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    })
  })

  const statusOf = (spec: object): unknown =>
    kind.create(pod(spec, { status: { phase: 'Running', podIP: '1.2.3.4' } }))['status']
  const resources = (requests: object, limits: object): object => ({
    containers: [container({ resources: { requests, limits } })],
  })
  const classes: [behaviour: string, spec: object, qosClass: string][] = [
    ['asks for nothing', {}, 'BestEffort'],
    ['asks for something', resources({ cpu: '1' }, {}), 'Burstable'],
    ['is limited in everything to what it asks for', resources({}, { cpu: '1', memory: '1Gi' }), 'Guaranteed'],
    ['asks for less than it may have', resources({ cpu: '500m' }, { cpu: '1', memory: '1Gi' }), 'Burstable'],
    ['is limited in one thing', resources({}, { cpu: '1' }), 'Burstable'],
  ]
  for (const [behaviour, spec, qosClass] of classes)
    test(`that ${behaviour} is ${qosClass}, and pending`, () =>
      deepEqual(statusOf(spec), { phase: 'Pending', qosClass }))

  test('that is gated says so', () => {
    deepEqual((statusOf({ schedulingGates: [{ name: 'a' }] }) as { conditions: unknown }).conditions, [
      {
        type: 'PodScheduled',
        status: 'False',
        lastProbeTime: null,
        lastTransitionTime: CREATED,
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
      },
    ])
  })
})

describe('a changed pod', () => {
  const FIXED =
    'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'
  const gated = (spec: object = {}): object => pod({ schedulingGates: [{ name: 'a' }], ...spec })
  const toleration = { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }
  const changes: [behaviour: string, before: object, change: object, problems: string[]][] = [
    [
      'may get another image',
      pod(),
      pod({ containers: [container({ image: 'app:2', imagePullPolicy: 'IfNotPresent' })] }),
      [],
    ],
    [
      'keeps the number of its containers',
      pod(),
      pod({ containers: [container(), container({ name: 'b' })] }),
      ['spec.containers: Forbidden: pod updates may not add or remove containers'],
    ],
    ['keeps its volumes', pod(), withVolume(CLAIM), [FIXED]],
    ['keeps its node', pod({ nodeName: 'a' }), pod({ nodeName: 'b' }), [FIXED]],
    ['is not put on a node by an update', pod(), pod({ nodeName: 'b' }), [FIXED]],
    ['may get a deadline', pod(), pod({ activeDeadlineSeconds: 10 }), []],
    ['may get a shorter deadline', pod({ activeDeadlineSeconds: 10 }), pod({ activeDeadlineSeconds: 5 }), []],
    [
      'gets no longer deadline',
      pod({ activeDeadlineSeconds: 5 }),
      pod({ activeDeadlineSeconds: 10 }),
      ['spec.activeDeadlineSeconds: Invalid value: 10: must be less than or equal to previous value'],
    ],
    [
      'keeps a deadline',
      pod({ activeDeadlineSeconds: 5 }),
      pod(),
      ['spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value'],
    ],
    [
      'may tolerate more',
      pod({ tolerations: [toleration] }),
      pod({ tolerations: [toleration, { ...toleration, key: 'b' }] }),
      [],
    ],
    [
      'may tolerate longer',
      pod({ tolerations: [toleration] }),
      pod({ tolerations: [{ ...toleration, tolerationSeconds: 600 }] }),
      [],
    ],
    [
      'tolerates no less',
      pod({ tolerations: [toleration] }),
      pod(),
      ['spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds'],
    ],
    ['may lose a gate', gated(), pod(), []],
    [
      'gets no gate',
      pod(),
      gated(),
      [`spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'a'`],
    ],
    [
      'may be sent to fewer nodes while gated',
      gated({ nodeSelector: { a: 'b' } }),
      gated({ nodeSelector: { a: 'b', c: 'd' } }),
      [],
    ],
    [
      'is not sent to others',
      gated({ nodeSelector: { a: 'b' } }),
      gated({ nodeSelector: { a: 'c' } }),
      [
        'spec.nodeSelector: Invalid value: {"a":"c"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
      ],
    ],
    ['keeps its nodes once it is not gated', pod(), pod({ nodeSelector: { a: 'b' } }), [FIXED]],
    ['keeps its grace', pod(), pod({ terminationGracePeriodSeconds: 1 }), [FIXED]],
    [
      'corrects a negative grace',
      pod({ terminationGracePeriodSeconds: -1 }),
      pod({ terminationGracePeriodSeconds: 1 }),
      [],
    ],
  ]
  for (const [behaviour, before, change, problems] of changes)
    test(behaviour, () => deepEqual(kind.updateProblems(before, change), problems))
})

describe('the status of a pod', () => {
  const state = (phase: 'terminated' | 'running', exitCode = 0): object => ({
    containerStatuses: [
      {
        name: 'main',
        ready: false,
        restartCount: 0,
        image: 'i',
        imageID: 'x',
        state: { [phase]: phase === 'running' ? {} : { exitCode } },
      },
    ],
  })
  const NO_WAY_BACK = ['status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state']
  const statuses: [behaviour: string, spec: object, before: object, status: object, problems: string[]][] = [
    ['may say that it runs', {}, {}, { phase: 'Running' }, []],
    [
      'keeps its class of service',
      {},
      {},
      { qosClass: 'Guaranteed' },
      ['status.qosClass: Invalid value: "Guaranteed": field is immutable'],
    ],
    ['has conditions with proper names', {}, {}, { conditions: [{ type: 'example.com/x', status: 'True' }] }, []],
    [
      'is not nominated for a node that it has left for',
      { nodeName: 'n' },
      {},
      { nominatedNodeName: 'm' },
      ['status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node'],
    ],
    ['may restart', {}, state('terminated'), state('running'), []],
    [
      'does not restart when it never should',
      { restartPolicy: 'Never' },
      state('terminated', 1),
      state('running'),
      NO_WAY_BACK,
    ],
    ['may restart after a failure', { restartPolicy: 'OnFailure' }, state('terminated', 1), state('running'), []],
    [
      'does not restart after success',
      { restartPolicy: 'OnFailure' },
      state('terminated', 0),
      state('running'),
      NO_WAY_BACK,
    ],
  ]
  for (const [behaviour, spec, before, status, problems] of statuses) {
    test(behaviour, () =>
      deepEqual(kind.statusProblems(pod(spec, { status: before }), pod(spec, { status })), problems),
    )
  }
})

describe('the grace of a pod', () => {
  const graces: [behaviour: string, object: object, asked: number | undefined, seconds: number][] = [
    ['is what was asked for', { spec: { nodeName: 'n' } }, 5, 5],
    [
      'is its own when nothing was asked for',
      { spec: { nodeName: 'n', terminationGracePeriodSeconds: 20 } },
      undefined,
      20,
    ],
    ['is none before it has a node', { spec: {} }, 5, 0],
    ['is none after it has ended', { spec: { nodeName: 'n' }, status: { phase: 'Succeeded' } }, 5, 0],
    ['is a second when it was negative', { spec: { nodeName: 'n' } }, -5, 1],
  ]
  for (const [behaviour, object, asked, seconds] of graces)
    test(behaviour, () => equal(kind.definition.gracePeriodSeconds?.({ ...object }, asked), seconds))
})

test('a name that is no host name is warned about', () => {
  deepEqual(kind.warnings({ ...pod(), metadata: { name: 'a.b', namespace: 'ns' } }), [
    "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
  ])
})

test('a pod is found by its node, under either name of the field', () => {
  const { fieldLabels } = kind.definition
  deepEqual(
    [fieldLabels['spec.nodeName'], fieldLabels['spec.host']].map((read) => read?.({ spec: { nodeName: 'n1' } })),
    ['n1', 'n1'],
  )
  equal(fieldLabels['spec.hostNetwork']?.({}), 'false')
})
