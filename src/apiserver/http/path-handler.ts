import type { Logger } from '../../base/logger.ts'
import type { KindRegistry } from '../core/kind-registry.ts'
import { apiVersionOf } from '../../api/resource-type.ts'
import { jsonAnswer } from './answer.ts'
import type { Answer } from './answer.ts'
import { answerDocument } from './cached-document.ts'
import { createDiscovery } from './discovery.ts'
import type { Exchange } from './exchange.ts'
import { compareText } from './group-order.ts'
import { answerHealth } from './health.ts'
import type { HealthCheck } from './health.ts'
import { createOpenApi } from './openapi.ts'
import type { OpenApi, OpenApiSource } from './openapi.ts'
import type { RequestTarget } from './parse-target.ts'

/** The content of `/version`. */
export type VersionInfo = {
  readonly major: string
  readonly minor: string
  /** A semantic version with a leading v: clients compare it with their own. */
  readonly gitVersion: string
  readonly gitCommit: string
  readonly gitTreeState: string
  readonly buildDate: string
  readonly goVersion: string
  readonly compiler: string
  readonly platform: string
}

/** The parts behind non-resource paths. */
export type PathParts = {
  readonly kinds: KindRegistry
  readonly version: VersionInfo
  readonly log: Logger
  /** Default none: then the server is healthy as long as it responds. */
  readonly healthChecks?: readonly HealthCheck[]
  /** In the text format of Prometheus. Default: the path does not exist. */
  metrics?(): string | Promise<string>
  /** For programs that verify tokens themselves. Default: the paths do not exist. */
  readonly openId?: { configuration(): object; keys(): object }
  /** Called at the first request for a document. Default: the minimum that clients need. */
  openApi?(): Promise<OpenApiSource>
  serverAddress(): string
}

/** Answers GET for a non-resource path; undefined if the path does not exist. */
export type PathHandler = (
  target: RequestTarget,
  headers: Exchange['headers'],
) => Answer | undefined | Promise<Answer | undefined>

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
const KEYS_TYPE = 'application/jwk-set+json'

export function createPathHandler(parts: PathParts): PathHandler {
  const { kinds, version, log, healthChecks = [], openId } = parts
  const discovery = createDiscovery(kinds, () => parts.serverAddress())
  let openApi: Promise<OpenApi> | undefined
  const loadOpenApi = async (): Promise<OpenApi> => createOpenApi(kinds, await parts.openApi?.())

  const others: Map<string, () => Answer | Promise<Answer>> = new Map<string, () => Answer | Promise<Answer>>([
    ['/', (): Answer => jsonAnswer({ paths: listPaths(kinds, [...others.keys()]) })],
    ['/version', () => jsonAnswer(version)],
  ])
  if (openId) {
    others.set('/.well-known/openid-configuration', () => jsonAnswer(openId.configuration()))
    others.set('/openid/v1/jwks', () => ({ ...jsonAnswer(openId.keys()), contentType: KEYS_TYPE }))
  }
  if (parts.metrics) {
    others.set('/metrics', async () => ({
      status: 200,
      contentType: METRICS_TYPE,
      body: (await parts.metrics?.()) ?? '',
    }))
  }

  return ({ path, segments, query }, headers) => {
    switch (segments[0]) {
      case 'api':
      case 'apis': {
        const document = discovery.find(segments, headers.accept)
        return document && answerDocument(document, headers['if-none-match'])
      }
      case 'openapi':
        openApi ??= loadOpenApi()
        return openApi.then(({ answer }) => answer(segments, query, headers))
      case 'healthz':
      case 'livez':
      case 'readyz':
        return answerHealth(segments, query, { checks: healthChecks, log })
      default:
        return others.get(path)?.()
    }
  }
}

function listPaths(kinds: KindRegistry, others: readonly string[]): string[] {
  const groups = kinds
    .all()
    .flatMap(({ type }) => (type.group === '' ? ['/api/v1'] : [`/apis/${type.group}`, `/apis/${apiVersionOf(type)}`]))
  const fixed = ['/api', '/apis', '/healthz', '/livez', '/readyz', '/openapi/v2', '/openapi/v3']
  return [...new Set([...groups, ...fixed, ...others.filter((path) => path !== '/')])].sort(compareText)
}
