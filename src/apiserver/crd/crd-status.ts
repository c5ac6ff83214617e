import type { CustomResourceDefinition, CustomResourceDefinitionNames, CustomResourceDefinitionStatus } from '../../api/kinds/custom-resource-definition.ts'
import { formatTimestamp } from '../../api/timestamps.ts'
import type { AdmissionPlugin } from '../admission/admission.ts'
import type { KindRegistry } from '../core/kind-registry.ts'
import type { Clock } from '../../base/clock.ts'

export const CRD_STORAGE = 'apiextensions.k8s.io/customresourcedefinitions'

/** Judges the names of a CRD in the same step that stores it: whoever sees it sees at once whether it is served. */
export function createCrdStatus({ kinds, clock }: { kinds: KindRegistry; clock: Clock }): AdmissionPlugin {
  return {
    name: 'CustomResourceDefinitionStatus',
    mutate: ({ operation, kind, object, old, subresource }) => {
      if (kind.storage !== CRD_STORAGE || operation === 'DELETE' || subresource !== '' || !object) return
      const crd = object as unknown as CustomResourceDefinition
      object['status'] = crdStatus(crd, (old as unknown as CustomResourceDefinition | undefined)?.status, kinds, formatTimestamp(clock.nowMs()))
    },
  }
}

function crdStatus({ spec }: CustomResourceDefinition, before: CustomResourceDefinitionStatus | undefined, kinds: KindRegistry, now: string): CustomResourceDefinitionStatus {
  const clash = findClash(spec.group, spec.names, kinds)
  const names: CustomResourceDefinitionNames = {
    ...spec.names,
    singular: spec.names.singular ?? spec.names.kind.toLowerCase(),
    listKind: spec.names.listKind ?? `${spec.names.kind}List`,
  }
  const condition = (type: string, status: 'True' | 'False', reason: string, message: string) => {
    const present = before?.conditions?.find((other) => other.type === type)
    return present?.status === status ? { ...present, reason, message } : { type, status, reason, message, lastTransitionTime: now }
  }
  const accepted = clash === undefined
  const conditions = [
    accepted ? condition('NamesAccepted', 'True', 'NoConflicts', 'no conflicts found') : condition('NamesAccepted', 'False', 'NameConflict', clash),
    accepted
      ? condition('Established', 'True', 'InitialNamesAccepted', 'the initial names have been accepted')
      : condition('Established', 'False', 'NotAccepted', 'not all names are accepted'),
    ...(before?.conditions ?? []).filter(({ type }) => type !== 'NamesAccepted' && type !== 'Established'),
  ]
  const stored = new Set([...(before?.storedVersions ?? []), ...spec.versions.filter(({ storage }) => storage).map(({ name }) => name)])
  return { conditions, acceptedNames: accepted ? names : (before?.acceptedNames ?? { plural: '', kind: '' }), storedVersions: [...stored] }
}

function findClash(group: string, { plural, kind, shortNames = [] }: CustomResourceDefinitionNames, kinds: KindRegistry): string | undefined {
  const own = `${group}/${plural}`
  for (const other of kinds.all()) {
    if (other.type.group !== group || other.storage === own) continue
    if (other.type.kind === kind) return `${JSON.stringify(kind)} is already in use`
    const taken = shortNames.find((name) => other.shortNames.includes(name) || other.type.plural === name)
    if (taken) return `${JSON.stringify(taken)} is already in use`
  }
  return undefined
}

/** May objects of the CRD be served? */
export const isEstablished = ({ status }: CustomResourceDefinition): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True') ?? false
