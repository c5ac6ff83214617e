// A Unicode class has hundreds of ranges, each of which is processed by the compiler.
const UNICODE_CLASS = 30
const UNICODE_COPY = 4
const REPEAT = /\{(\d{1,9})(?:,(\d{0,9}))?\}/y
const CLASS = /\[\^?\]?(?:\[:\^?\w*:\]|\\[^]|[^\]\\])*\]?/y
const ESCAPE = /\\(?:[pP](?:\{[^}]{0,100}\}?|[^]?)|x\{[^}]{0,100}\}?|[^]?)/y
const UNICODE_ESCAPE = /\\[pP]/g
const GROUP = /\((?:\?(?:P?<[^>]{0,100}>|[imsU-]{0,10}[:)]))?/y

/**
 * Estimates the number of instructions of an expression without compiling it. `a{1000}` has a thousand, although it is short. Nested groups weigh
 * more, because the compiler processes them repeatedly.
 */
export function weighPattern(source: string): number {
  const groups: Group[] = []
  let group: Group = { weight: 0, last: 0 }
  const add = (weight: number): void => {
    group.last = weight
    group.weight += weight
  }
  for (let at = 0; at < source.length;) {
    const sign = source[at]
    const long = sign === '[' ? match(CLASS, source, at) : sign === '\\' ? match(ESCAPE, source, at) : undefined
    if (long !== undefined) {
      const classes = long.match(UNICODE_ESCAPE)?.length ?? 0
      add(1 + classes * UNICODE_COPY)
      group.weight += classes * UNICODE_CLASS
      at += long.length
      continue
    }
    const repeat = sign === '{' ? match(REPEAT, source, at) : undefined
    if (repeat !== undefined) {
      const most = Math.max(1, ...(repeat.match(/\d+/g) ?? []).map(Number))
      group.weight += group.last * (most - 1)
      group.last *= most
      at += repeat.length
      continue
    }
    const open = sign === '(' ? match(GROUP, source, at) : undefined
    if (open !== undefined) {
      at += open.length
      if (open.endsWith(')')) continue // flags for the rest of the group
      groups.push(group)
      group = { weight: 1 + groups.length / 10, last: 0 }
      continue
    }
    if (sign === ')') {
      const { weight } = group
      group = groups.pop() ?? { weight: 0, last: 0 }
      add(weight)
    } else if (sign === '*' || sign === '+' || sign === '?') group.weight += 1
    else add(1)
    at += 1
  }
  return groups.reduce((sum, { weight }) => sum + weight, group.weight)
}

type Group = { weight: number; last: number }

function match(expression: RegExp, text: string, at: number): string | undefined {
  expression.lastIndex = at
  return expression.exec(text)?.[0]
}
