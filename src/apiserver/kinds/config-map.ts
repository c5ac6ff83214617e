import { isEqualJson } from '../../api/equal-json.ts'
import { validateConfigMapKey } from '../../api/names.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import type { ConfigMap } from '../../api/kinds/config-map.ts'
import type { FieldProblem } from '../schema/field-problem.ts'
import { AGE, NAME, text } from './columns.ts'
import { kindTable } from './define-kind.ts'
import { ownValue } from './rules/own-value.ts'
import { forbidden, invalid, invalidFor, tooLong } from './rules/problems.ts'
import { decodedBytes, MOST_DATA_BYTES } from './secret.ts'

const FROZEN = 'field is immutable when `immutable` is set'

export const CONFIG_MAP_KIND = kindTable<ConfigMap>({
  type: CONFIG_MAPS,
  shortNames: ['cm'],
  columns: [
    NAME,
    text('Data', ({ data, binaryData }) => Object.keys(data ?? {}).length + Object.keys(binaryData ?? {}).length),
    AGE,
  ],

  validate({ data = {}, binaryData = {} }) {
    const problems: FieldProblem[] = []
    let bytes = 0
    for (const key of Object.keys(data)) {
      bytes += Buffer.byteLength(data[key] ?? '')
      problems.push(...invalidFor(`data[${key}]`, key, validateConfigMapKey(key)))
      if (ownValue(binaryData, key) !== undefined)
        problems.push(invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'))
    }
    for (const key of Object.keys(binaryData)) {
      bytes += decodedBytes(binaryData[key] ?? '')
      problems.push(...invalidFor(`binaryData[${key}]`, key, validateConfigMapKey(key)))
    }
    // The object as a whole is too large.
    if (bytes > MOST_DATA_BYTES) problems.push(tooLong('', MOST_DATA_BYTES))
    return problems
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
