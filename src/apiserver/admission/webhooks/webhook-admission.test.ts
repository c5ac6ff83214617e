import { deepEqual, equal, match, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { CONFIG_MAPS } from '../../../api/kinds/config-map.ts'
import type { ConfigMap } from '../../../api/kinds/config-map.ts'
import {
  MUTATING_WEBHOOK_CONFIGURATIONS,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
} from '../../../api/kinds/admission-registration.ts'
import { ENDPOINTS } from '../../../api/kinds/endpoints.ts'
import { SERVICES } from '../../../api/kinds/service.ts'
import { STATEFUL_SETS } from '../../../api/kinds/stateful-set.ts'
import type { StatefulSet } from '../../../api/kinds/stateful-set.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { ResourceType } from '../../../api/resource-type.ts'
import { openTestCore } from '../../testing/open-test-core.ts'
import type { TestCore } from '../../testing/open-test-core.ts'
import type { CallWebhook, WebhookTarget } from './webhook-call.ts'

type Review = {
  request: {
    uid: string
    operation: string
    object: ConfigMap | null
    oldObject: ConfigMap | null
    dryRun: boolean
    userInfo: object
  }
}
type Answer = (review: Review['request'], target: WebhookTarget) => object | Promise<object>

const allow = (): object => ({ allowed: true })
const patch = (...operations: object[]): object => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
})
const setting = (key: string, value: string): object => patch({ op: 'add', path: `/data/${key}`, value })

type Asked = TestCore & { readonly reviews: Review['request'][]; readonly targets: WebhookTarget[] }

async function withWebhooks(context: TestContext, answers: Record<string, Answer>): Promise<Asked> {
  const reviews: Review['request'][] = []
  const targets: WebhookTarget[] = []
  const callWebhook: CallWebhook = async (target, body, signal) => {
    const { request } = JSON.parse(body) as Review
    reviews.push(request)
    targets.push(target)
    const answer = answers[new URL(target.url).pathname.slice(1)]
    if (!answer) throw new Error('connection refused')
    const response = await Promise.race([
      answer(request, target),
      new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    ])
    return JSON.stringify({
      kind: 'AdmissionReview',
      apiVersion: 'admission.k8s.io/v1',
      response: { uid: request.uid, ...response },
    })
  }
  return { ...(await openTestCore(context, { callWebhook })), reviews, targets }
}

