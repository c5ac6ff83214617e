import type { WebhookClientConfig } from '../../../api/kinds/admission-registration.ts'
import { ENDPOINTS } from '../../../api/kinds/endpoints.ts'
import type { Endpoints } from '../../../api/kinds/endpoints.ts'
import { SERVICES } from '../../../api/kinds/service.ts'
import type { Service } from '../../../api/kinds/service.ts'
import { keyOf, storageOf } from '../../core/stored-object.ts'
import type { StateView } from '../../core/stored-object.ts'
import type { WebhookTarget } from './webhook-call.ts'

/**
 * Where a webhook is served: at its URL, or at an endpoint of its service. Nothing here routes traffic to the address of a service, so an endpoint is
 * used directly; the certificate must be for `NAME.NAMESPACE.svc`.
 */
export function findWebhookTarget(view: StateView, config: WebhookClientConfig, timeoutSeconds: number): WebhookTarget {
  const { caBundle, url, service } = config
  const caPem = caBundle ? { caPem: Buffer.from(caBundle, 'base64').toString('utf8') } : {}
  const query = `?timeout=${timeoutSeconds}s`
  if (url !== undefined || !service) return { url: `${url ?? ''}${query}`, ...caPem }
  const { name, namespace, path = '/', port = 443 } = service
  const host = `${name}.${namespace}.svc`
  const target = { url: `https://${host}:${port}${path.startsWith('/') ? path : `/${path}`}${query}`, ...caPem }
  const found = view.find(storageOf(SERVICES), keyOf(namespace, name))?.object as Service | undefined
  if (!found) throw new Error(`service "${name}" not found`)
  if (found.spec?.type === 'ExternalName') return { ...target, connect: { host: found.spec.externalName ?? '', port } }
  const connect = findEndpoint(view, found, { namespace, name, port })
  if (!connect) throw new Error(`no endpoints available for service "${name}"`)
  return { ...target, connect }
}

function findEndpoint(
  view: StateView,
  { spec }: Service,
  { namespace, name, port }: { namespace: string; name: string; port: number },
): { host: string; port: number } | undefined {
  const served = spec?.ports?.find((one) => one.port === port)
  if (!served) throw new Error(`service "${name}" does not have a port ${port}`)
  const endpoints = view.find(storageOf(ENDPOINTS), keyOf(namespace, name))?.object as Endpoints | undefined
  for (const { addresses = [], ports = [] } of endpoints?.subsets ?? []) {
    const [address] = addresses
    const found = ports.find((one) => (one.name ?? '') === (served.name ?? ''))
    if (address && found) return { host: address.ip, port: found.port }
  }
  return undefined
}
