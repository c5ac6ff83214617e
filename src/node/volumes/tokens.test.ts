import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { ApiError } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { TOKEN_REVIEWS } from '../../api/kinds/authentication.ts'
import type { TokenReview } from '../../api/kinds/authentication.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import type { CSIDriverSpec } from '../../api/kinds/csi-driver.ts'
import { createMirror } from '../../compat/mirror-csi-driver.ts'
import { ALPHA_CSI_DRIVERS } from '../../compat/alpha-csi-driver.ts'
import type { AlphaCSIDriver, AlphaCSIDriverSpec } from '../../compat/alpha-csi-driver.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { bindVolume, createPod, deletePod, openVolumes } from './testing/describe-volumes.ts'
import type { VolumesOptions, VolumesUnderTest } from './testing/describe-volumes.ts'
import { DRIVER } from './testing/ledger-driver.ts'

const KEY = 'csi.storage.k8s.io/serviceAccount.tokens'
type Tokens = Record<string, { token: string; expirationTimestamp: string; expiry?: string }>
const EPHEMERAL = { attachRequired: false, volumeLifecycleModes: ['Ephemeral', 'Persistent'] } as const
const inLine = [{ name: 'vault', csi: { driver: DRIVER } }]

const tokensOf = ({ ledger }: VolumesUnderTest, at = -1): Tokens =>
  JSON.parse(ledger.publishRequests.at(at)?.volumeContext[KEY] ?? '{}') as Tokens
const countOf = ({ reads }: VolumesUnderTest): number =>
  reads.filter((read) => read.startsWith('create serviceaccounts/token')).length

/** One pod with one volume in it, of a driver that said this. */
async function openPod(
  context: TestContext,
  spec: CSIDriverSpec,
  options: VolumesOptions = {},
): Promise<VolumesUnderTest> {
  const node = await openVolumes(context, {
    csiDriver: { ...EPHEMERAL, ...spec },
    features: { stage: false },
    ...options,
  })
  await createPod(node.api, 'a', { volumes: inLine })
  await node.settled()
  return node
}

/** The same through the registry's own object, with its mirror, as the registry makes it. */
async function openAlphaPod(
  context: TestContext,
  spec: AlphaCSIDriverSpec,
  options: VolumesOptions = {},
): Promise<VolumesUnderTest> {
  const node = await openVolumes(context, {
    csiDriver: undefined,
    start: false,
    features: { stage: false },
    ...options,
  })
  const alpha: AlphaCSIDriver = {
    apiVersion: 'csi.storage.k8s.io/v1alpha1',
    kind: 'CSIDriver',
    metadata: { name: 'ours' },
    spec: { driver: DRIVER, ...EPHEMERAL, ...spec },
  }
  await node.api.create(ALPHA_CSI_DRIVERS, alpha)
  await node.api.create(CSI_DRIVERS, createMirror(alpha))
  await node.start()
  await createPod(node.api, 'a', { volumes: inLine })
  await node.settled()
  return node
}

test('S4-1, S4-6, S4-7, S4-12, S4-14, S4-15, S4-17, S4-18, S4-19, S4-26, S4-44, H62, H63: tokens for each audience, bound to the pod, reach NodePublishVolume and nothing else', async (context) => {
  const node = await openPod(context, {
    tokenRequests: [{ audience: 'vault', expirationSeconds: 600 }, { audience: '' }],
  })
  const tokens = tokensOf(node)
  deepEqual(Object.keys(tokens), ['', 'vault'])
  equal(Date.parse(tokens['vault']?.expirationTimestamp ?? '') - node.clock.nowMs(), 600_000)
  equal('expiry' in (tokens['vault'] ?? {}), false)
  const review = await node.api.review<TokenReview>(TOKEN_REVIEWS, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    metadata: {},
    spec: { token: tokens['vault']?.token ?? '', audiences: ['vault'] },
  })
  equal(review.status?.user?.username, 'system:serviceaccount:default:default')
  deepEqual(review.status.user.extra?.['authentication.kubernetes.io/pod-name'], ['a'])
  equal(countOf(node), 2)
})

test('S0-36, S4-2: staging carries no token and no pod', async (context) => {
  const node = await openVolumes(context, {
    csiDriver: { ...EPHEMERAL, podInfoOnMount: true, tokenRequests: [{ audience: 'vault' }] },
  })
  await bindVolume(node.api, 'a')
  await createPod(node.api, 'a')
  await node.settled()
  deepEqual(node.ledger.stageRequests[0]?.volumeContext, {})
  ok(KEY in (node.ledger.publishRequests[0]?.volumeContext ?? {}))
})