const webhook = (path: string, more: object = {}): object => ({
  name: `${path}.example.com`,
  clientConfig: { url: `https://hooks.test/${path}` },
  rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...more,
})
const configure = async ({ api }: TestCore, kind: 'Validating' | 'Mutating', ...webhooks: object[]): Promise<void> => {
  const type = kind === 'Validating' ? VALIDATING_WEBHOOK_CONFIGURATIONS : MUTATING_WEBHOOK_CONFIGURATIONS
  await api.create(type as typeof VALIDATING_WEBHOOK_CONFIGURATIONS, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration` as 'ValidatingWebhookConfiguration',
    metadata: { name: 'hooks' },
    webhooks: webhooks as never,
  })
}
const map = (name: string, more: object = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name, ...more },
  data: { a: '1' },
})
const NAMED = { namespace: 'default', name: 'm' }

describe('a validating webhook', () => {
  const deny = (): object => ({ allowed: false, status: { message: 'not today', code: 403, reason: 'Forbidden' } })

  test('can reject a create, an update and a deletion', async (context) => {
    const core = await withWebhooks(context, {
      check: ({ operation, object }) => (operation === 'CREATE' && !object?.metadata.labels ? allow() : deny()),
    })
    await configure(core, 'Validating', webhook('check'))
    const { api } = core
    await api.create(CONFIG_MAPS, map('m'))
    const denied = { message: 'admission webhook "check.example.com" denied the request: not today', code: 403 }
    await rejects(api.create(CONFIG_MAPS, map('other', { labels: { a: 'b' } })), denied)
    await rejects(api.patch(CONFIG_MAPS, NAMED, { type: 'merge', value: { data: { a: '2' } } }), denied)
    await rejects(api.delete(CONFIG_MAPS, NAMED), denied)
    deepEqual((await api.get(CONFIG_MAPS, NAMED)).data, { a: '1' })
    deepEqual(
      core.reviews.map(({ operation, object, oldObject }) => [operation, object?.data?.['a'], oldObject?.data?.['a']]),
      [
        ['CREATE', '1', undefined],
        ['CREATE', '1', undefined],
        ['UPDATE', '2', '1'],
        ['DELETE', undefined, '1'],
      ],
    )
  })

  test('that cannot be reached rejects the write, unless it should be ignored', async (context) => {
    const core = await withWebhooks(context, {})
    await configure(core, 'Validating', webhook('gone', { failurePolicy: 'Ignore' }))
    await core.api.create(CONFIG_MAPS, map('m'))
    await core.api.patch(
      VALIDATING_WEBHOOK_CONFIGURATIONS,
      { name: 'hooks' },
      { type: 'json', operations: [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Fail' }] },
    )
    await rejects(core.api.create(CONFIG_MAPS, map('n')), {
      code: 500,
      message:
        'Internal error occurred: failed calling webhook "gone.example.com": failed to call webhook: Post "https://hooks.test/gone?timeout=10s": connection refused',
    })
  })

  test('that does not answer in time rejects the write', async (context) => {
    const core = await withWebhooks(context, { slow: () => new Promise(() => {}) })
    await configure(core, 'Validating', webhook('slow', { timeoutSeconds: 2 }))
    const created = core.api.create(CONFIG_MAPS, map('m'))
    const failed = rejects(created, /context deadline exceeded/)
    await core.clock.advance(2_000)
    await failed
  })

  test('is asked about matching requests only', async (context) => {
    const core = await withWebhooks(context, { check: deny })
    await configure(
      core,
      'Validating',
      webhook('check', {
        objectSelector: { matchLabels: { checked: 'yes' } },
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['default'] }],
        },
        matchConditions: [{ name: 'not-exempt', expression: "object.metadata.name != 'exempt'" }],
      }),
    )
    const labels = { checked: 'yes' }
    await core.api.create(CONFIG_MAPS, map('unlabelled'))
    await core.api.create(CONFIG_MAPS, map('elsewhere', { namespace: 'kube-system', labels }))
    await core.api.create(CONFIG_MAPS, map('exempt', { labels }))
    equal(core.reviews.length, 0)
    await rejects(core.api.create(CONFIG_MAPS, map('m', { labels })), /denied the request/)
  })

  test('cannot keep anyone from removing it', async (context) => {
    const core = await withWebhooks(context, { check: deny })
    await configure(
      core,
      'Validating',
      webhook('check', { rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }] }),
    )
    await core.api.delete(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: 'hooks' })
    await core.api.create(CONFIG_MAPS, map('m'))
  })

  test('hears of a dry run', async (context) => {
    const core = await withWebhooks(context, { check: allow })
    await configure(core, 'Validating', webhook('check'))
    await core.api.create(CONFIG_MAPS, map('m'), { dryRun: true })
    deepEqual(
      core.reviews.map(({ dryRun }) => dryRun),
      [true],
    )
  })

  test('is reached at an endpoint of its service', async (context) => {
    const core = await withWebhooks(context, { check: allow })
    const { api } = core
    const metadata = { namespace: 'default', name: 'hook' }
    await api.create(SERVICES, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { ports: [{ port: 443, targetPort: 9443 }] },
    })
    await configure(
      core,
      'Validating',
      webhook('check', { clientConfig: { service: { ...metadata, path: '/check' } } }),
    )
    await rejects(api.create(CONFIG_MAPS, map('m')), /no endpoints available for service "hook"/)
    await api.create(ENDPOINTS, {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata,
      subsets: [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ port: 9443 }] }],
    })
    await api.create(CONFIG_MAPS, map('m'))
    deepEqual(core.targets.at(-1), {
      url: 'https://hook.default.svc:443/check?timeout=10s',
      connect: { host: '127.0.0.1', port: 9443 },
    })
  })
})

describe('a mutating webhook', () => {
  test('changes what is stored, and the next one sees it', async (context) => {
    const core = await withWebhooks(context, {
      first: () => setting('first', 'yes'),
      second: ({ object }) => setting('second', `after ${object?.data?.['first'] ?? ''}`),
    })
    await configure(core, 'Mutating', webhook('first'), webhook('second'))
    const created = await core.api.create(CONFIG_MAPS, map('m'))
    deepEqual(created.data, { a: '1', first: 'yes', second: 'after yes' })
    deepEqual((await core.api.get(CONFIG_MAPS, NAMED)).data, created.data)
  })

  test('is asked again if it wants to see what others changed', async (context) => {
    const core = await withWebhooks(context, {
      counter: ({ object }) =>
        setting(
          'seen',
          Object.keys(object?.data ?? {})
            .sort()
            .join(),
        ),
      late: () => setting('late', 'yes'),
    })
    await configure(core, 'Mutating', webhook('counter', { reinvocationPolicy: 'IfNeeded' }), webhook('late'))
    const { data } = await core.api.create(CONFIG_MAPS, map('m'))
    equal(data?.['seen'], 'a,late,seen')
  })

  test('cannot change what it is not shown as', async (context) => {
    const core = await withWebhooks(context, { broken: () => patch({ op: 'remove', path: '/nothing/here' }) })
    await configure(core, 'Mutating', webhook('broken'))
    await rejects(core.api.create(CONFIG_MAPS, map('m')), (error: Error) => {
      match(error.message, /failed calling webhook "broken\.example\.com"/)
      return true
    })
  })

  test('an update that overtakes another is decided again', async (context) => {
    let answerFirst: (() => void) | undefined
    const core = await withWebhooks(context, {
      held: ({ object }) =>
        object?.data?.['a'] === 'slow' ? new Promise((resolve) => (answerFirst = () => resolve(allow()))) : allow(),
    })
    await core.api.create(CONFIG_MAPS, map('m'))
    await configure(core, 'Mutating', webhook('held'))
    const slow = core.api.patch(CONFIG_MAPS, NAMED, { type: 'merge', value: { data: { a: 'slow' } } })
    await core.api.patch(CONFIG_MAPS, NAMED, { type: 'merge', value: { data: { b: 'fast' } } })
    answerFirst?.()
    await new Promise((resolve) => setImmediate(resolve))
    answerFirst?.()
    await slow
    deepEqual((await core.api.get(CONFIG_MAPS, NAMED)).data, { a: 'slow', b: 'fast' })
  })

  test('counts for the generation: a change that it adds, and one that it takes back', async (context) => {
    let wanted = 3
    const core = await withWebhooks(context, {
      fixed: () => patch({ op: 'add', path: '/spec/replicas', value: wanted }),
    })
    await core.api.create(STATEFUL_SETS, SET)
    await configure(core, 'Mutating', webhook('fixed', rulesFor('statefulsets')))
    const label = (value: string): Promise<StatefulSet> =>
      core.api.patch(STATEFUL_SETS, SET.metadata, { type: 'merge', value: { metadata: { labels: { a: value } } } })
    equal((await label('1')).metadata.generation, 2)
    equal((await label('2')).metadata.generation, 2)
    wanted = 5
    equal((await label('3')).metadata.generation, 3)
    const scaled = await core.api.patch(STATEFUL_SETS, SET.metadata, {
      type: 'merge',
      value: { spec: { replicas: 9 } },
    })
    deepEqual([scaled.spec?.replicas, scaled.metadata.generation], [5, 3])
  })

  test('cannot set what only the server sets', async (context) => {
    const core = await withWebhooks(context, {
      forging: ({ operation }) =>
        patch(
          { op: 'add', path: '/metadata/deletionTimestamp', value: '2026-01-01T00:00:00Z' },
          { op: 'add', path: '/metadata/uid', value: 'forged' },
          { op: 'add', path: '/metadata/generation', value: 77 },
          { op: 'add', path: '/status', value: { replicas: operation === 'CREATE' ? 7 : 8 } },
        ),
    })
    await configure(core, 'Mutating', webhook('forging', rulesFor('statefulsets')))
    const created = await core.api.create(STATEFUL_SETS, SET)
    const changed = await core.api.patch(STATEFUL_SETS, SET.metadata, {
      type: 'merge',
      value: { spec: { replicas: 2 } },
    })
    for (const { metadata, status } of [created, changed]) {
      equal(metadata.deletionTimestamp, undefined)
      equal(metadata.uid === 'forged', false)
      equal(status?.replicas, 0)
    }
    deepEqual([created.metadata.generation, changed.metadata.generation], [1, 2])
  })
})

describe('webhooks of scale', () => {
  type Scale = KubeObject & { spec: { replicas: number } }
  // The response is a Scale, whatever was requested.
  const SCALES = STATEFUL_SETS as unknown as ResourceType<Scale>
  const scaleTo = ({ api }: TestCore, replicas: number): Promise<Scale> =>
    api.patch(SCALES, SET.metadata, { type: 'merge', value: { spec: { replicas } } }, { subresource: 'scale' })

  test('see a Scale, and not the scaled object', async (context) => {
    const core = await withWebhooks(context, { check: allow, other: allow })
    await core.api.create(STATEFUL_SETS, SET)
    await configure(
      core,
      'Validating',
      webhook('check', rulesFor('statefulsets/scale')),
      webhook('other', rulesFor('statefulsets')),
    )
    await scaleTo(core, 4)
    equal(core.reviews.length, 1)
    const { object, oldObject, ...rest } = core.reviews[0] as unknown as Record<string, { spec: object; kind: string }>
    deepEqual([object?.kind, object?.spec, oldObject?.spec], ['Scale', { replicas: 4 }, { replicas: 1 }])
    deepEqual(
      [rest['kind'], rest['resource'], rest['subResource']],
      [
        { group: 'autoscaling', version: 'v1', kind: 'Scale' },
        { group: 'apps', version: 'v1', resource: 'statefulsets' },
        'scale',
      ],
    )
  })

  test('can change and reject it', async (context) => {
    const core = await withWebhooks(context, {
      cap: ({ object }) => {
        const { replicas } = (object as unknown as Scale).spec
        return replicas > 5 ? { allowed: false } : patch({ op: 'replace', path: '/spec/replicas', value: replicas + 1 })
      },
    })
    await core.api.create(STATEFUL_SETS, SET)
    await configure(core, 'Mutating', webhook('cap', rulesFor('statefulsets/scale')))
    equal((await scaleTo(core, 2)).spec.replicas, 3)
    const { spec, metadata } = await core.api.get(STATEFUL_SETS, SET.metadata)
    deepEqual([spec?.replicas, spec?.serviceName, metadata.generation], [3, 'web', 2])
    await rejects(scaleTo(core, 6), /denied the request/)
  })
})

const rulesFor = (resource: string): object => ({
  rules: [{ operations: ['*'], apiGroups: ['apps'], apiVersions: ['v1'], resources: [resource] }],
})
const SET: StatefulSet & { metadata: { namespace: string; name: string } } = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { namespace: 'default', name: 'web' },
  spec: {
    serviceName: 'web',
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'busybox' }] } },
  },
}
