import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../api/api.ts'
import { CSI_DRIVERS } from '../api/kinds/csi-driver.ts'
import type { CSIDriverSpec } from '../api/kinds/csi-driver.ts'
import { CSI_NODES } from '../api/kinds/csi-node.ts'
import { EVENTS } from '../api/kinds/event.ts'
import { LEASES } from '../api/kinds/lease.ts'
import { NAMESPACES } from '../api/kinds/namespace.ts'
import { NODES } from '../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import { PODS } from '../api/kinds/pod.ts'
import type { Volume } from '../api/kinds/pod.ts'
import { SECRETS } from '../api/kinds/secret.ts'
import { SERVICE_ACCOUNTS } from '../api/kinds/service-account.ts'
import { STORAGE_CLASSES } from '../api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../api/kinds/volume-attachment.ts'
import { recordWatch } from '../apiserver/testing/open-server-under-test.ts'
import { claimOf, classOf, createOn, podOf } from '../testing/objects.ts'
import { openSeparateParts } from './testing/describe-separate-parts.ts'
import type { ObservedCall, SeparateParts } from './testing/describe-separate-parts.ts'

const DRIVER = 'vault.example.com'
const NAMESPACE = 'team'
const TOKENS_KEY = 'csi.storage.k8s.io/serviceAccount.tokens'
const WITH_TOKENS: CSIDriverSpec = {
  tokenRequests: [{ audience: 'vault', expirationSeconds: 600 }],
  requiresRepublish: true,
}

async function openVault(context: TestContext, spec: CSIDriverSpec, nodes = 2): Promise<SeparateParts> {
  const parts = await openSeparateParts(context, { drivers: [DRIVER], nodes })
  const { api } = parts
  await api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } })
  await api.create(SERVICE_ACCOUNTS, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { namespace: NAMESPACE, name: 'reader' },
  })
  await api.create(CSI_DRIVERS, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: DRIVER },
    spec: { attachRequired: true, podInfoOnMount: true, volumeLifecycleModes: ['Persistent', 'Ephemeral'], ...spec },
  })
  await createOn(api, STORAGE_CLASSES, classOf({ provisioner: DRIVER }, 'vault'))
  return parts
}

const createPod = (api: Api, name: string, nodeName: string, volumes: readonly Volume[]): Promise<unknown> =>
  createOn(api, PODS, podOf(name, { namespace: NAMESPACE, volumes, nodeName, spec: { serviceAccountName: 'reader' } }))
const IN_LINE: readonly Volume[] = [{ name: 'keys', csi: { driver: DRIVER } }]
const allRun = async (api: Api): Promise<boolean> =>
  (await api.list(PODS, { namespace: NAMESPACE })).items.every(({ status }) => status?.phase === 'Running')
const publishes = ({ calls }: SeparateParts, by: string): ObservedCall[] =>
  calls.filter((call) => call.by === by && call.method === 'NodePublishVolume')
const hasTokens = ({ request }: ObservedCall): boolean =>
  TOKENS_KEY in ((request as { volumeContext?: object }).volumeContext ?? {})

const OTHER_KINDS = [
  PODS,
  NODES,
  CSI_NODES,
  PERSISTENT_VOLUMES,
  PERSISTENT_VOLUME_CLAIMS,
  VOLUME_ATTACHMENTS,
  LEASES,
  SECRETS,
  SERVICE_ACCOUNTS,
  EVENTS,
]

/** Half an hour of a cluster whose driver asks for this: what was asked of the server, and what it keeps. */
async function spendTime(context: TestContext, spec: CSIDriverSpec) {
  const parts = await openVault(context, spec)
  const { api, requests, until, advance } = parts
  await parts.startControllers()
  await parts.startSidecar(DRIVER)
  for (const node of ['node-1', 'node-2']) await parts.startNode(node)
  for (const [index, node] of ['node-1', 'node-2'].entries()) {
    await createPod(api, `in-line-${index}`, node, IN_LINE)
    const name = `claim-${index}`
    const claim = claimOf({ name, namespace: NAMESPACE, size: '1Mi', className: 'vault' })
    await createOn(api, PERSISTENT_VOLUME_CLAIMS, claim)
    await createPod(api, name, node, [{ name: 'data', persistentVolumeClaim: { claimName: name } }])
  }
  await until('all pods run', () => allRun(api))
  await advance(1_800_000)
  const kept: Record<string, string[]> = {}
  for (const type of OTHER_KINDS)
    kept[type.plural] = (await api.list(type as typeof PODS)).items
      .map(
        (object) =>
          `${object.metadata.namespace ?? ''}/${object.metadata.name?.replace(/[.-][0-9a-f-]{8,}$/, '')} ${Object.keys(object).join()} ${JSON.stringify(object.spec ?? {}).length}`,
      )
      .sort()
  const counts: Record<string, number> = {}
  for (const request of requests) counts[request] = (counts[request] ?? 0) + 1
  return { parts, counts, kept }
}

