import { validateName } from '../../api/names.ts'
import { CSI_STORAGE_CAPACITIES } from '../../api/kinds/csi-storage-capacity.ts'
import type { CSIStorageCapacity } from '../../api/kinds/csi-storage-capacity.ts'
import { NAME, text } from './columns.ts'
import { kindTable } from './define-kind.ts'
import { nodeLabelSelectorWarnings } from './rules/deprecated-labels.ts'
import { immutable, invalidFor } from './rules/problems.ts'
import { nonNegativeQuantity } from './rules/quantities.ts'
import { labelSelectorProblems } from './rules/selectors.ts'

export const CSI_STORAGE_CAPACITY_KIND = kindTable<CSIStorageCapacity>({
  type: CSI_STORAGE_CAPACITIES,
  unconditionalUpdate: false,
  columns: [
    NAME,
    text('StorageClassName', ({ storageClassName }) => storageClassName ?? ''),
    text('Capacity', ({ capacity }) => capacity ?? '<unset>'),
  ],

  validate({ nodeTopology, storageClassName = '', capacity }) {
    return [
      ...labelSelectorProblems('nodeTopology', nodeTopology),
      ...invalidFor('storageClassName', storageClassName, validateName('subdomain', storageClassName)),
      ...(capacity === undefined ? [] : nonNegativeQuantity('capacity', capacity)),
    ]
  },

  // The parameters of the driver call are immutable; its result changes.
  validateUpdate(object, old) {
    return [
      ...immutable('nodeTopology', object.nodeTopology, old.nodeTopology),
      ...immutable('storageClassName', object.storageClassName, old.storageClassName),
    ]
  },

  warnings: ({ nodeTopology }) => nodeLabelSelectorWarnings('nodeTopology', nodeTopology),
})
