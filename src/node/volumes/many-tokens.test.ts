import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { TOKEN_REVIEWS } from '../../api/kinds/authentication.ts'
import type { TokenReview } from '../../api/kinds/authentication.ts'
import { NAMESPACES } from '../../api/kinds/namespace.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { SERVICE_ACCOUNTS } from '../../api/kinds/service-account.ts'
import { createPod, deletePod, openVolumes } from './testing/describe-volumes.ts'
import type { VolumesUnderTest } from './testing/describe-volumes.ts'
import { DRIVER } from './testing/ledger-driver.ts'

// One node with many pods: several namespaces with several accounts each, whose names repeat from namespace to namespace.

const PODS_AT_ONCE = 150
const [NAMESPACE_COUNT, ACCOUNT_COUNT] = [6, 5]
const KEY = 'csi.storage.k8s.io/serviceAccount.tokens'

const placeOf = (number: number) => ({
  namespace: `team-${number % NAMESPACE_COUNT}`,
  account: `account-${number % ACCOUNT_COUNT}`,
  name: `pod-${number}`,
})

/** The last token that the driver has for the pod. */
function tokenOf({ ledger }: VolumesUnderTest, { metadata }: Pod): string {
  const last = ledger.publishRequests.findLast(({ targetPath }) => targetPath.includes(`/pods/${metadata.uid}/`))
  return (JSON.parse(last?.volumeContext[KEY] ?? '{}') as Record<string, { token: string }>)['vault']?.token ?? ''
}

/** Whose token it is, by the server's own word: `system:serviceaccount:team-1:account-2 pod-7`. */
async function ownerOf({ api }: VolumesUnderTest, token: string): Promise<string> {
  const { status } = await api.review<TokenReview>(TOKEN_REVIEWS, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    metadata: {},
    spec: { token, audiences: ['vault'] },
  })
  return `${status?.user?.username} ${status?.user?.extra?.['authentication.kubernetes.io/pod-name']?.[0]}`
}

test(`S4-35: ${PODS_AT_ONCE} pods at once have tokens of their own, renewed in time and no more often, while pods come and go`, async (context) => {
  const node = await openVolumes(context, {
    start: false,
    features: { stage: false },
    csiDriver: {
      attachRequired: false,
      volumeLifecycleModes: ['Ephemeral'],
      tokenRequests: [{ audience: 'vault', expirationSeconds: 600 }],
      requiresRepublish: true,
    },
  })
  const { api } = node
  for (let space = 0; space < NAMESPACE_COUNT; space++) {
    await api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `team-${space}` } })
    for (let account = 0; account < ACCOUNT_COUNT; account++)
      await api.create(SERVICE_ACCOUNTS, {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { namespace: `team-${space}`, name: `account-${account}` },
      })
  }
  const pods = new Map<number, Pod>()
  const create = async (number: number): Promise<void> => {
    const { namespace, account, name } = placeOf(number)
    pods.set(
      number,
      await createPod(api, name, {
        namespace,
        volumes: [{ name: 'keys', csi: { driver: DRIVER } }],
        spec: { serviceAccountName: account },
      }),
    )
  }
  const requestsForTokens = (): number =>
    node.reads.filter((read) => read.startsWith('create serviceaccounts/token')).length
  const assertOwners = async (): Promise<void> => {
    const owners = await Promise.all([...pods].map(async ([, pod]) => ownerOf(node, tokenOf(node, pod))))
    deepEqual(
      owners,
      [...pods.keys()].map(
        (number) =>
          `system:serviceaccount:${placeOf(number).namespace}:${placeOf(number).account} ${placeOf(number).name}`,
      ),
    )
  }

  for (let number = 0; number < PODS_AT_ONCE; number++) await create(number)
  await node.start()
  equal(requestsForTokens(), PODS_AT_ONCE)
  equal(node.manager().tokenHolders(), PODS_AT_ONCE)
  await assertOwners()

  // A third of them is replaced while the others are published again and again.
  for (let number = 0; number < PODS_AT_ONCE; number += 3) {
    await deletePod(api, placeOf(number).name, placeOf(number).namespace)
    pods.delete(number)
    await create(PODS_AT_ONCE + number)
  }
  await node.settled()
  const replaced = Math.ceil(PODS_AT_ONCE / 3)
  equal(requestsForTokens(), PODS_AT_ONCE + replaced)
  equal(node.manager().tokenHolders(), PODS_AT_ONCE)
  // Each is renewed once in ten minutes, before it ends.
  for (let minute = 0; minute < 10; minute++) await node.advance(60_000)
  equal(requestsForTokens(), 2 * PODS_AT_ONCE + replaced)
  await assertOwners()
  const calls = node.ledger.publishRequests.length - PODS_AT_ONCE - replaced
  ok(calls >= PODS_AT_ONCE * 5 && calls <= PODS_AT_ONCE * 11, `${calls} calls`)

  for (const number of pods.keys()) await deletePod(api, placeOf(number).name, placeOf(number).namespace)
  await node.settled()
  deepEqual([node.manager().tokenHolders(), node.ledger.published.size], [0, 0])
})
