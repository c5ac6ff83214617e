import { isEqualJson } from '../../api/equal-json.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../../api/kinds/volume-attributes-class.ts'
import type { VolumeAttributesClass } from '../../api/kinds/volume-attributes-class.ts'
import { apiVersionOf } from '../../api/resource-type.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { FieldProblem } from '../core/kind-definition.ts'
import { AGE, NAME, text } from './columns.ts'
import { kindTable } from './define-kind.ts'
import type { KindTable } from './define-kind.ts'
import type { Loose } from './loose.ts'
import { parameterProblems, provisionerProblems } from './rules/parameters.ts'
import { forbidden, required } from './rules/problems.ts'
import { storageOf } from '../core/stored-object.ts'

type Parts = Pick<Loose<VolumeAttributesClass>, 'driverName' | 'parameters'>

const updateProblems = (object: Parts, old: Parts): FieldProblem[] => [
  ...(object.driverName === old.driverName ? [] : [forbidden('driverName', 'updates to driverName are forbidden.')]),
  ...(isEqualJson(object.parameters, old.parameters)
    ? []
    : [forbidden('parameters', 'updates to parameters are forbidden.')]),
]

const tableFor = (type: ResourceType<VolumeAttributesClass>): KindTable =>
  kindTable<VolumeAttributesClass>({
    type,
    shortNames: ['vac'],
    storage: storageOf(VOLUME_ATTRIBUTES_CLASSES),
    storedApiVersion: apiVersionOf(VOLUME_ATTRIBUTES_CLASSES),
    deleteAnswer: 'object',
    columns: [NAME, text('DriverName', ({ driverName }) => driverName ?? ''), AGE],

    validate({ driverName, parameters }, old) {
      const none =
        Object.keys(parameters ?? {}).length === 0
          ? [required('parameters', 'must contain at least one key/value pair')]
          : []
      return [
        ...(old ? updateProblems({ driverName, parameters }, old) : []),
        ...provisionerProblems('driverName', driverName),
        ...parameterProblems('parameters', parameters),
        ...none,
      ]
    },
  })

export const VOLUME_ATTRIBUTES_CLASS_KIND: KindTable = tableFor(VOLUME_ATTRIBUTES_CLASSES)

/** The same objects in the version of clients before 1.34. */
export const VOLUME_ATTRIBUTES_CLASS_V1BETA1_KIND: KindTable = tableFor({
  ...VOLUME_ATTRIBUTES_CLASSES,
  version: 'v1beta1',
})
