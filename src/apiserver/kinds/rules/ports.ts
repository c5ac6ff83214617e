import { validateDnsLabel } from '../../../api/names.ts'
import type { Container } from '../../../api/kinds/pod.ts'
import type { Service } from '../../../api/kinds/service.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'
import type { Loose } from '../loose.ts'
import { duplicate, inclusiveRange, invalid, invalidFor, notSupported, required } from './problems.ts'

type ServicePort = NonNullable<NonNullable<Loose<Service>['spec']>['ports']>[number]

const PROTOCOLS = ['SCTP', 'TCP', 'UDP']
const LARGEST_PORT = 65_535

/** The ports of a service. A single port needs no name. */
export function servicePortProblems(field: string, ports: readonly ServicePort[]): FieldProblem[] {
  const names = new Set<string>()
  const each = ports.flatMap((port, index) => {
    const at = `${field}[${index}]`
    const { name = '', protocol = '', targetPort } = port
    const nameProblems = name === '' ? [] : invalidFor(`${at}.name`, name, validateDnsLabel(name))
    const isRepeated = nameProblems.length === 0 && names.has(name)
    if (name !== '') names.add(name)
    return [
      ...(name === '' && ports.length > 1 ? [required(`${at}.name`)] : nameProblems),
      ...(isRepeated ? [duplicate(`${at}.name`, name)] : []),
      ...numberProblems(`${at}.port`, port.port ?? 0),
      ...protocolProblems(`${at}.protocol`, protocol),
      ...(typeof targetPort === 'string'
        ? invalidFor(`${at}.targetPort`, targetPort, portNameProblems(targetPort))
        : numberProblems(`${at}.targetPort`, targetPort ?? 0)),
    ]
  })
  const seen = new Set<string>()
  const repeated = ports.flatMap((port, index) => {
    const key = `${port.protocol}/${port.port}`
    const isRepeated = seen.has(key)
    seen.add(key)
    return isRepeated ? [duplicate(`${field}[${index}]`, port)] : []
  })
  return [...each, ...repeated]
}

/** The ports of a container. */
export function containerPortProblems(field: string, ports: Loose<Container>['ports']): FieldProblem[] {
  const names = new Set<string>()
  return (ports ?? []).flatMap(({ name = '', containerPort = 0, hostPort = 0, protocol = '' }, index) => {
    const at = `${field}[${index}]`
    const isRepeated = names.has(name)
    const nameProblems = name === '' ? [] : invalidFor(`${at}.name`, name, portNameProblems(name))
    if (name !== '' && nameProblems.length === 0) names.add(name)
    return [
      ...nameProblems,
      ...(isRepeated ? [duplicate(`${at}.name`, name)] : []),
      ...(containerPort === 0
        ? [required(`${at}.containerPort`)]
        : numberProblems(`${at}.containerPort`, containerPort)),
      ...(hostPort === 0 ? [] : numberProblems(`${at}.hostPort`, hostPort)),
      ...protocolProblems(`${at}.protocol`, protocol),
    ]
  })
}

const numberProblems = (field: string, port: number): FieldProblem[] =>
  port >= 1 && port <= LARGEST_PORT ? [] : [invalid(field, port, inclusiveRange(1, LARGEST_PORT))]

function protocolProblems(field: string, protocol: string): FieldProblem[] {
  if (protocol === '') return [required(field)]
  return PROTOCOLS.includes(protocol) ? [] : [notSupported(field, protocol, PROTOCOLS)]
}

function portNameProblems(name: string): string[] {
  return [
    ...(name.length > 15 ? ['must be no more than 15 characters'] : []),
    ...(/^[-a-z0-9]+$/.test(name) ? [] : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
    ...(/[a-z]/.test(name) ? [] : ['must contain at least one letter (a-z)']),
    ...(name.includes('--') ? ['must not contain consecutive hyphens'] : []),
    ...(name !== '' && (name.startsWith('-') || name.endsWith('-')) ? ['must not begin or end with a hyphen'] : []),
  ]
}
