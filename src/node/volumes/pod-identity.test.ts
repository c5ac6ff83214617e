import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../../api/api.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { NAMESPACES } from '../../api/kinds/namespace.ts'
import type { Pod, Volume } from '../../api/kinds/pod.ts'
import { SECRETS } from '../../api/kinds/secret.ts'
import { SERVICE_ACCOUNTS } from '../../api/kinds/service-account.ts'
import { createMirror } from '../../compat/mirror-csi-driver.ts'
import { ALPHA_CSI_DRIVERS } from '../../compat/alpha-csi-driver.ts'
import type { AlphaCSIDriver } from '../../compat/alpha-csi-driver.ts'
import { POD_HANDLES_ANNOTATION } from '../../compat/mirror-csi-driver.ts'
import { bindVolume, createPod, openVolumes } from './testing/describe-volumes.ts'
import type { VolumesOptions, VolumesUnderTest } from './testing/describe-volumes.ts'
import { DRIVER } from './testing/ledger-driver.ts'

// Which pod a call is for. Several pods in several namespaces with several accounts are mounted at once, none of them `default`, so that
// neither a fixed name nor the data of a neighbour goes unnoticed.

const PREFIXES = ['csi.storage.k8s.io', 'csi.kubernetes.io']
const FACTS = ['pod.name', 'pod.namespace', 'pod.uid', 'serviceAccount.name']
const LIES = Object.fromEntries(
  PREFIXES.flatMap((prefix) => [
    ...FACTS.map((fact) => [`${prefix}/${fact}`, `lie about ${fact}`]),
    [`${prefix}/ephemeral`, 'perhaps'],
  ]),
)

const WHO: [namespace: string, pod: string, account: string][] = [
  ['team-red', 'web', 'deployer'],
  ['team-red', 'worker', 'reader'],
  ['team-blue', 'web', 'reader'],
  ['team-green', 'web', 'deployer'],
]

async function openTeams(context: TestContext, options: VolumesOptions = {}): Promise<VolumesUnderTest> {
  const node = await openVolumes(context, { start: false, ...options })
  for (const name of new Set(WHO.map(([namespace]) => namespace)))
    await node.api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  for (const account of new Set(WHO.map(([namespace, , name]) => `${namespace}/${name}`))) {
    const [namespace = '', name = ''] = account.split('/')
    await node.api.create(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name } })
  }
  return node
}

const createOf = (
  api: Api,
  [namespace, name, serviceAccountName]: (typeof WHO)[number],
  volumes: readonly Volume[],
): Promise<Pod> => createPod(api, name, { namespace, volumes, spec: { serviceAccountName } })

/** Of the call that published something in this pod. */
const publishOf = ({ ledger }: VolumesUnderTest, { metadata }: Pod, at = -1) =>
  ledger.publishRequests.filter(({ targetPath }) => targetPath.includes(`/pods/${metadata.uid}/`)).at(at)

for (const [kind, makeVolumes] of [
  [
    'a claim',
    async (api: Api, namespace: string, pod: string): Promise<Volume[]> => {
      const name = `${namespace}-${pod}`
      await bindVolume(api, name, { namespace, source: { volumeAttributes: { tier: 'gold', ...LIES } } })
      return [{ name: 'data', persistentVolumeClaim: { claimName: name } }]
    },
  ],
  [
    'an in-line volume',
    (): Promise<Volume[]> =>
      Promise.resolve([{ name: 'data', csi: { driver: DRIVER, volumeAttributes: { tier: 'gold', ...LIES } } }]),
  ],
] as const) {
  test(`S0-7, S0-8, S0-9, S0-10, S0-12: each pod with ${kind} is named to the driver by its own name, namespace, UID and account, whatever the volume says of them`, async (context) => {
    const node = await openTeams(context, {
      csiDriver: { attachRequired: false, podInfoOnMount: true, volumeLifecycleModes: ['Persistent', 'Ephemeral'] },
      requiresPublishPod: true,
    })
    const pods: Pod[] = []
    for (const who of WHO) pods.push(await createOf(node.api, who, await makeVolumes(node.api, who[0], who[1])))
    await node.start()
    for (const [index, [namespace, name, account]] of WHO.entries()) {
      const pod = pods[index] ?? ({} as Pod)
      const told = {
        'pod.name': name,
        'pod.namespace': namespace,
        'pod.uid': pod.metadata.uid ?? '',
        'serviceAccount.name': account,
      }
      const wanted = Object.fromEntries(
        PREFIXES.flatMap((prefix) => Object.entries(told).map(([fact, value]) => [`${prefix}/${fact}`, value])),
      )
      deepEqual(publishOf(node, pod)?.volumeContext, {
        ...LIES,
        ...wanted,
        tier: 'gold',
        'csi.storage.k8s.io/ephemeral': String(kind === 'an in-line volume'),
      })
      equal((await node.pod(name, namespace))?.status?.phase, 'Running')
    }
  })
}

