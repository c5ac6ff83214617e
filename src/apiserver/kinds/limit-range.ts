import { validateQualifiedName } from '../../api/names.ts'
import { compareQuantities } from '../../api/quantity.ts'
import { LIMIT_RANGES } from '../../api/kinds/limit-range.ts'
import type { LimitRange, LimitRangeItem } from '../../api/kinds/limit-range.ts'
import type { FieldProblem } from '../core/kind-definition.ts'
import { CREATED_AT, NAME } from './columns.ts'
import { kindTable } from './define-kind.ts'
import type { Loose } from './loose.ts'
import { duplicate, forbidden, invalid, invalidFor, required } from './rules/problems.ts'

type Item = Loose<LimitRangeItem>
type Amounts = Record<string, string>

const TYPES = ['Pod', 'Container', 'PersistentVolumeClaim']

export const LIMIT_RANGE_KIND = kindTable<LimitRange>({
  type: LIMIT_RANGES,
  shortNames: ['limits'],
  createOnUpdate: true,
  columns: [NAME, CREATED_AT],

  applyDefaults({ spec }) {
    for (const item of spec?.limits ?? []) {
      if (item.type !== 'Container') continue
      const { max = {}, min = {} } = item as { max?: Amounts; min?: Amounts }
      // An unset default limit is the maximum; an unset default request is the default limit, then the minimum.
      item.default = { ...max, ...(item.default as Amounts | undefined) }
      item.defaultRequest = { ...min, ...item.default, ...(item.defaultRequest as Amounts | undefined) }
    }
  },

  validate({ spec }) {
    const items = spec?.limits ?? []
    return items.flatMap((item, index) => {
      const at = `spec.limits[${index}]`
      const isRepeated = items.findIndex(({ type }) => type === item.type) < index
      return [
        ...typeProblems(`${at}.type`, item.type ?? ''),
        ...(isRepeated ? [duplicate(`${at}.type`, item.type)] : []),
        ...unsuitableFields(at, item),
        ...orderProblems(at, item),
      ]
    })
  },
})

function typeProblems(field: string, type: string): FieldProblem[] {
  const problems = invalidFor(field, type, validateQualifiedName(type))
  if (problems.length > 0 || type.includes('/') || TYPES.includes(type)) return problems
  return [invalid(field, type, 'must be a standard limit type or fully qualified')]
}

function unsuitableFields(at: string, item: Item): FieldProblem[] {
  const isSet = (member: 'default' | 'defaultRequest'): boolean => Object.keys(item[member] ?? {}).length > 0
  if (item.type === 'Pod')
    return (['default', 'defaultRequest'] as const)
      .filter(isSet)
      .map((member) => forbidden(`${at}.${member}`, "may not be specified when `type` is 'Pod'"))
  if (item.type !== 'PersistentVolumeClaim' || item.min?.['storage'] || item.max?.['storage']) return []
  return [required(`${at}.limits`, 'either minimum or maximum storage value is required, but neither was provided')]
}

// Each pair: the lower one, the higher one, the field and value that are reported, and how the two are called.
const ORDERED = [
  ['min', 'max', 'min', 'min', 'min', 'max'],
  ['min', 'defaultRequest', 'defaultRequest', 'defaultRequest', 'min', 'default request'],
  ['defaultRequest', 'max', 'defaultRequest', 'defaultRequest', 'default request', 'max'],
  ['defaultRequest', 'default', 'defaultRequest', 'defaultRequest', 'default request', 'default limit'],
  ['min', 'default', 'default', 'min', 'min', 'default'],
  ['default', 'max', 'default', 'max', 'default', 'max'],
] as const

function orderProblems(at: string, item: Item): FieldProblem[] {
  const amounts = item as Partial<Record<(typeof ORDERED)[number][0] | 'max', Amounts>>
  const names = new Set(
    ['min', 'max', 'default', 'defaultRequest'].flatMap((of) => Object.keys(amounts[of as 'min'] ?? {})),
  )
  const ratios = Object.entries((item.maxLimitRequestRatio ?? {}) as Amounts)
  return [
    ...[...names].flatMap((name) =>
      ORDERED.flatMap(([low, high, field, value, lowName, highName]) => {
        const [less, more] = [amounts[low]?.[name], amounts[high]?.[name]]
        if (less === undefined || more === undefined || compareQuantities(less, more) <= 0) return []
        return [
          invalid(
            `${at}.${field}[${name}]`,
            amounts[value]?.[name],
            `${lowName} value ${less} is greater than ${highName} value ${more}`,
          ),
        ]
      }),
    ),
    ...ratios.flatMap(([name, ratio]) =>
      compareQuantities(ratio, '1') < 0
        ? [invalid(`${at}.maxLimitRequestRatio[${name}]`, ratio, `ratio ${ratio} is less than 1`)]
        : [],
    ),
  ]
}
