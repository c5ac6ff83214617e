import { ApiError } from '../../api/api-error.ts'
import { qualifiedResource } from '../../api/resource-type.ts'
import type { KindDefinition } from './kind-definition.ts'
import { noSuchPath } from './refusals.ts'

// Streams into a container, which this server does not run. Discovery lists them anyway, as kubectl expects.
const STREAMS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['pods', new Set(['attach', 'exec', 'log', 'portforward', 'proxy'])],
  ['services', new Set(['proxy'])],
  ['nodes', new Set(['proxy'])],
])

/** Rejects a verb that the kind, or its subresource, does not offer. */
export function checkOffered(
  { type, verbs, subresources }: KindDefinition,
  { verb, subresource }: { readonly verb: string; readonly subresource: string },
): void {
  if (type.group === '' && STREAMS.get(type.plural)?.has(subresource)) {
    throw new ApiError(
      'MethodNotAllowed',
      `${type.plural}/${subresource} is not served: this server runs no containers`,
    )
  }
  const offered: readonly string[] | undefined =
    subresource === '' ? verbs : Object.hasOwn(subresources, subresource) ? subresources[subresource]?.verbs : undefined
  if (offered?.includes(verb)) return
  if (!offered) throw noSuchPath()
  throw new ApiError(
    'MethodNotAllowed',
    `${verb || 'this method'} is not supported on resources of kind "${qualifiedResource(type)}${subresource ? `/${subresource}` : ''}"`,
  )
}
