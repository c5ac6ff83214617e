import { apiVersionOf } from '../../api/resource-type.ts'
import type { KindDefinition } from '../core/kind-definition.ts'

const PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map((name) => ({
  name,
  in: 'query',
  schema: { type: name === 'force' ? 'boolean' : 'string' },
}))

/**
 * What kubectl reads before it writes: that a kind supports dry runs and field validation. Schemas are omitted, and version 2, which cannot be
 * partial, is empty.
 */
export const minimalOpenApi = {
  v3: (kinds: readonly KindDefinition[]): object => ({
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'unversioned' },
    paths: Object.fromEntries(
      kinds.filter(({ verbs }) => verbs.includes('patch')).map((kind) => [pathOf(kind), { patch: patchOf(kind) }]),
    ),
  }),
  v2: (): Uint8Array => new Uint8Array(),
  v2Json: (): object => ({ swagger: '2.0', info: { title: 'Kubernetes', version: 'unversioned' }, paths: {} }),
}

function pathOf({ type }: KindDefinition): string {
  const base = `/${type.group === '' ? 'api' : 'apis'}/${apiVersionOf(type)}`
  return `${base}${type.namespaced ? '/namespaces/{namespace}' : ''}/${type.plural}/{name}`
}

const patchOf = ({ type: { group, version, kind } }: KindDefinition): object => ({
  parameters: PARAMETERS,
  responses: { 200: { description: 'OK' } },
  // A map here, a list on schemas: clients distinguish them by this.
  'x-kubernetes-action': 'patch',
  'x-kubernetes-group-version-kind': { group, version, kind },
})