/** Watches are opened again after five to ten minutes, and claims read again after 60 to 90 seconds. */
const isJittered = (request: string): boolean =>
  request.includes(' watch ') || request.endsWith(' get persistentvolumeclaims')

test('S4-41, S4-43: tokens cost the requests for tokens by node agents, and nothing else: no other request more, periodic or not, no watch, no list, no object and no field', async (context) => {
  const without = await spendTime(context, {})
  const { parts, counts, kept } = await spendTime(context, WITH_TOKENS)
  const isToken = (request: string): boolean => request.includes('serviceaccounts/token')
  const tokenRequests = Object.fromEntries(Object.entries(counts).filter(([request]) => isToken(request)))
  deepEqual(Object.keys(tokenRequests).sort(), [
    'system:node:node-1 create serviceaccounts/token',
    'system:node:node-2 create serviceaccounts/token',
  ])
  // Two pods on each node, whose tokens are renewed at four fifths of ten minutes.
  for (const count of Object.values(tokenRequests)) ok(count >= 2 * 3 && count <= 2 * 5, `${count} in half an hour`)
  const others = Object.fromEntries(Object.entries(counts).filter(([request]) => !isToken(request)))
  const exact = (all: Record<string, number>) =>
    Object.fromEntries(Object.entries(all).map(([request, count]) => [request, isJittered(request) ? 'some' : count]))
  deepEqual(exact(others), exact(without.counts))
  for (const [request, count] of Object.entries(others))
    if (isJittered(request))
      ok(
        count <= 3 + 1.2 * (without.counts[request] ?? 0),
        `${request}: ${count}, and ${without.counts[request]} without tokens`,
      )
  deepEqual(kept, without.kept)
  for (const node of ['node-1', 'node-2'])
    ok(publishes(parts, node).length > 2 * 15 && publishes(parts, node).every(hasTokens))
})

test('S4-38: the feature is switched on and off by a restart of one node agent: pods keep their volumes, the control plane goes on, and other nodes stay as they are', async (context) => {
  const parts = await openVault(context, WITH_TOKENS)
  const { api, calls, requests, until, advance } = parts
  const [off, on] = [{ gates: { CSIServiceAccountToken: false } }, { gates: { CSIServiceAccountToken: true } }]
  await parts.startControllers()
  await parts.startSidecar(DRIVER)
  let first = await parts.startNode('node-1', off)
  await parts.startNode('node-2', off)
  for (const node of ['node-1', 'node-2']) await createPod(api, `on-${node}`, node, IN_LINE)
  await until('both pods run', () => allRun(api))
  await advance(300_000)
  deepEqual(
    ['node-1', 'node-2'].map((node) => publishes(parts, node).map(hasTokens)),
    [[false], [false]],
  )

  using watch = recordWatch((signal) => api.watch(PODS, { signal, namespace: NAMESPACE }))
  let isEnded = false
  void watch.ended.then(() => (isEnded = true))
  const restart = async (volumes: typeof on): Promise<ObservedCall[]> => {
    await parts.stop(first)
    const { length } = publishes(parts, 'node-1')
    first = await parts.startNode('node-1', volumes)
    await advance(300_000)
    return publishes(parts, 'node-1').slice(length)
  }
  const switchedOn = await restart(on)
  ok(switchedOn.length > 3 && switchedOn.every(hasTokens))
  const switchedOff = await restart(off)
  ok(switchedOff.length <= 1 && !switchedOff.some(hasTokens), 'published once more by the new agent at most')
  const again = await restart(on)
  ok(again.length > 3 && again.every(hasTokens))

  deepEqual(publishes(parts, 'node-2').map(hasTokens), [false])
  equal(
    requests.some((request) => request.startsWith('system:node:node-2 create serviceaccounts')),
    false,
  )
  // The server went on, and nothing was taken from the pods.
  equal(isEnded, false)
  deepEqual(
    calls.filter(({ method }) => method === 'NodeUnpublishVolume'),
    [],
  )
  equal(await allRun(api), true)
})
