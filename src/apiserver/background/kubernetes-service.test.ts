import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINT_SLICES } from '../../api/kinds/endpoint-slice.ts'
import { ENDPOINTS } from '../../api/kinds/endpoints.ts'
import { SERVICES } from '../../api/kinds/service.ts'
import { openTestCore } from '../testing/open-test-core.ts'

const KUBERNETES = { namespace: 'default', name: 'kubernetes' }

test('the service kubernetes and its endpoints say where the server is', async (context) => {
  const { server, api } = await openTestCore(context)
  await server.advertise({ ip: '127.0.0.1', port: 6443 })
  const { spec } = await api.get(SERVICES, KUBERNETES)
  deepEqual(
    [spec?.clusterIP, spec?.ports],
    ['10.96.0.1', [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }]],
  )
  const { subsets } = await api.get(ENDPOINTS, KUBERNETES)
  deepEqual(subsets, [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ name: 'https', port: 6443, protocol: 'TCP' }] }])
  deepEqual((await api.get(ENDPOINT_SLICES, KUBERNETES)).endpoints, [
    { addresses: ['127.0.0.1'], conditions: { ready: true } },
  ])
})

test('they follow the server to another port', async (context) => {
  const { server, api } = await openTestCore(context)
  await server.advertise({ ip: '127.0.0.1', port: 6443 })
  await server.advertise({ ip: '127.0.0.1', port: 7443 })
  equal((await api.get(SERVICES, KUBERNETES)).spec?.ports?.[0]?.targetPort, 7443)
  equal((await api.get(ENDPOINTS, KUBERNETES)).subsets?.[0]?.ports?.[0]?.port, 7443)
})

test('a deleted one is restored', async (context) => {
  const { server, api } = await openTestCore(context)
  await server.advertise({ ip: '127.0.0.1', port: 6443 })
  await api.delete(SERVICES, KUBERNETES)
  await api.delete(ENDPOINTS, KUBERNETES)
  await server.idle()
  equal((await api.get(SERVICES, KUBERNETES)).spec?.clusterIP, '10.96.0.1')
  equal((await api.get(ENDPOINTS, KUBERNETES)).subsets?.length, 1)
})
