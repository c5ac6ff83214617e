import { equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../api/api.ts'
import { CSI_DRIVERS } from '../api/kinds/csi-driver.ts'
import { LEASES } from '../api/kinds/lease.ts'
import { NODES } from '../api/kinds/node.ts'
import { PODS } from '../api/kinds/pod.ts'
import { leaseName } from '../api/lease-name.ts'
import { formatMicroTimestamp } from '../api/timestamps.ts'
import type { Clock } from '../base/clock.ts'
import { CsiError } from '../csi/index.ts'
import { defineDriver } from '../csi/kit/index.ts'
import type { CsiHandlers } from '../csi/kit/index.ts'
import { explain } from '../explain/index.ts'
import { SIDECAR_LEASES } from '../storage/sidecar-leases.ts'
import { createOn, podOf } from '../testing/objects.ts'
import type { SimulatedWorld } from './start-simulated-cluster.ts'
import { carryOut } from './testing/carry-out.ts'
import { createClaim, createPod, deletePod, DRIVER, getPod, isGone } from './testing/describe-cluster.ts'
import { NAMESPACE, startClusterUnderTest } from './testing/describe-cluster.ts'
import { why } from './why.ts'

const LONG = { limitMs: 600_000 }
const isRunning =
  (api: Api, name = 'web') =>
  async (): Promise<boolean> =>
    (await getPod(api, name)).status?.phase === 'Running'

/** As `holdfast why`, which knows the time. */
async function whyNow(api: Api, name: string, clock: Clock): Promise<string> {
  const signal = new AbortController().signal
  const answer = await explain({ kind: 'Pod', name }, { api, namespace: NAMESPACE, signal, nowMs: clock.nowMs() })
  ok(answer.kind === 'explained')
  return answer.explanation.sentence
}

const NAME = 'own.example.com'

/** A driver that does nothing but what is given. */
const driverWith = (more: CsiHandlers) => ({
  drivers: ({ log }: SimulatedWorld) => {
    const handlers: CsiHandlers = {
      createVolume: ({ name }) => Promise.resolve({ volume: { volumeId: name, capacityBytes: 1024n ** 2n } }),
      deleteVolume: () => Promise.resolve({}),
      nodeGetInfo: () => Promise.resolve({ nodeId: 'n1' }),
      nodePublishVolume: () => Promise.resolve({}),
      nodeUnpublishVolume: () => Promise.resolve({}),
      ...more,
    }
    return [{ server: defineDriver({ name: NAME, version: '1' }, { handlers, log }) }]
  },
})

test('a volume moves at once from a node that is gone if its attachment is deleted', async (context) => {
  const { api, until, clock, stopPart } = await startClusterUnderTest(context, { nodes: 2 })
  await createClaim(api, 'data')
  await createPod(api, 'web', 'data')
  await until('the pod runs', isRunning(api))
  const { nodeName = '' } = (await getPod(api, 'web')).spec
  await stopPart(nodeName)
  await api.delete(NODES, { name: nodeName })
  await until('the pod is gone', () => isGone(getPod(api, 'web')), LONG)
  const { sentence } = await why(api, `node/${nodeName}`)
  match(sentence, /Once you have confirmed that the machine is powered off, you need not wait: kubectl delete/)
  const startMs = clock.nowMs()
  match(await carryOut(api, sentence), /^kubectl delete volumeattachment csi-/)
  await createPod(api, 'next', 'data')
  await until('the next pod runs', isRunning(api, 'next'), LONG)
  ok(clock.nowMs() - startMs < 60_000, 'not only after the six minutes of a forced detach')
})

test('a pod is placed once another one with a volume has left the full node', async (context) => {
  const { api, until, advance } = await startClusterUnderTest(
    context,
    driverWith({
      nodeGetInfo: () => Promise.resolve({ nodeId: 'n1', maxVolumesPerNode: 1n }),
      controllerPublishVolume: () => Promise.resolve({ publishContext: {} }),
      controllerUnpublishVolume: () => Promise.resolve({}),
    }),
  )
  for (const name of ['one', 'two']) {
    await createClaim(api, name)
    await createPod(api, name, name)
    await advance(5000)
  }
  match(
    (await why(api, 'pod/two')).sentence,
    /1 node\(s\) exceed max volume count .*\. Delete pods with volumes of this driver, or add nodes\.$/,
  )
  await deletePod(api, 'one')
  await until('the second pod runs', isRunning(api, 'two'), LONG)
})

test('a volume is attached once the sidecar whose lease has expired is running again', async (context) => {
  const { api, until, advance, stopPart, startPart, clock } = await startClusterUnderTest(context, {})
  await createClaim(api, 'data')
  await advance(5000)
  await stopPart('sidecars')
  // The parts of one process need no leases; those of a real cluster leave this one behind.
  await createOn(api, LEASES, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: NAMESPACE, name: leaseName(SIDECAR_LEASES.attacher(DRIVER)) },
    spec: {
      holderIdentity: 'driver-controller-0',
      leaseDurationSeconds: 15,
      renewTime: formatMicroTimestamp(clock.nowMs()),
    },
  })
  await advance(60_000)
  await createPod(api, 'web', 'data')
  await advance(5000)
  match(
    await whyNow(api, 'web', clock),
    /No attacher of driver \S+ is running: Lease \S+, last held by driver-controller-0, expired at \S+\. Start the controller of the driver in namespace default\.$/,
  )
  await startPart('sidecars')
  await until('the pod runs', isRunning(api), LONG)
})

describe('an inline volume of a certificate', () => {
  async function open(context: TestContext) {
    const issuer = { isWilling: false }
    let published = 0
    const cluster = await startClusterUnderTest(
      context,
      driverWith({
        nodePublishVolume: async () => {
          if (!issuer.isWilling) throw new CsiError('RESOURCE_EXHAUSTED', 'the issuer allows 20 requests a minute')
          published++
          return {}
        },
      }),
    )
    const { api } = cluster
    await createOn(api, CSI_DRIVERS, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: NAME },
      spec: { attachRequired: false, volumeLifecycleModes: ['Ephemeral'], requiresRepublish: true },
    })
    await createOn(api, PODS, podOf('web', { volumes: [{ name: 'cert', csi: { driver: NAME } }] }))
    return { ...cluster, issuer, published: () => published }
  }

  test('is mounted once the issuer accepts the request again', async (context) => {
    const { api, until, advance, clock, issuer } = await open(context)
    await advance(30_000)
    match(
      await whyNow(api, 'web', clock),
      /the issuer allows 20 requests a minute\. Check the logs of the driver and .* Mounting is retried automatically\.$/,
    )
    issuer.isWilling = true
    await until('the pod runs', isRunning(api), LONG)
  })

  test('is refreshed once the issuer accepts the request again, and the pod runs all the time', async (context) => {
    const { api, until, advance, clock, issuer, published } = await open(context)
    issuer.isWilling = true
    await until('the pod runs', isRunning(api), LONG)
    issuer.isWilling = false
    await advance(180_000)
    equal((await getPod(api, 'web')).status?.phase, 'Running')
    match(
      await whyNow(api, 'web', clock),
      /the issuer allows 20 requests a minute\. .* The pod keeps the content that it has, and refreshing it is retried automatically\.$/,
    )
    issuer.isWilling = true
    const before = published()
    await until('it is published again', () => published() > before, LONG)
    await advance(300_000)
    equal(await whyNow(api, 'web', clock), 'Pod web is running, and its volumes are mounted.')
  })
})