test('S4-39: a driver that asks for nothing gets nothing, once', async (context) => {
  const node = await openPod(context, {})
  await node.advance(600_000)
  equal(node.ledger.publishRequests.length, 1)
  deepEqual(node.ledger.publishRequests[0]?.volumeContext, {})
  equal(countOf(node), 0)
})

test('H66: tokens go into the secrets alone where the driver wants them there', async (context) => {
  const node = await openPod(context, { tokenRequests: [{ audience: 'vault' }], serviceAccountTokenInSecrets: true })
  const [request] = node.ledger.publishRequests
  equal(KEY in (request?.volumeContext ?? {}), false)
  ok(JSON.parse(request?.secrets[KEY] ?? '{}').vault.token)
})

test('S4-3, S4-20, S4-24, H64: requiresRepublish publishes again every 60 to 90 seconds with nothing undone in between', async (context) => {
  const node = await openPod(context, { tokenRequests: [{ audience: 'vault' }], requiresRepublish: true })
  await node.advance(59_000)
  equal(node.ledger.publishRequests.length, 1)
  await node.advance(31_000)
  equal(node.ledger.publishRequests.length, 2)
  await node.advance(600_000)
  const calls: number = node.ledger.publishRequests.length
  ok(calls >= 2 + 6 && calls <= 2 + 10, `${calls} calls`)
  deepEqual(new Set(node.ledger.calls.map((call) => call.split(' ')[0])), new Set(['publish']))
  deepEqual(new Set(node.ledger.publishRequests.map(({ targetPath }) => targetPath)).size, 1)
  equal((await node.machine.mounts.list()).filter(({ target }) => target.includes('vault')).length, 1)
  equal(node.writes.filter((write) => write.includes('pods')).length, 1)
})

test('S4-9, S4-10, S4-11, S4-22, S4-23, S4-25, H61, H64: requiresRemount publishes ten times a second, with one token', async (context) => {
  const node = await openAlphaPod(context, {
    requiresRemount: true,
    serviceAccountTokens: [{ audience: ['vault'], expirationSeconds: 600 }],
  })
  await node.advance(1000)
  equal(node.ledger.publishRequests.length, 11)
  equal(countOf(node), 1)
  const tokens = tokensOf(node)
  equal(tokens['vault']?.expiry, tokens['vault']?.expirationTimestamp)
})

test('S4-23, S4-42, H65: a token is asked for anew at four fifths of its life', async (context) => {
  const node = await openAlphaPod(
    context,
    { requiresRemount: true, serviceAccountTokens: [{ audience: 'vault', expirationSeconds: 600 }] },
    { config: { remountMs: 1000 } },
  )
  await node.advance(469_000)
  equal(countOf(node), 1)
  const before = tokensOf(node)['vault']?.token
  // At four fifths of its life, less up to ten seconds.
  await node.advance(12_000)
  equal(countOf(node), 2)
  notEqual(tokensOf(node)['vault']?.token, before)
})

test('H64, I3: never two calls at once for one pod and volume, however slow the driver is', async (context) => {
  const node = await openAlphaPod(context, { requiresRemount: true })
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  node.ledger.before = () => held
  await node.clock.advance(5000)
  equal(node.ledger.calls.length, 2)
  release()
  node.ledger.before = () => {}
  await node.settled()
  await node.advance(100)
  equal(node.ledger.calls.length, 3)
})

test('S4-27, S4-28, S4-29, S4-31, H64: a repeat that fails leaves the volume mounted and the pod running, is told, and is tried again with patience', async (context) => {
  const node = await openAlphaPod(context, { requiresRemount: true })
  let isFailing = true
  node.ledger.before = (call) => {
    if (isFailing && call.startsWith('publish')) throw new CsiError('INVALID_ARGUMENT', 'expired')
  }
  await node.advance(100)
  equal(node.ledger.calls.length, 2)
  await node.advance(499)
  equal(node.ledger.calls.length, 2)
  await node.advance(1)
  equal(node.ledger.calls.length, 3)
  match(
    String(await node.events()),
    /FailedMount: MountVolume.SetUp failed for volume "vault" : NodePublishVolume: InvalidArgument: expired/,
  )
  equal((await node.pod('a'))?.status?.phase, 'Running')
  equal(node.ledger.published.size, 1)
  ok(node.tree().some((path) => path.endsWith('vol_data.json')))
  isFailing = false
  await node.advance(1000)
  ok(node.ledger.publishRequests.length >= 2)
})

