import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CSIDriver, CSIDriverSpec } from '../api/kinds/csi-driver.ts'
import { driverPolicyOf } from './driver-policy.ts'
import type { DriverPolicy, DriverRecords } from './driver-policy.ts'
import { createMirror } from '../compat/mirror-csi-driver.ts'
import { podInfoAttributes } from './pod-info.ts'
import type { AlphaCSIDriver, AlphaCSIDriverSpec } from '../compat/alpha-csi-driver.ts'

const DEFAULTS: DriverPolicy = {
  attach: true,
  podInfo: [],
  lifecycleModes: ['Persistent'],
  fsGroupPolicy: 'ReadWriteOnceWithFSType',
  tokens: { requests: [], passedIn: 'volumeContext', withExpiry: false },
  republish: 'never',
  seLinuxMount: false,
  storageCapacity: false,
}

const own = (spec: CSIDriverSpec): CSIDriver => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name: 'd' },
  spec: {
    attachRequired: true,
    podInfoOnMount: false,
    requiresRepublish: false,
    volumeLifecycleModes: ['Persistent'],
    ...spec,
  },
})
const alpha = (spec: AlphaCSIDriverSpec): AlphaCSIDriver => ({
  apiVersion: 'csi.storage.k8s.io/v1alpha1',
  kind: 'CSIDriver',
  metadata: { name: 'd' },
  spec: { driver: 'd', ...spec },
})
const both = (spec: AlphaCSIDriverSpec): DriverRecords => ({
  alphaDriver: alpha(spec),
  csiDriver: createMirror(alpha(spec)),
})

