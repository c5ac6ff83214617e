import { deepEqual, equal, match, notEqual, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSeededRandom } from '../../base/random.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ServiceSpec } from '../../api/kinds/service.ts'
import { createServiceAddresses } from './service-addresses.ts'
import { admitted, viewOf, writeOf } from './testing/admission-under-test.ts'

const service = (name: string, spec: object): KubeObject & { spec: object } => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'ns', name },
  spec,
})
const plugin = createServiceAddresses(createSeededRandom(1))
const assigned = (
  spec: object,
  { before, others = [] }: { before?: object; others?: KubeObject[] } = {},
): ServiceSpec => {
  const more = {
    view: viewOf(...others),
    ...(before && { operation: 'UPDATE' as const, old: service('x', before) as never }),
  }
  return admitted(plugin, writeOf('Service', service('x', spec), more))?.['spec'] as ServiceSpec
}
const PORT = { port: 80, protocol: 'TCP' }

describe('a new service', () => {
  test('gets an address of the service range', () => {
    const spec = assigned({ type: 'ClusterIP', ports: [PORT] })
    match(spec.clusterIP ?? '', /^10\.(?:9[6-9]|10\d|11[01])\.\d+\.\d+$/)
    deepEqual(spec.clusterIPs, [spec.clusterIP])
    deepEqual([spec.ipFamilies, spec.ipFamilyPolicy], [['IPv4'], 'SingleStack'])
  })
  test('is headless if it asks for that', () =>
    equal(assigned({ type: 'ClusterIP', clusterIP: 'None' }).clusterIP, 'None'))
  test('keeps the address that it asks for', () =>
    equal(assigned({ type: 'ClusterIP', clusterIP: '10.96.0.10' }).clusterIP, '10.96.0.10'))
  test('cannot have the address of another', () =>
    throws(
      () =>
        assigned(
          { type: 'ClusterIP', clusterIP: '10.96.0.10' },
          { others: [service('other', { clusterIPs: ['10.96.0.10'] })] },
        ),
      /provided IP is already allocated/,
    ))
  test('cannot have an address outside of the range', () =>
    throws(() => assigned({ type: 'ClusterIP', clusterIP: '10.1.2.3' }), /The range of valid IPs is 10\.96\.0\.0\/12/))
  test('with an external name has no address', () =>
    equal(assigned({ type: 'ExternalName', externalName: 'example.test' }).clusterIP, undefined))
  test('of type NodePort gets a port for each of its ports', () => {
    const [one, two] = assigned({ type: 'NodePort', ports: [PORT, { ...PORT, port: 81 }] }).ports ?? []
    equal((one?.nodePort ?? 0) >= 30_000 && (one?.nodePort ?? 0) <= 32_767, true)
    notEqual(one?.nodePort, two?.nodePort)
  })
  test('cannot have the node port of another', () =>
    throws(
      () =>
        assigned(
          { type: 'NodePort', ports: [{ ...PORT, nodePort: 30_001 }] },
          { others: [service('other', { ports: [{ ...PORT, nodePort: 30_001 }] })] },
        ),
      /provided port is already allocated/,
    ))
})

describe('an updated service', () => {
  const before = { type: 'ClusterIP', clusterIP: '10.96.0.10', clusterIPs: ['10.96.0.10'], ports: [PORT] }
  test('keeps an address that the update leaves out', () =>
    equal(assigned({ type: 'ClusterIP', ports: [PORT] }, { before }).clusterIP, '10.96.0.10'))
  test('cannot change its address', () =>
    throws(
      () => assigned({ ...before, clusterIP: '10.96.0.11', clusterIPs: ['10.96.0.11'] }, { before }),
      /may not change once set/,
    ))
  test('loses its address when it gets an external name', () =>
    equal(assigned({ ...before, type: 'ExternalName', externalName: 'example.test' }, { before }).clusterIP, undefined))
  test('keeps its node ports', () => {
    const exposed = { ...before, type: 'NodePort', ports: [{ ...PORT, nodePort: 30_007 }] }
    equal(assigned({ ...exposed, ports: [PORT] }, { before: exposed }).ports?.[0]?.nodePort, 30_007)
  })
  test('loses its node ports when it becomes internal', () => {
    const exposed = { ...before, type: 'NodePort', ports: [{ ...PORT, nodePort: 30_007 }] }
    equal(assigned({ ...exposed, type: 'ClusterIP' }, { before: exposed }).ports?.[0]?.nodePort, undefined)
  })
})