test('H65: a token that can not be renewed is used while it is good, and then the repeat fails', async (context) => {
  let isRefusing = false
  const apiOf = (api: Api): Api => ({
    ...api,
    createSubresource: (...args) =>
      isRefusing ? Promise.reject(new ApiError('ServiceUnavailable', 'down')) : api.createSubresource(...args),
  })
  const node = await openAlphaPod(
    context,
    { requiresRemount: true, serviceAccountTokens: [{ audience: 'vault', expirationSeconds: 600 }] },
    { apiOf, config: { remountMs: 10_000 } },
  )
  isRefusing = true
  const first = tokensOf(node)['vault']?.token
  await node.advance(590_000)
  equal(tokensOf(node)['vault']?.token, first)
  const { length } = node.ledger.publishRequests
  ok(length > 50)
  await node.advance(20_000)
  ok(node.ledger.publishRequests.length <= length + 1)
  equal(node.ledger.published.size, 1)
  isRefusing = false
  await node.advance(130_000)
  notEqual(tokensOf(node)['vault']?.token, first)
})

test('H65: without a first token nothing is published', async (context) => {
  const apiOf = (api: Api): Api => ({
    ...api,
    createSubresource: () => Promise.reject(new ApiError('Forbidden', 'no token for you')),
  })
  const node = await openPod(context, { tokenRequests: [{ audience: 'vault' }] }, { apiOf })
  deepEqual(node.ledger.calls, [])
  match(String(await node.events()), /no token for you/)
})

test('S4-34, S4-37, S4-38, S4-40, H67: with the gate off the wishes are ignored and no token is asked for; on again after a restart of the node agent alone, they hold', async (context) => {
  const node = await openPod(
    context,
    { tokenRequests: [{ audience: 'vault' }], requiresRepublish: true },
    { config: { gates: { CSIServiceAccountToken: false } } },
  )
  await node.advance(300_000)
  equal(node.ledger.publishRequests.length, 1)
  deepEqual(tokensOf(node), {})
  equal(countOf(node), 0)
  await node.stop()
  await node.start({ gates: {} })
  ok(tokensOf(node)['vault'])
})

test('I9, I5: no token is logged, told or written down, and none is kept when the pod has gone', async (context) => {
  const node = await openPod(context, { tokenRequests: [{ audience: 'vault' }], requiresRepublish: true })
  const { token = '' } = tokensOf(node)['vault'] ?? {}
  ok(token.length > 100)
  equal(node.manager().tokenHolders(), 1)
  node.ledger.before = () => {
    throw new CsiError('INTERNAL', `bad token ${token}`)
  }
  await node.advance(200_000)
  node.ledger.before = () => {}
  const events = String(await node.events())
  match(events, /bad token/)
  for (const text of [events, node.logged.join('')]) equal(text.includes(token), false)
  for (const { path, kind } of node.machine.snapshotTree())
    if (kind === 'file') equal(new TextDecoder().decode(await node.machine.files.readFile(path)).includes(token), false)
  await deletePod(node.api, 'a')
  await node.settled()
  equal(node.manager().tokenHolders(), 0)
})

const pod = { name: 'a', namespace: 'default', account: 'default' }
const keys = (prefix: string, uid: string) => ({
  [`${prefix}/pod.name`]: pod.name,
  [`${prefix}/pod.namespace`]: pod.namespace,
  [`${prefix}/pod.uid`]: uid,
  [`${prefix}/serviceAccount.name`]: pod.account,
})

test('S0-1, S0-3, S0-5, S0-11, S0-13, S0-28, H1: pod data go to the driver that asked, under the keys of the way it asked, over what the volume says', async (context) => {
  const node = await openVolumes(context, {
    csiDriver: { ...EPHEMERAL, podInfoOnMount: true },
    requiresPublishPod: true,
  })
  await bindVolume(node.api, 'a', {
    source: {
      volumeAttributes: { tier: 'gold', 'csi.kubernetes.io/pod.name': 'liar', 'csi.storage.k8s.io/pod.name': 'liar' },
    },
  })
  const { metadata } = await createPod(node.api, 'a')
  await node.settled()
  const { uid = '' } = metadata
  deepEqual(node.ledger.publishRequests[0]?.volumeContext, {
    tier: 'gold',
    ...keys('csi.storage.k8s.io', uid),
    'csi.storage.k8s.io/ephemeral': 'false',
    ...keys('csi.kubernetes.io', uid),
  })
})

test('S0-2, S0-4, S0-6, S0-26: a driver that did not ask gets none of the keys; one whose registrar asked gets the first four, for claims too', async (context) => {
  for (const requiresPublishPod of [false, true]) {
    const node = await openVolumes(context, { csiDriver: EPHEMERAL, requiresPublishPod })
    await bindVolume(node.api, 'a')
    const { metadata } = await createPod(node.api, 'a')
    await node.settled()
    deepEqual(
      node.ledger.publishRequests[0]?.volumeContext,
      requiresPublishPod ? keys('csi.kubernetes.io', metadata.uid ?? '') : {},
    )
  }
})
