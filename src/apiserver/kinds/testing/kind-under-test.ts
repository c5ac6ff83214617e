import type { Draft, KindDefinition } from '../../core/kind-definition.ts'
import { formatProblem } from '../../core/refusals.ts'
import { normalize } from '../../schema/normalize.ts'
import { builtInKinds } from '../built-in-kinds.ts'

/** A creation time for objects, and a later time to read them. */
export const CREATED = '2030-01-01T00:00:00Z'
export const LATER_MS = Date.parse('2030-01-01T00:03:20Z')

const KINDS = builtInKinds()

/** A kind as the server sees it, with the steps of a write in the server's order. */
export type KindUnderTest = {
  readonly definition: KindDefinition
  /** The object as it would be stored. */
  create(object: object): Draft
  /** The problems of a new object, as text. */
  problems(object: object): string[]
  /** The problems of changing one stored object into another. */
  updateProblems(old: object, change: object): string[]
  statusProblems(old: object, change: object): string[]
  warnings(object: object): string[]
  /** A row of `kubectl get -o wide`, by header. */
  row(object: object): Record<string, unknown>
}

export function kindUnderTest(kind: string, apiVersion?: string): KindUnderTest {
  const definition = KINDS.find(
    ({ type }) => type.kind === kind && (apiVersion === undefined || apiVersion === `${type.group}/${type.version}`),
  )
  if (!definition) throw new Error(`there is no kind ${kind}`)

  const decode = (object: object): Draft => {
    const given = { metadata: {}, ...object }
    const { value, unknownFields, problems } = normalize(definition.schema, given)
    if (unknownFields.length > 0 || problems.length > 0)
      throw new Error(`the test's own ${kind} is wrong: ${[...unknownFields, ...problems].join(', ')}`)
    return value as Draft
  }
  const create = (object: object): Draft => {
    const draft = decode(object)
    definition.applyDefaults?.(draft)
    const metadata = (draft['metadata'] ??= {}) as Draft
    metadata['creationTimestamp'] = CREATED
    definition.prepareForCreate?.(draft, Date.parse(CREATED))
    return draft
  }
  const stored = (object: object): Draft => {
    const draft = create(object)
    ;(draft['metadata'] as Draft)['resourceVersion'] = '1'
    if (definition.hasStatus && 'status' in object)
      draft['status'] = { ...(draft['status'] as object), ...(decode(object)['status'] as object) }
    return draft
  }
  const texts = (problems: Parameters<typeof formatProblem>[0][] = []): string[] => problems.map(formatProblem)

  return {
    definition,
    create,
    problems: (object) => texts(definition.validate?.(create(object))),
    updateProblems(old, change) {
      const before = stored(old)
      const draft = decode(change)
      ;(draft['metadata'] as Draft)['resourceVersion'] = '1'
      if (definition.hasStatus) draft['status'] = before['status']
      definition.applyDefaults?.(draft)
      definition.prepareForUpdate?.(draft, before, LATER_MS)
      return texts([
        ...(definition.validate?.(draft, before) ?? []),
        ...(definition.validateUpdate?.(draft, before) ?? []),
      ])
    },
    statusProblems(old, change) {
      const before = stored(old)
      const draft = { ...before, status: decode(change)['status'] }
      definition.applyDefaults?.(draft)
      definition.prepareForStatusUpdate?.(draft, before, LATER_MS)
      return texts(definition.validateStatusUpdate?.(draft, before))
    },
    warnings: (object) => definition.warnings?.(create(object)) ?? [],
    row(object) {
      const draft = stored(object)
      return Object.fromEntries(definition.columns.map(({ name, cell }) => [name, cell(draft, LATER_MS)]))
    },
  }
}
