import type { FieldProblem } from '../../core/kind-definition.ts'
import { CelError } from '../../schema/cel/cel-error.ts'
import { compileCel } from '../../schema/cel/compile-cel.ts'
import { parseCel } from '../../schema/cel/parse-cel.ts'
import { invalid, required } from './problems.ts'

/** The names in the expressions of admission: of webhooks, and in addition those of policies. */
export const WEBHOOK_NAMES = ['object', 'oldObject', 'request'] as const
export const POLICY_NAMES = [...WEBHOOK_NAMES, 'params', 'namespaceObject', 'variables'] as const

/** The problem of an expression that does not compile. An absent expression is reported with `whenAbsent`. */
export function expressionProblems(
  field: string,
  expression: string | undefined,
  { names, whenAbsent }: { names: readonly string[]; whenAbsent: string },
): FieldProblem[] {
  const text = (expression ?? '').trim()
  if (text === '') return [required(field, whenAbsent)]
  try {
    compileCel(parseCel(text), names)
    return []
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    return [invalid(field, expression, `compilation failed: ${error.message}`)]
  }
}
