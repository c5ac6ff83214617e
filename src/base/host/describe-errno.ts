import { getSystemErrorMap } from 'node:util'

const TEXTS = new Map(getSystemErrorMap().values())

/** The errno name with its meaning and, for a rename or copy, the source path: `ENOENT: no such file or directory (from /a)`. */
export function describeErrno(code: string, from?: string): string {
  const text = TEXTS.get(code)
  return `${code}${text === undefined ? '' : `: ${text}`}${from === undefined ? '' : ` (from ${from})`}`
}
