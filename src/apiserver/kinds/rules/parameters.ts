import { validateQualifiedName } from '../../../api/names.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'
import { invalid, invalidFor, required, tooLong } from './problems.ts'

const MOST_KEYS = 512
const MOST_BYTES = 256 * 1024

/** Parameters of a class: only its driver understands them, so only their size is checked. */
export function parameterProblems(
  field: string,
  parameters: Readonly<Record<string, string | undefined>> | undefined,
): FieldProblem[] {
  const entries = Object.entries(parameters ?? {})
  if (entries.length > MOST_KEYS) return [tooLong(field, MOST_KEYS)]
  const problems = entries.filter(([key]) => key === '').map(([key]) => invalid(field, key, 'field can not be empty.'))
  if (bytesOf(entries) > MOST_BYTES) problems.push(tooLong(field, MOST_BYTES))
  return problems
}

/** The bytes of all keys and values of a map. */
export const bytesOf = (entries: readonly (readonly [string, string | undefined])[]): number =>
  entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value ?? ''), 0)

/** The driver or provisioner of a class: a qualified name in any case. */
export const provisionerProblems = (field: string, name: string | undefined): FieldProblem[] =>
  name ? invalidFor(field, name.toLowerCase(), validateQualifiedName(name.toLowerCase())) : [required(field)]
