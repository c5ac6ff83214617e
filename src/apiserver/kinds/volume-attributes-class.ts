import { isEqualJson } from '../../api/equal-json.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../../api/kinds/volume-attributes-class.ts'
import type { VolumeAttributesClass } from '../../api/kinds/volume-attributes-class.ts'
import { apiVersionOf } from '../../api/resource-type.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { AGE, NAME, text } from './columns.ts'
import { kindTable } from './define-kind.ts'
import type { KindTable } from './define-kind.ts'
import { parameterProblems, provisionerProblems } from './rules/parameters.ts'
import { forbidden, required } from './rules/problems.ts'
import { storageOf } from '../core/stored-object.ts'

const tableFor = (type: ResourceType<VolumeAttributesClass>): KindTable =>
  kindTable<VolumeAttributesClass>({
    type,
    shortNames: ['vac'],
    storage: storageOf(VOLUME_ATTRIBUTES_CLASSES),
    storedApiVersion: apiVersionOf(VOLUME_ATTRIBUTES_CLASSES),
    deleteAnswer: 'object',
    columns: [NAME, text('DriverName', ({ driverName }) => driverName ?? ''), AGE],

    validate({ driverName, parameters }) {
      const none =
        Object.keys(parameters ?? {}).length === 0
          ? [required('parameters', 'must contain at least one key/value pair')]
          : []
      return [...provisionerProblems('driverName', driverName), ...parameterProblems('parameters', parameters), ...none]
    },

    validateUpdate(object, old) {
      return [
        ...(object.driverName === old.driverName
          ? []
          : [forbidden('driverName', 'updates to driverName are forbidden.')]),
        ...(isEqualJson(object.parameters, old.parameters)
          ? []
          : [forbidden('parameters', 'updates to parameters are forbidden.')]),
      ]
    },
  })

export const VOLUME_ATTRIBUTES_CLASS_KIND: KindTable = tableFor(VOLUME_ATTRIBUTES_CLASSES)

/** The same objects in the version of clients before 1.34. */
export const VOLUME_ATTRIBUTES_CLASS_V1BETA1_KIND: KindTable = tableFor({
  ...VOLUME_ATTRIBUTES_CLASSES,
  version: 'v1beta1',
})