describe('how the cluster deals with a driver', () => {
  const cases: [behaviour: string, records: DriverRecords, policy: Partial<DriverPolicy>][] = [
    ['S1-1, S1-28: without any object by the defaults', {}, {}],
    [
      'S1-2, S1-13: that wants no attach has none',
      { alphaDriver: alpha({ attachRequired: false }) },
      { attach: false },
    ],
    [
      'S1-4: that wants no attach in today’s object has none',
      { csiDriver: own({ attachRequired: false }) },
      { attach: false },
    ],
    ['S1-11, H11: that says nothing about attach has its volumes attached', { alphaDriver: alpha({}) }, {}],
    [
      'S1-17: that says null about everything is treated by the defaults',
      {
        alphaDriver: alpha({
          attachRequired: null,
          skipAttach: null,
          podInfoRequiredOnMount: null,
          podInfoOnMountVersion: null,
          requiresRemount: null,
          serviceAccountTokens: null,
          volumeLifecycleModes: null,
        }),
      },
      {},
    ],
    ['H10: that says skipAttach has no attach', { alphaDriver: alpha({ skipAttach: true }) }, { attach: false }],
    [
      'H10: that says skipAttach has its volumes attached where that feature is off',
      { alphaDriver: alpha({ skipAttach: true }), gates: { CSISkipAttach: false } },
      {},
    ],
    [
      'H10: with today’s object has its volumes attached where that feature is off',
      { csiDriver: own({ attachRequired: false }), gates: { CSISkipAttach: false } },
      {},
    ],
    [
      'H1: that asks in the document’s words gets pod data under the document’s keys',
      { alphaDriver: alpha({ podInfoRequiredOnMount: true }) },
      { podInfo: ['csi.kubernetes.io'] },
    ],
    [
      'S0-4: that does not ask gets no pod data',
      { alphaDriver: alpha({ podInfoRequiredOnMount: false }), csiDriver: own({}), requiresPublishPod: false },
      {},
    ],
    [
      'H1: whose registrar asks gets the document’s keys',
      { requiresPublishPod: true },
      { podInfo: ['csi.kubernetes.io'] },
    ],
    [
      'H1: that asks in today’s object gets today’s keys',
      { csiDriver: own({ podInfoOnMount: true }) },
      { podInfo: ['csi.storage.k8s.io'] },
    ],
    [
      'H1: that asks both ways gets both',
      { csiDriver: own({ podInfoOnMount: true }), requiresPublishPod: true },
      { podInfo: ['csi.storage.k8s.io', 'csi.kubernetes.io'] },
    ],
    [
      'H1: a false of today’s object is no veto',
      { csiDriver: own({ podInfoOnMount: false }), alphaDriver: alpha({ podInfoRequiredOnMount: true }) },
      { podInfo: ['csi.kubernetes.io'] },
    ],
    [
      'H2: that names version v1 gets today’s keys',
      { alphaDriver: alpha({ podInfoOnMountVersion: 'v1' }) },
      { podInfo: ['csi.storage.k8s.io'] },
    ],
    ['H2: that names another version gets nothing', { alphaDriver: alpha({ podInfoOnMountVersion: 'v2' }) }, {}],
    [
      'H3: with its mirror it gets what the original says, and no key more',
      both({ podInfoRequiredOnMount: true, attachRequired: false }),
      { attach: false, podInfo: ['csi.kubernetes.io'] },
    ],
    [
      'H3: somebody’s own object decides about attach',
      { csiDriver: own({ attachRequired: true }), alphaDriver: alpha({ attachRequired: false }) },
      {},
    ],
    [
      'H3: a mirror whose original is gone still counts',
      { csiDriver: createMirror(alpha({ attachRequired: false, podInfoOnMountVersion: 'v1' })) },
      { attach: false, podInfo: ['csi.storage.k8s.io'] },
    ],
    [
      'H64: that requires remounts is published in each turn',
      both({ requiresRemount: true }),
      { republish: 'eachLoop' },
    ],
    [
      'H64: that requires republishing is published when the pod is looked at',
      { csiDriver: own({ requiresRepublish: true }) },
      { republish: 'eachSync' },
    ],
    [
      'H64: that requires both is published in each turn',
      { csiDriver: own({ requiresRepublish: true }), alphaDriver: alpha({ requiresRemount: true }) },
      { republish: 'eachLoop' },
    ],
    [
      'H61, H62: tokens of the document come with their expiry',
      both({ serviceAccountTokens: [{ audience: 'vault', expirationSeconds: 600 }] }),
      {
        tokens: {
          requests: [{ audience: 'vault', expirationSeconds: 600 }],
          passedIn: 'volumeContext',
          withExpiry: true,
        },
      },
    ],
    [
      'H63: an audience may be a list of one',
      {
        alphaDriver: alpha({
          serviceAccountTokens: [{ audience: ['vault'] }, {}, { audience: ['a', 'b'] }, { audience: 1 }],
        }),
      },
      { tokens: { requests: [{ audience: 'vault' }, { audience: '' }], passedIn: 'volumeContext', withExpiry: true } },
    ],
    [
      'today’s tokens decide over the document’s',
      {
        csiDriver: own({ tokenRequests: [{ audience: 'x' }], serviceAccountTokenInSecrets: true }),
        alphaDriver: alpha({ serviceAccountTokens: [{ audience: 'vault' }] }),
      },
      { tokens: { requests: [{ audience: 'x' }], passedIn: 'secrets', withExpiry: true } },
    ],
    [
      'H67: no tokens and no remounts where that feature is off',
      { ...both({ requiresRemount: true, serviceAccountTokens: [{}] }), gates: { CSIServiceAccountToken: false } },
      {},
    ],
    [
      'H40: in-line volumes are for drivers that list them',
      both({ volumeLifecycleModes: ['Ephemeral'] }),
      { lifecycleModes: ['Ephemeral'] },
    ],
    [
      'what the document has no word for is read from today’s object',
      {
        csiDriver: own({
          fsGroupPolicy: 'File',
          seLinuxMount: true,
          storageCapacity: true,
          nodeAllocatableUpdatePeriodSeconds: 60,
        }),
      },
      { fsGroupPolicy: 'File', seLinuxMount: true, storageCapacity: true, allocatableUpdatePeriodSeconds: 60 },
    ],
    [
      'and even from a mirror, where somebody added it',
      { alphaDriver: alpha({}), csiDriver: { ...createMirror(alpha({})), spec: { fsGroupPolicy: 'None' } } },
      { fsGroupPolicy: 'None' },
    ],
  ]
  for (const [behaviour, records, policy] of cases)
    test(behaviour, () => deepEqual(driverPolicyOf(records), { ...DEFAULTS, ...policy }))
})

describe('pod data', () => {
  const pod = { name: 'web', namespace: 'shop', uid: 'u1', serviceAccountName: 'seller', ephemeral: true }

  test('S0-7 to S0-11, H16: the document has four keys', () =>
    deepEqual(podInfoAttributes({ podInfo: ['csi.kubernetes.io'] }, pod), {
      'csi.kubernetes.io/pod.name': 'web',
      'csi.kubernetes.io/pod.namespace': 'shop',
      'csi.kubernetes.io/pod.uid': 'u1',
      'csi.kubernetes.io/serviceAccount.name': 'seller',
    }))

  test('today has a fifth', () =>
    deepEqual(
      Object.keys(podInfoAttributes({ podInfo: ['csi.storage.k8s.io'] }, pod)).at(-1),
      'csi.storage.k8s.io/ephemeral',
    ))
  test('S0-4: nobody asked, nothing is said', () => deepEqual(podInfoAttributes({ podInfo: [] }, pod), {}))
})
