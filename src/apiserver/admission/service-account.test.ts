import { deepEqual, doesNotThrow, equal, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { KubeObject } from '../../api/object.ts'
import type { PodSpec } from '../../api/kinds/pod.ts'
import { admitted, viewOf, writeOf } from './testing/admission-under-test.ts'
import { serviceAccount } from './service-account.ts'

const account = (name: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace: 'ns' },
  ...more,
})
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount'
const pod = (spec: object = {}, metadata: object = {}): object => ({
  metadata: { name: 'p', ...metadata },
  spec: { containers: [{ name: 'c' }], ...spec },
})
const specOf = (object: object, ...accounts: KubeObject[]): PodSpec =>
  admitted(serviceAccount, writeOf('Pod', object, { view: viewOf(...accounts) }))?.['spec'] as PodSpec
const forbidden = (message: string): object => ({ code: 403, reason: 'Forbidden', message })

describe('the service account of a pod', () => {
  test('is the default one, under both names of the field', () => {
    const { serviceAccountName, serviceAccount: old } = specOf(pod(), account('default'))
    deepEqual([serviceAccountName, old], ['default', 'default'])
  })
  test('is the one that was asked for', () =>
    equal(specOf(pod({ serviceAccountName: 'builder' }), account('builder')).serviceAccountName, 'builder'))
  test('has to exist', () => {
    throws(
      () => specOf(pod()),
      forbidden(
        'pods "p" is forbidden: error looking up service account ns/default: serviceaccount "default" not found',
      ),
    )
  })
  test('is told by what the name begins with when there is no name yet', () => {
    throws(() => specOf({ metadata: { generateName: 'p-' }, spec: {} }), /^ApiError: pods "p-" is forbidden/)
  })
  test('is not looked at on an update', () => {
    doesNotThrow(() => admitted(serviceAccount, writeOf('Pod', pod(), { operation: 'UPDATE' })))
  })
  test('gives its pull secrets', () =>
    deepEqual(specOf(pod(), account('default', { imagePullSecrets: [{ name: 's' }] })).imagePullSecrets, [
      { name: 's' },
    ]))
  test('gives none to a pod that has its own', () => {
    deepEqual(
      specOf(pod({ imagePullSecrets: [{ name: 'own' }] }), account('default', { imagePullSecrets: [{ name: 's' }] }))
        .imagePullSecrets,
      [{ name: 'own' }],
    )
  })
})

describe('the token of a pod', () => {
  test('is mounted into every container', () => {
    const { volumes, containers, initContainers } = specOf(
      pod({ initContainers: [{ name: 'i' }], containers: [{ name: 'a' }, { name: 'b' }] }),
      account('default'),
    )
    deepEqual(volumes, [
      {
        name: 'kube-api-access-abcde',
        projected: {
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            {
              downwardAPI: {
                items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
              },
            },
          ],
          defaultMode: 420,
        },
      },
    ])
    const mount = { name: 'kube-api-access-abcde', readOnly: true, mountPath: MOUNT_PATH }
    deepEqual(
      [...(initContainers ?? []), ...containers].map(({ volumeMounts }) => volumeMounts),
      [[mount], [mount], [mount]],
    )
  })

  const cases: [behaviour: string, spec: object, accountMore: object, mounted: boolean][] = [
    ['stays out when the pod says no', { automountServiceAccountToken: false }, {}, false],
    ['stays out when the account says no', {}, { automountServiceAccountToken: false }, false],
    [
      'comes when the pod says yes and the account no',
      { automountServiceAccountToken: true },
      { automountServiceAccountToken: false },
      true,
    ],
    [
      'stays out when every container has something else in its place',
      { containers: [{ name: 'c', volumeMounts: [{ name: 'x', mountPath: MOUNT_PATH }] }] },
      {},
      false,
    ],
  ]
  for (const [behaviour, spec, accountMore, mounted] of cases)
    test(behaviour, () => equal(specOf(pod(spec), account('default', accountMore)).volumes !== undefined, mounted))

  test('uses a volume that is there for it', () => {
    const { volumes, containers } = specOf(pod({ volumes: [{ name: 'kube-api-access-own' }] }), account('default'))
    deepEqual(
      [volumes?.map(({ name }) => name), containers[0]?.volumeMounts?.[0]?.name],
      [['kube-api-access-own'], 'kube-api-access-own'],
    )
  })
})

describe('the picture of a pod that a node runs on its own', () => {
  const mirror = (spec: object): object => pod(spec, { annotations: { 'kubernetes.io/config.mirror': 'x' } })
  test('stays as it is', () => deepEqual(specOf(mirror({})), { containers: [{ name: 'c' }] }))
  test('has no account', () =>
    throws(
      () => specOf(mirror({ serviceAccountName: 'a' })),
      forbidden('pods "p" is forbidden: a mirror pod may not reference service accounts'),
    ))
  test('has no secrets', () =>
    throws(
      () => specOf(mirror({ volumes: [{ name: 's', secret: { secretName: 's' } }] })),
      forbidden('pods "p" is forbidden: a mirror pod may not reference secrets'),
    ))
  test('has no tokens', () => {
    throws(
      () =>
        specOf(mirror({ volumes: [{ name: 't', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] })),
      forbidden('pods "p" is forbidden: a mirror pod may not use ServiceAccountToken volume projections'),
    )
  })
})