const makeSecret = (api: Api, namespace: string, name = 'pass'): Promise<unknown> =>
  api.create(SECRETS, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name },
    stringData: { key: `${name} of ${namespace}` },
  })

test('S2-13: the publish secret of an in-line volume is that of the pod’s own namespace, for several pods at once', async (context) => {
  const node = await openTeams(context, { features: { stage: false } })
  for (const namespace of ['default', 'team-red', 'team-blue']) await makeSecret(node.api, namespace)
  const pods: Pod[] = []
  for (const who of WHO)
    pods.push(
      await createOf(node.api, who, [
        { name: 'vault', csi: { driver: DRIVER, nodePublishSecretRef: { name: 'pass' } } },
      ]),
    )
  await node.start()
  deepEqual(
    pods.map((pod) => publishOf(node, pod)?.secrets),
    [{ key: 'pass of team-red' }, { key: 'pass of team-red' }, { key: 'pass of team-blue' }, undefined],
  )
  // No other namespace stands in for the one that has no such secret.
  match(
    String(await node.events()),
    /FailedMount: MountVolume.SetUp failed for volume "vault" : secret team-green\/pass not found/,
  )
  equal((await node.pod('web', 'team-green'))?.status?.phase, 'Pending')
  await makeSecret(node.api, 'team-green')
  await node.advance(60_000)
  deepEqual(publishOf(node, pods[3] ?? ({} as Pod))?.secrets, { key: 'pass of team-green' })
})

test('S2-13: repeats, whose secrets are kept for a moment, have those of their own namespace too', async (context) => {
  const node = await openTeams(context, { csiDriver: undefined, features: { stage: false } })
  const alpha: AlphaCSIDriver = {
    apiVersion: 'csi.storage.k8s.io/v1alpha1',
    kind: 'CSIDriver',
    metadata: { name: 'ours' },
    spec: {
      driver: DRIVER,
      attachRequired: false,
      volumeLifecycleModes: ['Ephemeral', 'Persistent'],
      requiresRemount: true,
    },
  }
  await node.api.create(ALPHA_CSI_DRIVERS, alpha)
  await node.api.create(CSI_DRIVERS, createMirror(alpha))
  const pods: Pod[] = []
  for (const who of WHO) {
    if (who[1] === 'web') await makeSecret(node.api, who[0])
    pods.push(
      await createOf(node.api, who, [
        { name: 'vault', csi: { driver: DRIVER, nodePublishSecretRef: { name: 'pass' } } },
      ]),
    )
  }
  await node.start()
  await node.advance(1000)
  for (const [index, [namespace]] of WHO.entries()) {
    const calls = node.ledger.publishRequests.filter(({ targetPath }) =>
      targetPath.includes(`/pods/${pods[index]?.metadata.uid}/`),
    )
    ok(calls.length > 5)
    deepEqual(new Set(calls.map(({ secrets }) => secrets['key'])), new Set([`pass of ${namespace}`]))
  }
})

test('S2-13: the stage and the publish secret of an in-line volume with a handle are those of the pod’s own namespace, whichever way it names them', async (context) => {
  const node = await openTeams(context, { csiDriver: undefined })
  await node.api.create(CSI_DRIVERS, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: DRIVER, annotations: { [POD_HANDLES_ANNOTATION]: 'true' } },
    spec: { attachRequired: false, volumeLifecycleModes: ['Ephemeral', 'Persistent'] },
  })
  for (const namespace of ['default', 'team-red', 'team-blue', 'team-green'])
    for (const name of ['for-stage', 'for-publish']) await makeSecret(node.api, namespace, name)
  for (const [index, who] of WHO.entries()) {
    const common = { driver: DRIVER, nodePublishSecretRef: { name: 'for-publish' } }
    const csi =
      index % 2 === 0
        ? { ...common, volumeHandle: `vol-${index}`, nodeStageSecretRef: { name: 'for-stage' } }
        : {
            ...common,
            volumeAttributes: {
              'csi.kubernetes.io/inline.volumeHandle': `vol-${index}`,
              'csi.kubernetes.io/inline.nodeStageSecretName': 'for-stage',
            },
          }
    await createOf(node.api, who, [{ name: 'disk', csi }])
  }
  await node.start()
  for (const [index, [namespace]] of WHO.entries()) {
    deepEqual(node.ledger.stageRequests.find(({ volumeId }) => volumeId === `vol-${index}`)?.secrets, {
      key: `for-stage of ${namespace}`,
    })
    deepEqual(node.ledger.publishRequests.find(({ volumeId }) => volumeId === `vol-${index}`)?.secrets, {
      key: `for-publish of ${namespace}`,
    })
  }
})
