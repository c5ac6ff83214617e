import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import { isDefaultClass } from '../../storage/default-class.ts'
import { AGE, NAME, text } from './columns.ts'
import { kindTable } from './define-kind.ts'
import { findLabelWarning } from './rules/deprecated-labels.ts'
import { parameterProblems, provisionerProblems } from './rules/parameters.ts'
import { immutable, oneOf, required } from './rules/problems.ts'
import { topologyTermProblems } from './rules/topology-terms.ts'

const RECLAIM_POLICIES = ['Delete', 'Retain']
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer']

export const STORAGE_CLASS_KIND = kindTable<StorageClass>({
  type: STORAGE_CLASSES,
  shortNames: ['sc'],
  deleteAnswer: 'object',
  columns: [
    {
      ...NAME,
      cell: (object) => `${object.metadata?.name ?? ''}${isDefaultClass(object as StorageClass) ? ' (default)' : ''}`,
    },
    text('Provisioner', ({ provisioner }) => provisioner ?? ''),
    text('ReclaimPolicy', ({ reclaimPolicy }) => reclaimPolicy ?? 'Delete'),
    text('VolumeBindingMode', ({ volumeBindingMode }) => volumeBindingMode ?? 'Immediate'),
    text('AllowVolumeExpansion', ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false),
    AGE,
  ],

  applyDefaults(object) {
    object.reclaimPolicy ??= 'Delete'
    object.volumeBindingMode ??= 'Immediate'
  },

  validate({ provisioner, parameters, reclaimPolicy, volumeBindingMode, allowedTopologies }) {
    return [
      ...provisionerProblems('provisioner', provisioner),
      ...parameterProblems('parameters', parameters),
      // An empty policy passes, as in Kubernetes.
      ...oneOf('reclaimPolicy', reclaimPolicy || undefined, RECLAIM_POLICIES),
      ...(volumeBindingMode === undefined
        ? [required('volumeBindingMode')]
        : oneOf('volumeBindingMode', volumeBindingMode, BINDING_MODES)),
      ...topologyTermProblems('allowedTopologies', allowedTopologies),
    ]
  },

  validateUpdate(object, old) {
    return [
      ...immutable('parameters', object.parameters, old.parameters),
      ...immutable('provisioner', object.provisioner, old.provisioner),
      ...immutable('reclaimPolicy', object.reclaimPolicy, old.reclaimPolicy),
      ...immutable('volumeBindingMode', object.volumeBindingMode, old.volumeBindingMode),
    ]
  },

  warnings({ allowedTopologies }) {
    return (allowedTopologies ?? []).flatMap(({ matchLabelExpressions }, index) =>
      (matchLabelExpressions ?? []).flatMap(({ key }, position) => {
        const warning = findLabelWarning(key)
        return warning === undefined
          ? []
          : [`allowedTopologies[${index}].matchLabelExpressions[${position}].key: ${warning}`]
      }),
    )
  },
})
