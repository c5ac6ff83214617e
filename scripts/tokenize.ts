export type Token = {
  /** `template` is the text between the expressions of a template literal; the expressions' own tokens stand beside it. */
  kind: 'word' | 'number' | 'punctuation' | 'string' | 'template' | 'regex'
  /** Without quotes for strings and templates; escapes stay as written. */
  text: string
  line: number
}

// After these words a slash begins a regular expression; after any other word it divides.
const BEFORE_REGEX = new Set('return typeof instanceof in of new delete void throw case do else yield await'.split(' '))

/**
 * Cuts TypeScript into tokens and drops comments: enough to look for words that stand in code and not in text.
 * A regular expression right after `)`, `]` or `}` is taken for a division, as nobody here writes one there.
 */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = []
  // For each open template expression, how many braces are open inside it.
  const openTemplates: number[] = []
  let at = 0
  let line = 1

  const push = (kind: Token['kind'], text: string): void => void tokens.push({ kind, text, line })
  const skip = (text: string): void => {
    at += text.length
    line += text.split('\n').length - 1
  }
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(source)?.[0]
  }
  const readTemplate = (): void => {
    const text = match(/(?:\\[^]|\$(?!\{)|[^\\`$])*/y) ?? ''
    push('template', text)
    skip(text)
    if (source.startsWith('${', at)) {
      push('punctuation', '${')
      at += 2
      openTemplates.push(0)
    } else {
      at += 1
    }
  }

  if (source.startsWith('#!')) at = source.indexOf('\n')
  while (at < source.length) {
    const blank = match(/\s+|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/y)
    if (blank) {
      skip(blank)
      continue
    }
    const quoted = match(/'(?:\\[^]|[^'\\\n])*'?|"(?:\\[^]|[^"\\\n])*"?/y)
    if (quoted) {
      push('string', quoted.slice(1, -1))
      skip(quoted)
      continue
    }
    const word = match(/[#@]?[\p{L}_$][\p{L}\p{N}_$]*/uy)
    if (word) {
      push('word', word)
      at += word.length
      continue
    }
    const number = match(/\.?\d[\w.]*/y)
    if (number) {
      push('number', number)
      at += number.length
      continue
    }
    const regex = mayBeginRegex(tokens.at(-1))
      ? match(/\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y)
      : undefined
    if (regex) {
      push('regex', regex)
      at += regex.length
      continue
    }
    const character = source[at] ?? ''
    if (character === '`') {
      at += 1
      readTemplate()
      continue
    }
    const depth = openTemplates.at(-1)
    if (depth !== undefined && (character === '{' || character === '}')) {
      if (character === '}' && depth === 0) {
        push('punctuation', '}')
        openTemplates.pop()
        at += 1
        readTemplate()
        continue
      }
      openTemplates[openTemplates.length - 1] = depth + (character === '{' ? 1 : -1)
    }
    const punctuation = character === '?' && source.startsWith('?.', at) ? '?.' : character
    push('punctuation', punctuation)
    at += punctuation.length
  }
  return tokens
}

function mayBeginRegex(before: Token | undefined): boolean {
  if (before === undefined) return true
  if (before.kind === 'word') return BEFORE_REGEX.has(before.text)
  return before.kind === 'punctuation' && ![')', ']', '}'].includes(before.text)
}
