import { ApiError } from '../../api/api-error.ts'
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionStatus,
} from '../../api/kinds/custom-resource-definition.ts'
import { formatTimestamp } from '../../api/timestamps.ts'
import type { AdmissionPlugin } from '../admission/admission.ts'
import type { Draft, KindDefinition } from '../core/kind-definition.ts'
import type { KindRegistry } from '../core/kind-registry.ts'
import type { StateView } from '../core/stored-object.ts'
import type { Clock } from '../../base/clock.ts'

export const CRD_STORAGE = 'apiextensions.k8s.io/customresourcedefinitions'

/**
 * Checks the names of a CRD in the same step that stores it, so a reader sees immediately whether it is served. Also rejects new objects of a CRD
 * that is being deleted, because they would outlive it.
 */
export function createCrdStatus({ kinds, clock }: { kinds: KindRegistry; clock: Clock }): AdmissionPlugin {
  const builtIn = new Set(kinds.builtIn.map(({ storage }) => storage))
  return {
    name: 'CustomResourceDefinitionStatus',
    mutate: ({ operation, kind, object, old, subresource, view }) => {
      if (kind.storage !== CRD_STORAGE || operation === 'DELETE' || subresource !== '' || !object) return
      // Its validation, which comes next, reports the problems.
      if (!hasNames(object)) return
      const crd = object as unknown as CustomResourceDefinition
      const others = [...kinds.builtIn.map(namesOfKind), ...otherDefinitions(crd, view)].filter(
        ({ group }) => group === crd.spec.group,
      )
      object['status'] = crdStatus(
        crd,
        (old as unknown as CustomResourceDefinition | undefined)?.status,
        others,
        formatTimestamp(clock.nowMs()),
      )
    },
    validate: ({ operation, kind, subresource, view }) => {
      if (operation !== 'CREATE' || subresource !== '' || builtIn.has(kind.storage)) return
      const crd = view.find(CRD_STORAGE, `${kind.type.plural}.${kind.type.group}`)
      if (crd?.object.metadata.deletionTimestamp)
        throw new ApiError('MethodNotAllowed', 'create not allowed while custom resource definition is terminating')
    },
  }
}

function hasNames(object: Draft): boolean {
  const { spec } = object as { spec?: { names?: { kind?: unknown; plural?: unknown }; versions?: unknown } }
  return typeof spec?.names?.kind === 'string' && typeof spec.names.plural === 'string' && Array.isArray(spec.versions)
}

// The names that one kind uses in its group: for its resource, its objects and its lists.
type TakenNames = { group: string; resources: readonly string[]; kinds: readonly string[] }

const namesOfKind = ({ type, singular, shortNames, listKind }: KindDefinition): TakenNames => ({
  group: type.group,
  resources: [type.plural, singular, ...shortNames],
  kinds: [type.kind, listKind],
})

// In the newest decided state: of two that are created at the same time, only one may be served.
const otherDefinitions = (crd: CustomResourceDefinition, view: StateView): TakenNames[] =>
  view
    .list(CRD_STORAGE)
    .map(({ object }) => object as CustomResourceDefinition)
    .filter((other) => other.metadata.name !== crd.metadata.name && isEstablished(other))
    .map(({ spec, status }) => ({ group: spec.group, ...takenBy(status?.acceptedNames ?? spec.names) }))

const takenBy = ({
  plural,
  singular,
  shortNames,
  kind,
  listKind,
}: CustomResourceDefinitionNames): Omit<TakenNames, 'group'> => ({
  resources: [plural, singular ?? kind.toLowerCase(), ...(shortNames ?? [])],
  kinds: [kind, listKind ?? `${kind}List`],
})

function crdStatus(
  { spec }: CustomResourceDefinition,
  before: CustomResourceDefinitionStatus | undefined,
  others: readonly TakenNames[],
  now: string,
): CustomResourceDefinitionStatus {
  const clash = findClash(takenBy(spec.names), others)
  const names: CustomResourceDefinitionNames = {
    ...spec.names,
    singular: spec.names.singular ?? spec.names.kind.toLowerCase(),
    listKind: spec.names.listKind ?? `${spec.names.kind}List`,
  }
  const condition = (type: string, status: 'True' | 'False', reason: string, message: string) => {
    const present = before?.conditions?.find((other) => other.type === type)
    return present?.status === status
      ? { ...present, reason, message }
      : { type, status, reason, message, lastTransitionTime: now }
  }
  const accepted = clash === undefined
  const conditions = [
    accepted
      ? condition('NamesAccepted', 'True', 'NoConflicts', 'no conflicts found')
      : condition('NamesAccepted', 'False', 'NameConflict', clash),
    // Once established, it remains established, under the accepted names.
    accepted || isEstablished({ status: before })
      ? condition('Established', 'True', 'InitialNamesAccepted', 'the initial names have been accepted')
      : condition('Established', 'False', 'NotAccepted', 'not all names are accepted'),
    ...(before?.conditions ?? []).filter(({ type }) => type !== 'NamesAccepted' && type !== 'Established'),
  ]
  const stored = new Set([
    ...(before?.storedVersions ?? []),
    ...spec.versions.filter(({ storage }) => storage).map(({ name }) => name),
  ])
  return {
    conditions,
    acceptedNames: accepted ? names : (before?.acceptedNames ?? { plural: '', kind: '' }),
    storedVersions: [...stored],
  }
}

function findClash(own: Omit<TakenNames, 'group'>, others: readonly TakenNames[]): string | undefined {
  const clash =
    own.resources.find((name) => others.some(({ resources }) => resources.includes(name))) ??
    own.kinds.find((name) => others.some((other) => other.kinds.includes(name)))
  return clash === undefined ? undefined : `${JSON.stringify(clash)} is already in use`
}

/** Whether objects of the CRD may be served. */
export const isEstablished = ({ status }: { readonly status?: CustomResourceDefinitionStatus | undefined }): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True') ?? false
