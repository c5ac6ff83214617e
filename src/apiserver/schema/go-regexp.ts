const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: '\\t ',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
}

// What only engines with backtracking have: no Go server would take it.
const BACKTRACKING = /(?<!\\)(?:\\\\)*(?:\(\?(?:<?[=!])|\\[1-9]|\\k<)/

/** A regular expression in Go's syntax, or undefined when it is none. */
export function parseGoRegExp(source: string): RegExp | undefined {
  if (BACKTRACKING.test(source)) return undefined
  const [, letters = '', rest = ''] = /^(?:\(\?([ims]+)\))?([\s\S]*)$/.exec(source) ?? []
  const translated = rest
    .replaceAll(/\(\?P</g, '(?<')
    .replaceAll(/\[:(\^?)(\w+):\]/g, (whole, negated: string, name: string) => (negated === '' ? (POSIX_CLASSES[name] ?? whole) : whole))
    .replaceAll(/(\\\\)|\\A/g, (_whole, escaped?: string) => escaped ?? '(?<![\\s\\S])')
    .replaceAll(/(\\\\)|\\z/g, (_whole, escaped?: string) => escaped ?? '(?![\\s\\S])')
    .replaceAll(/(\\\\)|\\([pP])([A-Z])(?!\w)/g, (_whole, escaped?: string, letter = '', name = '') => escaped ?? `\\${letter}{${name}}`)
  return compile(translated, `${letters}u`) ?? compile(translated, letters)
}

// The Unicode mode refuses escapes without need (`\-`) that Go takes.
function compile(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags)
  } catch {
    return undefined
  }
}
