import { isEqualJson } from '../../api/equal-json.ts'
import { validateConfigMapKey } from '../../api/names.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import type { ConfigMap } from '../../api/kinds/config-map.ts'
import { AGE, NAME, text } from './columns.ts'
import { kindTable } from './define-kind.ts'
import { ownValue } from './rules/own-value.ts'
import { forbidden, invalid, invalidFor, tooLong } from './rules/problems.ts'
import { decodedBytes, MOST_DATA_BYTES } from './secret.ts'

const FROZEN = 'field is immutable when `immutable` is set'

export const CONFIG_MAP_KIND = kindTable<ConfigMap>({
  type: CONFIG_MAPS,
  shortNames: ['cm'],
  columns: [NAME, text('Data', ({ data, binaryData }) => Object.keys(data ?? {}).length + Object.keys(binaryData ?? {}).length), AGE],

  validate({ data = {}, binaryData = {} }) {
    const bytes =
      Object.values(data).reduce<number>((sum, value = '') => sum + Buffer.byteLength(value), 0) +
      Object.values(binaryData).reduce<number>((sum, value = '') => sum + decodedBytes(value), 0)
    return [
      ...Object.keys(data).flatMap((key) => [
        ...invalidFor(`data[${key}]`, key, validateConfigMapKey(key)),
        ...(ownValue(binaryData, key) === undefined ? [] : [invalid(`data[${key}]`, key, 'duplicate of key present in binaryData')]),
      ]),
      ...Object.keys(binaryData).flatMap((key) => invalidFor(`binaryData[${key}]`, key, validateConfigMapKey(key))),
      // It is the object as a whole that is too large.
      ...(bytes > MOST_DATA_BYTES ? [tooLong('', MOST_DATA_BYTES)] : []),
    ]
  },

  validateUpdate(object, old) {
    if (!old.immutable) return []
    return [
      ...(object.immutable ? [] : [forbidden('immutable', FROZEN)]),
      ...(isEqualJson(object.data ?? {}, old.data ?? {}) ? [] : [forbidden('data', FROZEN)]),
      ...(isEqualJson(object.binaryData ?? {}, old.binaryData ?? {}) ? [] : [forbidden('binaryData', FROZEN)]),
    ]
  },
})
