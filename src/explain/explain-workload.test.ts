import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../api/api.ts'
import { ApiError } from '../api/api-error.ts'
import { DAEMON_SETS } from '../api/kinds/daemon-set.ts'
import { DEPLOYMENTS } from '../api/kinds/deployment.ts'
import { JOBS } from '../api/kinds/job.ts'
import { NODES } from '../api/kinds/node.ts'
import { PODS } from '../api/kinds/pod.ts'
import type { PodSpec } from '../api/kinds/pod.ts'
import { REPLICA_SETS } from '../api/kinds/replica-set.ts'
import { STATEFUL_SETS } from '../api/kinds/stateful-set.ts'
import { controllerDefinitions, controllersOptions } from '../controllers/index.ts'
import { startControllersUnderTest } from '../controllers/testing/describe-controller.ts'
import { endPod, makeReady } from '../controllers/workloads/testing/play-kubelet.ts'
import { defaultsOf } from '../base/options/index.ts'
import { explain } from './explain.ts'
import { findStuck } from './find-stuck.ts'
import { parseTarget } from './parse-target.ts'

// The workloads as their own controllers leave them.

const WORKLOADS = ['statefulset', 'deployment', 'replicaset', 'daemonset', 'job']
const signal = new AbortController().signal

const start = (context: TestContext, apiOf?: (own: Api) => Api) =>
  startControllersUnderTest(
    context,
    controllerDefinitions(defaultsOf(controllersOptions))
      .filter(({ name }) => WORKLOADS.includes(name))
      .map(({ start: begin }) => begin),
    apiOf ? { apiOf: ({ api }) => apiOf(api) } : {},
  )

async function why(api: Api, words: string): Promise<string> {
  const target = parseTarget(words)
  ok(typeof target === 'object', words)
  const answer = await explain(target, { api, namespace: 'default', signal })
  return answer.kind === 'explained' ? answer.explanation.sentence : answer.kind
}

const metadata = { namespace: 'default', name: 'web' }
const labels = { app: 'web' }
const containers = [{ name: 'main', image: 'one' }]
const templateOf = (spec: Partial<PodSpec> = {}) => ({ metadata: { labels }, spec: { containers, ...spec } })
const selector = { matchLabels: labels }
const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }]
const mounted = {
  containers: [{ ...containers[0], name: 'main', volumeMounts: [{ name: 'data', mountPath: '/d' }] }],
  volumes,
}
const podName = async (api: Api): Promise<string> => (await api.list(PODS)).items[0]?.metadata.name ?? ''

test('a StatefulSet is followed to its first pod, and from there to the claim', async (context) => {
  const { api, settled } = await start(context)
  await api.create(STATEFUL_SETS, {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata,
    spec: {
      replicas: 2,
      selector,
      serviceName: 'web',
      template: templateOf({ containers: mounted.containers }),
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: {
            storageClassName: 'fast',
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '1Gi' } },
          },
        },
      ],
    },
  } as never)
  await settled()
  const sentence =
    'StatefulSet web is waiting for pod web-0, which is waiting for claim data-web-0, which is waiting for StorageClass fast: storageclass.storage.k8s.io "fast" not found. Create it, or create a volume of that class.'
  equal(await why(api, 'sts/web'), sentence)
  const { groups } = await findStuck({ api, signal })
  deepEqual(
    groups.map(({ objects }) => objects.map(({ object }) => `${object.kind}/${object.name}`)),
    [['PersistentVolumeClaim/data-web-0', 'Pod/web-0', 'StatefulSet/web']],
  )
})

