/** Reads a value by a simple JSON path; undefined if there is none. */
export type JsonPath = (object: unknown) => unknown

type Step =
  | { kind: 'member'; name: string }
  | { kind: 'index'; index: number }
  | { kind: 'filter'; member: string; value: string }
  | { kind: 'all' }

const STEP =
  /^(?:\.((?:[^.[\]\\]|\\.)+)|\['((?:[^'\\]|\\.)*)'\]|\[(\d+)\]|\[\?\(@\.([\w.-]+)\s*==\s*["']([^"']*)["']\)\]|\[(\*)\])/

/**
 * The paths in printer columns and selectable fields: members (`.spec.x`, with `\.` for a dot), indexes (`[0]`), `[*]`, and `[?(@.type=="Ready")]`.
 * Undefined for any other path.
 */
export function parseJsonPath(path: string): JsonPath | undefined {
  const steps: Step[] = []
  let rest = path.startsWith('$') ? path.slice(1) : path
  if (rest !== '' && !/^[.[]/.test(rest)) rest = `.${rest}`
  while (rest !== '') {
    const match = STEP.exec(rest)
    if (!match) return undefined
    const [whole, dotted, quoted, index, member, value, all] = match
    const name = dotted ?? quoted
    if (name !== undefined) steps.push({ kind: 'member', name: name.replaceAll(/\\(.)/g, '$1') })
    else if (index !== undefined) steps.push({ kind: 'index', index: Number(index) })
    else if (member !== undefined) steps.push({ kind: 'filter', member, value: value ?? '' })
    else if (all !== undefined) steps.push({ kind: 'all' })
    rest = rest.slice(whole.length)
  }
  return (object) => read([object], steps)[0]
}

function read(values: readonly unknown[], steps: readonly Step[]): readonly unknown[] {
  let current = values
  for (const step of steps) current = current.flatMap((value) => take(value, step))
  return current
}

function take(value: unknown, step: Step): unknown[] {
  if (value === null || typeof value !== 'object') return []
  switch (step.kind) {
    case 'member':
      return Object.hasOwn(value, step.name) ? [(value as Record<string, unknown>)[step.name]] : []
    case 'index':
      return Array.isArray(value) && step.index < value.length ? [value[step.index]] : []
    case 'all':
      return Object.values(value)
    case 'filter':
      return Array.isArray(value)
        ? value.filter((item) =>
            take(item, { kind: 'member', name: step.member }).some((member) => formatScalar(member) === step.value),
          )
        : []
  }
}

/** Strings, numbers and booleans as text; empty for anything else. */
export const formatScalar = (value: unknown): string =>
  ['string', 'number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : ''
