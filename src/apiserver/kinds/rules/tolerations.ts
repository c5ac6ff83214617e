import { validateLabelValue, validateQualifiedName } from '../../../api/names.ts'
import type { Toleration } from '../../../api/kinds/pod.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'
import type { Loose } from '../loose.ts'
import { invalid, invalidFor, notSupported } from './problems.ts'

export const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

export function tolerationProblems(
  field: string,
  tolerations: readonly Loose<Toleration>[] | undefined,
): FieldProblem[] {
  return (tolerations ?? []).flatMap((toleration, index) => {
    const at = `${field}[${index}]`
    const { key = '', operator = '', effect = '', tolerationSeconds } = toleration
    const all = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
    return [
      ...(key === '' ? [] : invalidFor(`${at}.key`, key, validateQualifiedName(key))),
      ...(key === '' && operator !== 'Exists' ? [invalid(`${at}.operator`, operator, all)] : []),
      ...(tolerationSeconds !== undefined && effect !== 'NoExecute'
        ? [invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")]
        : []),
      ...valueProblems(`${at}.operator`, toleration),
      ...(effect === '' || TAINT_EFFECTS.includes(effect) ? [] : [notSupported(`${at}.effect`, effect, TAINT_EFFECTS)]),
    ]
  })
}

function valueProblems(field: string, { operator, value = '' }: Loose<Toleration>): FieldProblem[] {
  switch (operator) {
    case undefined:
    case 'Equal': {
      const details = validateLabelValue(value)
      return details.length === 0 ? [] : [invalid(field, value, details.join(';'))]
    }
    case 'Exists':
      return value === '' ? [] : [invalid(field, value, "value must be empty when `operator` is 'Exists'")]
    case 'Lt':
    case 'Gt':
      return [notSupported(field, operator, ['Equal', 'Exists', 'Lt', 'Gt'])]
    default:
      return [notSupported(field, operator, ['Equal', 'Exists'])]
  }
}
