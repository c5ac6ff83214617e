import { createHash, timingSafeEqual } from 'node:crypto'
import type { User } from '../core/user.ts'

export interface StaticTokens {
  find(token: string): User | undefined
}

/** An invalid token file; the message lists every invalid line. */
export class TokenFileError extends Error {
  constructor(problems: readonly string[]) {
    super(`the token file is wrong:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.name = 'TokenFileError'
  }
}

type Entry = { readonly digest: Buffer; readonly user: User }

/**
 * Parses lines of `token,user,uid` or `token,user,uid,"group1,group2"`. Tokens are stored as hashes and compared in constant time, so that timing
 * reveals nothing.
 */
export function parseStaticTokens(text: string): StaticTokens {
  const entries: Entry[] = []
  const problems: string[] = []
  for (const { line, fields, problem } of parseCsv(text)) {
    const [token = '', name = '', uid = '', groups = ''] = fields
    const digest = digestOf(token)
    if (problem !== undefined) problems.push(`line ${line}: ${problem}`)
    else if (fields.length < 3)
      problems.push(`line ${line}: has ${fields.length} columns; token, user and uid are needed`)
    else if (fields.length > 4)
      problems.push(`line ${line}: has ${fields.length} columns; put groups in quotes: "group1,group2"`)
    else if (token === '') problems.push(`line ${line}: the token is empty`)
    else if (name === '') problems.push(`line ${line}: the user is empty`)
    else if (entries.some((entry) => entry.digest.equals(digest)))
      problems.push(`line ${line}: the token stands in an earlier line too`)
    else entries.push({ digest, user: { name, ...(uid === '' ? {} : { uid }), groups: splitGroups(groups) } })
  }
  if (problems.length > 0) throw new TokenFileError(problems)
  return {
    find(token) {
      const digest = digestOf(token)
      let found: User | undefined
      for (const entry of entries) if (timingSafeEqual(entry.digest, digest)) found = entry.user
      return found
    },
  }
}

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest()

const splitGroups = (text: string): string[] =>
  text
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== '')

type Row = { readonly line: number; readonly fields: string[]; readonly problem?: string }

/** Rows of comma-separated text, each with its line number; a quoted field may contain commas and doubled quotes. Empty lines are skipped. */
function parseCsv(text: string): Row[] {
  return text
    .split(/\r?\n/)
    .map((content, index) => ({ content, line: index + 1 }))
    .filter(({ content }) => content.trim() !== '')
    .map(({ content, line }) => {
      const fields: string[] = []
      const pattern = /\s*(?:"((?:[^"]|"")*)"\s*|([^",]*))(,|$)/y
      for (let end = ','; end === ',';) {
        const [, quoted, plain = '', next] = pattern.exec(content) ?? []
        if (next === undefined) return { line, fields, problem: 'a quote is open, or stands inside a field' }
        fields.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'))
        end = next
      }
      return { line, fields }
    })
}