test('a Deployment is followed to its ReplicaSet, pod and claim', async (context) => {
  const { api, settled } = await start(context)
  await api.create(DEPLOYMENTS, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: { replicas: 1, selector, template: templateOf(mounted) },
  })
  await settled()
  const [set] = (await api.list(REPLICA_SETS)).items
  const pod = await podName(api)
  const rest = `waiting for pod ${pod}, which is waiting for claim data: 0/0 nodes are available: persistentvolumeclaim "data" not found. Create it.`
  equal(
    await why(api, 'deploy/web'),
    `Deployment web is waiting for ReplicaSet ${set?.metadata.name}, which is ${rest}`,
  )
  equal(await why(api, `rs/${set?.metadata.name}`), `ReplicaSet ${set?.metadata.name} is ${rest}`)
  // The ReplicaSet is explained with its Deployment.
  const { groups } = await findStuck({ api, signal })
  deepEqual(
    groups.map(({ objects }) => objects.map(({ object }) => object.kind)),
    [['Pod', 'Deployment']],
  )
})

test('pods that the server rejects are the reason, with its message', async (context) => {
  const { api, settled } = await start(context, (own) => ({
    ...own,
    create: (type, object, options) =>
      type.plural === 'pods'
        ? Promise.reject(new ApiError('Forbidden', 'exceeded quota: small'))
        : own.create(type, object, options),
  }))
  const spec = { selector, template: templateOf() }
  await api.create(REPLICA_SETS, { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata, spec })
  await settled()
  equal(
    await why(api, 'rs/web'),
    'ReplicaSet web is not ready: pods cannot be created: exceeded quota: small. Change what the message names. The controller retries automatically.',
  )
})

test('without a running controller, that is the reason', async (context) => {
  const { api, stop } = await start(context)
  await stop()
  await api.create(REPLICA_SETS, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata,
    spec: { selector, template: templateOf() },
  })
  equal(
    await why(api, 'replicaset/web'),
    'ReplicaSet web is waiting for the ReplicaSet controller: nothing prevents the next step, but it has not been done yet. If this persists, check that the controllers are running (kube-controller-manager, or holdfast controllers).',
  )
})

test('a DaemonSet is followed to the pod that is not ready', async (context) => {
  const { api, settled } = await start(context)
  await api.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } })
  await api.create(DAEMON_SETS, {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata,
    spec: { selector, template: templateOf(mounted) },
  })
  await settled()
  const pod = await podName(api)
  equal(
    await why(api, 'ds/web'),
    `DaemonSet web is waiting for pod ${pod}, which is waiting for claim data: 0/1 nodes are available: persistentvolumeclaim "data" not found. Create it.`,
  )
})

test('a Job says that its pods never end where no container runs, and that it has finished', async (context) => {
  const { api, settled } = await start(context)
  await api.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } })
  const nodeInfo = { kubeletVersion: 'holdfast-1.0.0' }
  await api.patch(NODES, { name: 'n1' }, { type: 'merge', value: { status: { nodeInfo } } }, { subresource: 'status' })
  const template = templateOf({ restartPolicy: 'Never' })
  await api.create(JOBS, { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { template } })
  await settled()
  const pod = await podName(api)
  await makeReady(api, pod)
  await settled()
  const sentence = await why(api, 'job/web')
  ok(
    sentence.includes(`pod ${pod} never finishes by itself: node n1 is a Holdfast node and runs no containers`),
    sentence,
  )
  ok(sentence.includes('kubectl patch pod NAME --subresource=status'), sentence)
  await endPod(api, pod, 'Succeeded')
  await settled()
  equal(await why(api, 'job/web'), 'Job web has finished (Complete) and is not waiting for anything.')
})

test('a workload whose pods are ready is ready', async (context) => {
  const { api, settled } = await start(context)
  const spec = { replicas: 1, selector, template: templateOf() }
  await api.create(REPLICA_SETS, { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata, spec })
  await settled()
  await makeReady(api, await podName(api))
  await settled()
  equal(await why(api, 'rs/web'), 'ReplicaSet web is ready (1/1).')
  deepEqual((await findStuck({ api, signal })).groups, [])
  equal(await why(api, 'rs/other'), 'absent')
})
