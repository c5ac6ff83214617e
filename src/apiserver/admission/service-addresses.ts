import type { Random } from '../../base/random.ts'
import { SERVICES } from '../../api/kinds/service.ts'
import type { Service } from '../../api/kinds/service.ts'
import type { FieldProblem } from '../core/kind-definition.ts'
import { invalid as refuse } from '../core/refusals.ts'
import { storageOf } from '../core/stored-object.ts'
import type { Loose } from '../kinds/loose.ts'
import { invalid } from '../kinds/rules/problems.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'

/** The default range of Kubernetes; its first address belongs to the Service `kubernetes`. */
export const SERVICE_RANGE = '10.96.0.0/12'
export const KUBERNETES_ADDRESS = '10.96.0.1'

const RANGE_START = 0x0a_60_00_00
const RANGE_SIZE = 2 ** 20
const FIRST_NODE_PORT = 30_000
const NODE_PORTS = 2768

type Spec = NonNullable<Loose<Service>['spec']>
type Used = { readonly addresses: ReadonlySet<string>; readonly nodePorts: Set<number> }

/** Assigns addresses and node ports to services. Nothing here routes traffic to them, but clients expect a service to have them. */
export function createServiceAddresses(random: Random): AdmissionPlugin {
  const pickAddress = (used: Used): string => {
    for (let attempt = 0; attempt < RANGE_SIZE; attempt++) {
      // Random first, so that the address of a deleted service is not reused at once; then the first free one.
      const offset = attempt < 8 ? 1 + random.below(RANGE_SIZE - 2) : attempt - 7
      const address = formatAddress(RANGE_START + offset)
      if (!used.addresses.has(address) && address !== KUBERNETES_ADDRESS) return address
    }
    throw new Error('failed to allocate a serviceIP: range is full')
  }
  const pickNodePort = ({ nodePorts }: Used): number => {
    const start = random.below(NODE_PORTS)
    for (let step = 0; step < NODE_PORTS; step++) {
      const port = FIRST_NODE_PORT + ((start + step) % NODE_PORTS)
      if (nodePorts.has(port)) continue
      nodePorts.add(port)
      return port
    }
    throw new Error('failed to allocate a nodePort: range is full')
  }
  const assignAddress = (spec: Spec, used: Used): void => {
    spec.clusterIP = spec.clusterIPs?.[0] || spec.clusterIP || pickAddress(used)
    spec.clusterIPs = [spec.clusterIP]
    spec.ipFamilies ??= [spec.clusterIP.includes(':') ? 'IPv6' : 'IPv4']
    spec.ipFamilyPolicy ??= 'SingleStack'
  }
  const assignNodePorts = (spec: Spec, used: Used): void => {
    const wants = spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts)
    if (wants) for (const port of spec.ports ?? []) port.nodePort ||= pickNodePort(used)
  }

  return {
    name: 'ServiceAddresses',
    mutate(request) {
      if (!isServiceWrite(request)) return
      const spec = ((request.object as Loose<Service>).spec ??= {})
      const before = (request.old as Loose<Service> | undefined)?.spec
      if (spec.type === 'ExternalName') {
        releaseAddresses(spec, before)
        return
      }
      keepAssigned(spec, before)
      const used = usedBy(request)
      const problems = [...addressProblems(spec, before, used), ...nodePortProblems(spec, before, used)]
      if (problems.length > 0) throw refuse(SERVICES, request.name, problems)
      assignAddress(spec, used)
      assignNodePorts(spec, used)
    },
  }
}

const isServiceWrite = ({ operation, kind, subresource, object }: AdmissionRequest): boolean =>
  operation !== 'DELETE' && subresource === '' && kind.storage === storageOf(SERVICES) && object !== undefined

function usedBy({ view, namespace, name }: AdmissionRequest): Used {
  const others = view
    .list(storageOf(SERVICES))
    .filter(({ key }) => key !== `${namespace}/${name}`)
    .map(({ object }) => (object as Service).spec)
  return {
    addresses: new Set(others.flatMap((spec) => spec?.clusterIPs ?? [])),
    nodePorts: new Set(others.flatMap((spec) => (spec?.ports ?? []).flatMap(({ nodePort }) => nodePort ?? []))),
  }
}

// An update that leaves out what the server assigned keeps it.
function keepAssigned(spec: Spec, before: Spec | undefined): void {
  if (!before?.clusterIP || before.type === 'ExternalName') return
  if (!spec.clusterIP && (spec.clusterIPs ?? []).length === 0) {
    spec.clusterIP = before.clusterIP
    spec.clusterIPs = before.clusterIPs
  }
  spec.ipFamilies ??= before.ipFamilies
  spec.ipFamilyPolicy ??= before.ipFamilyPolicy
  if (spec.type !== 'NodePort' && spec.type !== 'LoadBalancer') {
    for (const port of spec.ports ?? [])
      if (port.nodePort === before.ports?.find((other) => other.port === port.port)?.nodePort) delete port.nodePort
    return
  }
  for (const port of spec.ports ?? []) {
    const same = before.ports?.find((other) => other.port === port.port && other.protocol === port.protocol)
    port.nodePort ||= same?.nodePort
  }
}

function releaseAddresses(spec: Spec, before: Spec | undefined): void {
  if (!before || before.type === 'ExternalName') return
  if (spec.clusterIP === before.clusterIP) {
    delete spec.clusterIP
    delete spec.clusterIPs
    delete spec.ipFamilies
    delete spec.ipFamilyPolicy
  }
}

function addressProblems(spec: Spec, before: Spec | undefined, { addresses }: Used): FieldProblem[] {
  const asked = spec.clusterIPs?.[0] || spec.clusterIP
  if (!asked || asked === 'None') return []
  if (before?.clusterIP === asked) return []
  if (before?.clusterIP && before.type !== 'ExternalName')
    return [invalid('spec.clusterIPs[0]', asked, 'may not change once set')]
  if (!isInRange(asked)) {
    const detail = `failed to allocate IP ${asked}: the provided network does not match the current range. The range of valid IPs is ${SERVICE_RANGE}`
    return [invalid('spec.clusterIPs', [asked], detail)]
  }
  return addresses.has(asked)
    ? [invalid('spec.clusterIPs', [asked], `failed to allocate IP ${asked}: provided IP is already allocated`)]
    : []
}

function nodePortProblems(spec: Spec, before: Spec | undefined, { nodePorts }: Used): FieldProblem[] {
  const kept = new Set((before?.ports ?? []).map(({ nodePort }) => nodePort))
  return (spec.ports ?? []).flatMap(({ nodePort }, index) => {
    if (!nodePort || kept.has(nodePort)) return []
    const field = `spec.ports[${index}].nodePort`
    if (nodePort < FIRST_NODE_PORT || nodePort >= FIRST_NODE_PORT + NODE_PORTS) {
      const detail = `provided port is not in the valid range. The range of valid ports is ${FIRST_NODE_PORT}-${FIRST_NODE_PORT + NODE_PORTS - 1}`
      return [invalid(field, nodePort, detail)]
    }
    return nodePorts.has(nodePort) ? [invalid(field, nodePort, 'provided port is already allocated')] : []
  })
}

const formatAddress = (address: number): string => [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff).join('.')

function isInRange(text: string): boolean {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) return false
  const address = text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  return address >= RANGE_START && address < RANGE_START + RANGE_SIZE
}
