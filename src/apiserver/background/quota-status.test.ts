import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { isForbidden } from '../../api/api-error.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import { LIMIT_RANGES } from '../../api/kinds/limit-range.ts'
import { NAMESPACES } from '../../api/kinds/namespace.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { RESOURCE_QUOTAS } from '../../api/kinds/resource-quota.ts'
import { openTestCore } from '../testing/open-test-core.ts'
import type { TestCore } from '../testing/open-test-core.ts'

const NAMESPACE = 'team'
const claim = (name: string, storage = '1Gi'): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: NAMESPACE, name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
})

async function withQuota(
  context: TestContext,
  hard: Record<string, string>,
): Promise<TestCore & { used: () => Promise<unknown> }> {
  const core = await openTestCore(context)
  await core.api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } })
  await core.api.create(RESOURCE_QUOTAS, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { namespace: NAMESPACE, name: 'q' },
    spec: { hard },
  })
  await core.server.idle()
  const used = async (): Promise<unknown> =>
    (await core.api.get(RESOURCE_QUOTAS, { namespace: NAMESPACE, name: 'q' })).status?.used
  return { ...core, used }
}

test('a new quota shows at once what is used, itself included', async (context) => {
  const { used } = await withQuota(context, { resourcequotas: '1', configmaps: '5', 'requests.storage': '5Gi' })
  // The certificate of the server, in every namespace.
  deepEqual(await used(), { resourcequotas: '1', configmaps: '1', 'requests.storage': '0' })
})

test('writes in flight at the same time never use more than the quota', async (context) => {
  const { api, used } = await withQuota(context, { 'requests.storage': '3Gi' })
  const results = await Promise.allSettled(
    Array.from({ length: 10 }, (_, index) => api.create(PERSISTENT_VOLUME_CLAIMS, claim(`c${index}`))),
  )
  equal(results.filter(({ status }) => status === 'fulfilled').length, 3)
  deepEqual(await used(), { 'requests.storage': '3Gi' })
  await rejects(api.create(PERSISTENT_VOLUME_CLAIMS, claim('more')), (error: Error) => {
    equal(
      error.message,
      'persistentvolumeclaims "more" is forbidden: exceeded quota: q, requested: requests.storage=1Gi, used: requests.storage=3Gi, limited: requests.storage=3Gi',
    )
    return isForbidden(error)
  })
})

test('a deletion frees what was used', async (context) => {
  const { api, clock, server, used } = await withQuota(context, { configmaps: '2' })
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: NAMESPACE, name: 'm' } } as const
  await api.create(CONFIG_MAPS, map)
  deepEqual(await used(), { configmaps: '2' })
  await api.delete(CONFIG_MAPS, map.metadata)
  await clock.advance(100)
  await server.idle()
  deepEqual(await used(), { configmaps: '1' })
})

test('a create that fails after it was charged is forgotten', async (context) => {
  const { api, clock, server, used } = await withQuota(context, { 'requests.storage': '3Gi' })
  await api.create(PERSISTENT_VOLUME_CLAIMS, claim('c'))
  await rejects(api.create(PERSISTENT_VOLUME_CLAIMS, claim('c')), /already exists/)
  await clock.advance(5_000)
  await server.idle()
  deepEqual(await used(), { 'requests.storage': '1Gi' })
})

test('a dry run is checked and not charged', async (context) => {
  const { api, used } = await withQuota(context, { 'requests.storage': '1Gi' })
  await api.create(PERSISTENT_VOLUME_CLAIMS, claim('c'), { dryRun: true })
  await rejects(api.create(PERSISTENT_VOLUME_CLAIMS, claim('d', '2Gi'), { dryRun: true }), /exceeded quota/)
  deepEqual(await used(), { 'requests.storage': '0' })
})

test('a claim outside of the limits of its namespace is rejected', async (context) => {
  const { api } = await withQuota(context, {})
  await api.create(LIMIT_RANGES, {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { namespace: NAMESPACE, name: 'l' },
    spec: { limits: [{ type: 'PersistentVolumeClaim', max: { storage: '1Gi' } }] },
  })
  await rejects(
    api.create(PERSISTENT_VOLUME_CLAIMS, claim('large', '2Gi')),
    /persistentvolumeclaims "large" is forbidden: maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi/,
  )
  await api.create(PERSISTENT_VOLUME_CLAIMS, claim('small'))
})
