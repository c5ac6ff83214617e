import { getSystemErrorMap } from 'node:util'

const TEXTS = new Map(getSystemErrorMap().values())

/** An errno name with what it means, and where it came `from` in a rename or copy: `ENOENT: no such file or directory (from /a)`. */
export function describeErrno(code: string, from?: string): string {
  const text = TEXTS.get(code)
  return `${code}${text === undefined ? '' : `: ${text}`}${from === undefined ? '' : ` (from ${from})`}`
}
