import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { NODES } from '../../api/kinds/node.ts'
import { applyManifest } from '../../apiserver/testing/apply-manifest.ts'
import { SIDECAR_USER } from '../../apiserver/testing/shipped-identity.ts'
import { createOn, nodeOf } from '../../testing/objects.ts'
import { createClaim, DRIVER, startUnderTest } from './testing/describe-provisioner.ts'

const ZONE = 'example.com/zone'

async function createNode(api: Api, name: string, zone: string): Promise<void> {
  await createOn(api, NODES, nodeOf(name, { metadata: { labels: { [ZONE]: zone } } }))
  await api.create(CSI_NODES, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name },
    spec: { drivers: [{ name: DRIVER, nodeID: name, topologyKeys: [ZONE] }] },
  })
}

test('S3-49: places come from a cache of all nodes that follows them: no claim costs a request for nodes', async (context) => {
  const reads: string[] = []
  let isWatched = false
  // Whoever asks for nodes anew once they are watched gets nothing.
  const onlyOnce = (api: Api): Api => ({
    ...api,
    get: (type, ref, options) =>
      type.plural.endsWith('nodes')
        ? (reads.push(`get ${type.plural}`), Promise.reject(new ApiError('ServiceUnavailable', 'down')))
        : api.get(type, ref, options),
    list: (type, options) => {
      if (type.plural === 'nodes') reads.push('list nodes')
      return type.plural === 'nodes' && isWatched
        ? Promise.reject(new ApiError('ServiceUnavailable', 'down'))
        : api.list(type, options)
    },
    watch: (type, options) => {
      if (type.plural === 'nodes') reads.push('watch nodes')
      return api.watch(type, options)
    },
  })
  const { api, script, settled } = await startUnderTest(context, {
    driver: { features: { topology: true } },
    place: { namespace: 'default', hostname: 'host-1' },
    apiOf: ({ server }) => onlyOnce(server.core.as(SIDECAR_USER)),
    before: async ({ api: admin }) => {
      await applyManifest(admin, 'examples/sidecar/rbac.yaml')
      for (const zone of ['a', 'b', 'c']) await createNode(admin, `node-${zone}`, zone)
    },
  })
  await settled()
  ok(reads.includes('watch nodes'))
  isWatched = true
  const { length } = reads
  const askFor = async (name: string): Promise<string[]> => {
    await createClaim(api, name)
    await settled()
    return (script.requests.at(-1)?.accessibilityRequirements?.requisite ?? []).map(
      ({ segments }) => segments[ZONE] ?? '',
    )
  }
  deepEqual(await askFor('first'), ['a', 'b', 'c'])
  await createNode(api, 'node-d', 'd')
  await settled()
  deepEqual(await askFor('second'), ['a', 'b', 'c', 'd'])
  await api.patch(NODES, { name: 'node-a' }, { type: 'merge', value: { metadata: { labels: { [ZONE]: 'e' } } } })
  await api.delete(NODES, { name: 'node-b' })
  await settled()
  deepEqual(await askFor('third'), ['c', 'd', 'e'])
  for (let number = 0; number < 20; number++) await askFor(`more-${number}`)
  equal(script.requests.length, 23)
  deepEqual(reads.slice(length), [])
})
