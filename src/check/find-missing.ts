import type { Need } from './case.ts'
import type { Features, NodeFeatures } from './features.ts'

/** What a run has, to decide which cases apply. */
export type Offer = {
  features: Features
  nodes: readonly NodeFeatures[]
  /** Whether the user gave a command that restarts the driver. */
  restart: boolean
  mutableParameters: boolean
}

/** Why a case with these needs does not apply; undefined if it does. */
export function findMissing(needs: readonly Need[], offer: Offer): string | undefined {
  for (const need of needs) {
    const reason = reasonAgainst(need, offer)
    if (reason !== undefined) return reason
  }
  return undefined
}

function reasonAgainst(need: Need, { features, nodes, restart, mutableParameters }: Offer): string | undefined {
  if (need === 'node') return nodes.length > 0 ? undefined : 'no socket serves the node service: give one with --node'
  if (need === 'two nodes')
    return nodes.length > 1 ? undefined : 'it needs the sockets of two nodes: give them with --node'
  if (need === 'restart')
    return restart ? undefined : 'it needs a command that restarts the driver: give it with --restart'
  if (need === 'mutable parameters') {
    return mutableParameters
      ? undefined
      : 'it needs parameters that ControllerModifyVolume accepts: give them with --mutable-params'
  }
  const [service = '', capability = ''] = need.split(':')
  const announced = announcedBy(service, features, nodes)
  return announced.has(capability) ? undefined : `the driver does not announce ${capability} (${SERVICES[service]})`
}

const SERVICES: Readonly<Record<string, string>> = {
  plugin: 'GetPluginCapabilities',
  controller: 'ControllerGetCapabilities',
  group: 'GroupControllerGetCapabilities',
  node: 'NodeGetCapabilities',
}

function announcedBy(service: string, features: Features, nodes: readonly NodeFeatures[]): ReadonlySet<string> {
  switch (service) {
    case 'plugin':
      return features.plugin
    case 'controller':
      return features.controller
    case 'group':
      return features.group
    default:
      return nodes[0]?.capabilities ?? new Set()
  }
}
