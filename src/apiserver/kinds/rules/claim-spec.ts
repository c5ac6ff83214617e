import { validateName } from '../../../api/names.ts'
import type { PersistentVolumeClaimSpec } from '../../../api/kinds/persistent-volume-claim.ts'
import type { TypedObjectReference } from '../../../api/kinds/references.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'
import type { Loose } from '../loose.ts'
import { accessModeProblems } from './access-modes.ts'
import { invalid, invalidFor, oneOf, required } from './problems.ts'
import { isFractional, positiveQuantity } from './quantities.ts'
import { labelSelectorProblems } from './selectors.ts'

type Spec = Loose<PersistentVolumeClaimSpec>

const VOLUME_MODES = ['Block', 'Filesystem']

/** The spec of a claim, on its own or as a template in a pod or a StatefulSet. */
export function claimSpecProblems(field: string, spec: Spec): FieldProblem[] {
  const { accessModes, selector, storageClassName, volumeMode, volumeAttributesClassName } = spec
  return [
    ...((accessModes ?? []).length === 0
      ? [required(`${field}.accessModes`, 'at least 1 access mode is required')]
      : []),
    ...labelSelectorProblems(`${field}.selector`, selector),
    ...accessModeProblems(`${field}.accessModes`, accessModes),
    ...requestProblems(`${field}.resources[storage]`, spec.resources?.requests?.['storage']),
    ...(storageClassName
      ? invalidFor(`${field}.storageClassName`, storageClassName, validateName('subdomain', storageClassName))
      : []),
    ...oneOf(`${field}.volumeMode`, volumeMode, VOLUME_MODES),
    ...dataSourceProblems(`${field}.dataSource`, spec.dataSource),
    ...dataSourceProblems(`${field}.dataSourceRef`, spec.dataSourceRef),
    ...agreementProblems(field, spec),
    ...(volumeAttributesClassName
      ? invalidFor(
          `${field}.volumeAttributesClassName`,
          volumeAttributesClassName,
          validateName('subdomain', volumeAttributesClassName),
        )
      : []),
  ]
}

const requestProblems = (field: string, amount: string | undefined): FieldProblem[] =>
  amount === undefined ? [required(field)] : positiveQuantity(field, amount)

function dataSourceProblems(field: string, source: Loose<TypedObjectReference> | undefined): FieldProblem[] {
  if (!source) return []
  const { name, kind = '', apiGroup, namespace } = source
  return [
    ...(name ? [] : [required(`${field}.name`)]),
    ...(kind === '' ? [required(`${field}.kind`)] : []),
    ...(!apiGroup && kind !== 'PersistentVolumeClaim'
      ? [invalid(field, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")]
      : []),
    ...(apiGroup ? invalidFor(`${field}.apiGroup`, apiGroup, validateName('subdomain', apiGroup)) : []),
    ...(namespace ? invalidFor(`${field}.namespace`, namespace, validateName('label', namespace)) : []),
  ]
}

// Upstream passes a field path instead of the value, which prints as an empty object.
function agreementProblems(field: string, { dataSource, dataSourceRef }: Spec): FieldProblem[] {
  if (!dataSource || !dataSourceRef) return []
  if (dataSourceRef.namespace)
    return [invalid(field, {}, 'may not be specified when dataSourceRef.namespace is specified')]
  const isSame =
    (dataSource.apiGroup ?? null) === (dataSourceRef.apiGroup ?? null) &&
    dataSource.kind === dataSourceRef.kind &&
    dataSource.name === dataSourceRef.name
  return isSame ? [] : [invalid(field, {}, 'must match dataSourceRef')]
}

/** Rejects fractions of a byte. */
export function claimSpecWarnings(field: string, { resources }: Spec): string[] {
  return (['requests', 'limits'] as const).flatMap((list) => {
    const amount = resources?.[list]?.['storage']
    return amount !== undefined && isFractional(amount)
      ? [
          `${field}.resources.${list}[storage]: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`,
        ]
      : []
  })
}

/** Sets the defaults of a claim spec. */
export function applyClaimSpecDefaults(spec: Spec): void {
  spec.volumeMode ??= 'Filesystem'
}
