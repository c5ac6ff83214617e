import { CelError } from '../schema/cel/cel-error.ts'
import { compileCel } from '../schema/cel/compile-cel.ts'
import type { CelProgram } from '../schema/cel/compile-cel.ts'
import { parseCel } from '../schema/cel/parse-cel.ts'
import { CostExceededError, CostMeter } from '../schema/cost-meter.ts'
import { OBJECT_BUDGET } from '../schema/cost-budgets.ts'
import type { DecodedKind } from '../core/decode-object.ts'
import type { Draft, KindDefinition } from '../core/kind-definition.ts'
import type { AdmissionRequest } from './admission.ts'

export type Result =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'error'; readonly why: string }

/** Compiled expressions, by their text and the names in it. Configurations change rarely, so that each is compiled once. */
export function createExpressions(names: readonly string[]): {
  evaluate(text: string, values: readonly unknown[], meter: CostMeter): Result
} {
  const programs = new Map<string, CelProgram | string>()
  const compile = (text: string): CelProgram | string => {
    try {
      return compileCel(parseCel(text), names)
    } catch (error) {
      if (error instanceof CelError) return `compilation failed: ${error.message}`
      throw error
    }
  }
  return {
    evaluate(text, values, meter) {
      let program = programs.get(text)
      if (program === undefined) {
        if (programs.size >= MOST_PROGRAMS) programs.clear()
        programs.set(text, (program = compile(text)))
      }
      if (typeof program === 'string') return { kind: 'error', why: program }
      try {
        return { kind: 'value', value: program.evaluate(values, meter) }
      } catch (error) {
        if (error instanceof CelError || error instanceof CostExceededError)
          return { kind: 'error', why: error.message }
        throw error
      }
    },
  }
}

const MOST_PROGRAMS = 1_000

/** The budget of all expressions for one request. */
export const createMeter = (): CostMeter => new CostMeter(OBJECT_BUDGET)

/** `request` in an expression, and the request of an AdmissionReview. */
export function describeRequest(request: AdmissionRequest, kind: KindDefinition): Draft {
  const { user, namespace, name, operation, subresource, shownKind, dryRun } = request
  const kindOf = ({ type }: DecodedKind): Draft => ({ group: type.group, version: type.version, kind: type.kind })
  const resourceOf = ({ type }: KindDefinition): Draft => ({
    group: type.group,
    version: type.version,
    resource: type.plural,
  })
  return {
    kind: kindOf(shownKind ?? kind),
    resource: resourceOf(kind),
    ...(subresource && { subResource: subresource }),
    requestKind: kindOf(shownKind ?? request.kind),
    requestResource: resourceOf(request.kind),
    ...(subresource && { requestSubResource: subresource }),
    ...(name && { name }),
    ...(namespace && { namespace }),
    operation,
    userInfo: {
      username: user.name,
      ...(user.uid && { uid: user.uid }),
      groups: [...user.groups],
      ...(user.extra && { extra: user.extra }),
    },
    dryRun,
    options: {
      kind: { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' }[operation],
      apiVersion: 'meta.k8s.io/v1',
      ...(dryRun && { dryRun: ['All'] }),
    },
  }
}
