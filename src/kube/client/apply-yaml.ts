import { parseAllDocuments } from 'yaml'
import { formatExactJson, parseExactJson } from '../../api/exact-json.ts'
import type { Api, WriteOptions } from '../../api/api.ts'
import { isAlreadyExists } from '../../api/api-error.ts'
import { hasCondition } from '../../api/conditions.ts'
import { findResourceType, SNAPSHOT_RESOURCE_TYPES } from '../../api/kinds/all-resource-types.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../api/kinds/custom-resource-definition.ts'
import type { CustomResourceDefinition } from '../../api/kinds/custom-resource-definition.ts'
import type { KubeObject } from '../../api/object.ts'
import { parseApiVersion } from '../../api/resource-type.ts'
import type { ResourceType } from '../../api/resource-type.ts'

export type ApplyOptions = {
  /** Namespace of namespaced objects that have none. Default `default`. */
  readonly namespace?: string
  /** How the server treats unknown fields. Default: the server's default. */
  readonly fieldValidation?: WriteOptions['fieldValidation']
  readonly signal?: AbortSignal
}

export type AppliedObject<T extends KubeObject = KubeObject> = {
  readonly outcome: 'created' | 'configured' | 'unchanged'
  readonly object: T
}

/** A manifest that cannot be applied. Nothing has been changed. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError'
}

/**
 * Creates the objects of a YAML or JSON manifest in order. Existing objects are patched with the fields in the manifest; their other fields are kept.
 * The whole manifest is validated before the first write. Custom resources may follow their definition in the same manifest.
 */
export async function applyYaml(
  api: Api,
  manifest: string,
  { namespace = 'default', fieldValidation, signal }: ApplyOptions = {},
): Promise<AppliedObject[]> {
  const until = signal ? { signal } : {}
  const write: WriteOptions = fieldValidation ? { ...until, fieldValidation } : until
  const objects = parseManifest(manifest)
  const typeOf = await resolveTypes(api, objects, until)
  const applied: AppliedObject[] = []
  for (const object of objects) {
    const type = typeOf(object)
    const placed =
      type.namespaced && object.metadata.namespace === undefined
        ? { ...object, metadata: { ...object.metadata, namespace } }
        : object
    applied.push(await applyObject(api, type, placed, write))
    if (isDefinition(object)) await untilEstablished(api, object, until)
  }
  return applied
}

type Named = KubeObject & { readonly metadata: { readonly name: string } }

type Manifest = Partial<KubeObject> & { readonly items?: readonly unknown[] }

function parseManifest(manifest: string): Named[] {
  return parseAllDocuments(manifest, { intAsBigInt: true }).flatMap((document, index) => {
    const [problem] = document.errors
    if (problem) throw new ManifestError(`document ${index + 1} of the manifest is not valid YAML: ${problem.message}`)
    // Small integers become numbers again; those above 2^53 stay exact.
    const value = parseExactJson(formatExactJson(document.toJS() ?? null)) as Manifest | null
    if (value === null) return []
    const objects = value.kind === 'List' && Array.isArray(value.items) ? value.items : [value]
    return objects.map((object) => requireNamed(object, index))
  })
}

function requireNamed(value: unknown, index: number): Named {
  const object = (typeof value === 'object' ? value : undefined) as Partial<KubeObject> | undefined
  const missing = [
    ['apiVersion', object?.apiVersion],
    ['kind', object?.kind],
    ['metadata.name', object?.metadata?.name],
  ].filter(([, given]) => typeof given !== 'string' || given === '')
  if (missing.length > 0)
    throw new ManifestError(
      `document ${index + 1} of the manifest is not a Kubernetes object: ${missing.map(([field]) => field).join(', ')} not set`,
    )
  return object as Named
}

/** The resource type of every object, or an error that lists the objects without one. */
async function resolveTypes(
  api: Api,
  objects: readonly Named[],
  until: { signal?: AbortSignal },
): Promise<(object: Named) => ResourceType> {
  const custom = objects.filter((object) => findResourceType(object) === undefined)
  const served = custom.length === 0 ? [] : (await api.list(CUSTOM_RESOURCE_DEFINITIONS, until)).items
  const definitions = [...objects.filter(isDefinition), ...served]
  const find = (object: Named): ResourceType | undefined => findResourceType(object) ?? findDefined(definitions, object)
  const unknown = custom.filter((object) => find(object) === undefined)
  if (unknown.length > 0) {
    throw new ManifestError(
      unknown
        .map(
          ({ apiVersion, kind, metadata }) =>
            `no matches for kind "${kind}" in version "${apiVersion}" (${kind} ${metadata.name}): install its CustomResourceDefinition first`,
        )
        .join('\n'),
    )
  }
  // All were found above.
  return (object) => find(object) as ResourceType
}

const isDefinition = (object: KubeObject): object is CustomResourceDefinition & Named =>
  object.kind === CUSTOM_RESOURCE_DEFINITIONS.kind

function findDefined(
  definitions: readonly CustomResourceDefinition[],
  { apiVersion, kind }: KubeObject,
): ResourceType | undefined {
  const { group, version } = parseApiVersion(apiVersion)
  const found = definitions.find(
    ({ spec }) =>
      spec.group === group &&
      spec.names.kind === kind &&
      spec.versions.some(({ name, served }) => served && name === version),
  )
  return (
    found && { group, version, kind, plural: found.spec.names.plural, namespaced: found.spec.scope === 'Namespaced' }
  )
}

async function applyObject(api: Api, type: ResourceType, object: Named, write: WriteOptions): Promise<AppliedObject> {
  try {
    return { outcome: 'created', object: await api.create(type, object, write) }
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
  const { name, namespace } = object.metadata
  const ref = namespace === undefined ? { name } : { name, namespace }
  const before = await api.get(type, ref, write.signal ? { signal: write.signal } : {})
  // Lists of built-in kinds are merged by key, which keeps what the server added to a pod; custom resources have no such keys.
  const isBuiltIn = findResourceType(object) !== undefined && !SNAPSHOT_RESOURCE_TYPES.includes(type)
  const after = await api.patch(type, ref, { type: isBuiltIn ? 'strategic' : 'merge', value: object }, write)
  return {
    outcome: after.metadata.resourceVersion === before.metadata.resourceVersion ? 'unchanged' : 'configured',
    object: after,
  }
}

async function untilEstablished(
  api: Api,
  { metadata: { name } }: Named,
  until: { signal?: AbortSignal },
): Promise<void> {
  for await (const event of api.watch(CUSTOM_RESOURCE_DEFINITIONS, {
    ...until,
    fieldSelector: `metadata.name=${name}`,
  })) {
    if (event.type !== 'BOOKMARK' && hasCondition(event.object.status?.conditions, 'Established')) return
  }
  throw new Error(`the server stopped watching before CustomResourceDefinition ${name} was established`)
}
