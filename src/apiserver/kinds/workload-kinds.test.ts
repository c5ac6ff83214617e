import { deepEqual, equal, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { DAEMON_SETS } from '../../api/kinds/daemon-set.ts'
import { DEPLOYMENTS } from '../../api/kinds/deployment.ts'
import type { Deployment } from '../../api/kinds/deployment.ts'
import { JOBS } from '../../api/kinds/job.ts'
import { REPLICA_SETS } from '../../api/kinds/replica-set.ts'
import { REPLICATION_CONTROLLERS } from '../../api/kinds/replication-controller.ts'
import { openTestCore } from '../testing/open-test-core.ts'

const metadata = { namespace: 'default', name: 'web' }
const labels = { app: 'web' }
const selector = { matchLabels: labels }
const podSpec = { containers: [{ name: 'main', image: 'one' }] }
const template = { metadata: { labels }, spec: podSpec }
const deployment = (spec: Partial<Deployment['spec']> = {}): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata,
  spec: { selector, template, ...spec },
})
const open = async (context: TestContext) => (await openTestCore(context)).api

describe('workloads', () => {
  test('a Deployment has the defaults of Kubernetes', async (context) => {
    const api = await open(context)
    const { spec } = await api.create(DEPLOYMENTS, deployment())
    const { template: made, selector: _selector, ...rest } = spec
    deepEqual(rest, {
      replicas: 1,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    })
    equal(made.spec.restartPolicy, 'Always')
  })

  test('a DaemonSet, a ReplicaSet and a ReplicationController have theirs', async (context) => {
    const api = await open(context)
    const daemon = await api.create(DAEMON_SETS, {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata,
      spec: { selector, template },
    })
    deepEqual(daemon.spec.updateStrategy, { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } })
    const set = await api.create(REPLICA_SETS, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata,
      spec: { selector, template },
    })
    equal(set.spec.replicas, 1)
    const controller = await api.create(REPLICATION_CONTROLLERS, {
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata,
      spec: { template },
    })
    deepEqual([controller.spec.selector, controller.metadata.labels, controller.spec.replicas], [labels, labels, 1])
  })

  test('a Job selects its own pods by its uid', async (context) => {
    const api = await open(context)
    const job = await api.create(JOBS, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata,
      spec: { template: { metadata: { labels }, spec: { ...podSpec, restartPolicy: 'Never' } } },
    })
    const uid = job.metadata.uid ?? ''
    deepEqual(job.spec.selector, { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } })
    deepEqual(job.spec.template.metadata?.labels, {
      ...labels,
      'job-name': 'web',
      'batch.kubernetes.io/job-name': 'web',
      'controller-uid': uid,
      'batch.kubernetes.io/controller-uid': uid,
    })
    deepEqual([job.spec.completions, job.spec.parallelism, job.spec.backoffLimit], [1, 1, 6])
  })

  const refused: [behaviour: string, object: Deployment, message: RegExp][] = [
    [
      'a selector that does not match the template',
      deployment({ selector: { matchLabels: { app: 'other' } } }),
      /spec\.template\.metadata\.labels: Invalid value: .*`selector` does not match template `labels`/,
    ],
    [
      'an empty selector',
      deployment({ selector: {} }),
      /spec\.selector: Invalid value: .*empty selector is invalid for deployment/,
    ],
    [
      'a rolling update that may do nothing',
      deployment({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
      /spec\.strategy\.rollingUpdate\.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0/,
    ],
    [
      'a deadline below minReadySeconds',
      deployment({ minReadySeconds: 600 }),
      /spec\.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds/,
    ],
    [
      'a template whose pods end',
      deployment({ template: { ...template, spec: { ...podSpec, restartPolicy: 'Never' } } }),
      /spec\.template\.spec\.restartPolicy: Unsupported value: "Never": supported values: "Always"/,
    ],
  ]
  for (const [behaviour, object, message] of refused)
    test(`refuses ${behaviour}`, async (context) => {
      await rejects((await open(context)).create(DEPLOYMENTS, object), { message })
    })

  test('refuses a Job whose pods are always restarted', async (context) => {
    const api = await open(context)
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { template } } as const
    await rejects(api.create(JOBS, job), {
      message: /spec\.template\.spec\.restartPolicy: Required value: valid values: "OnFailure", "Never"/,
    })
  })

  test('refuses another selector', async (context) => {
    const api = await open(context)
    await api.create(DEPLOYMENTS, deployment())
    const both = { app: 'web', tier: 'front' }
    const spec = { selector: { matchLabels: both }, template: { metadata: { labels: both } } }
    await rejects(api.patch(DEPLOYMENTS, metadata, { type: 'merge', value: { spec } }), {
      message: /field is immutable/,
    })
  })
})
