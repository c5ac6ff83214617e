import type { EquivalentMutant } from './equivalent-mutants.ts'

export type Survivor = {
  readonly line: number
  /** The lines that the mutant changes. */
  readonly original: string
  readonly mutated: string
  /** The whole file with the change. */
  readonly text: string
}

export type FileResult = {
  readonly file: string
  /** The whole file without any change. */
  readonly text: string
  readonly mutants: number
  readonly survivors: readonly Survivor[]
}

export type FileSummary = {
  readonly file: string
  readonly mutants: number
  /** Noticed by a test. */
  readonly killed: number
  readonly equivalent: number
  /** Neither noticed nor equivalent. */
  readonly survivors: readonly Survivor[]
  /** Listed as equivalent, but no such mutant survives. */
  readonly outdated: readonly EquivalentMutant[]
  /** Share of all mutants that tests notice, in percent. */
  readonly score: number
  /** The same with equivalent mutants counted as killed. */
  readonly adjustedScore: number
}

export function summarize(result: FileResult, list: readonly EquivalentMutant[]): FileSummary {
  const { file, mutants, survivors } = result
  const listed = list.filter((item) => item.file === file)
  const describes = createMatcher(result.text)
  const isListed = (survivor: Survivor): boolean => listed.some((item) => describes(item, survivor))
  const equivalent = survivors.filter(isListed).length
  const killed = mutants - survivors.length
  return {
    file,
    mutants,
    killed,
    equivalent,
    survivors: survivors.filter((survivor) => !isListed(survivor)),
    outdated: listed.filter((item) => !survivors.some((survivor) => describes(item, survivor))),
    score: percent(killed, mutants),
    adjustedScore: percent(killed + equivalent, mutants),
  }
}

/**
 * Whether an entry describes a mutant. The formatter may break its lines differently by now, so white space does not count, and the entry may be
 * more or fewer lines than those changed: then its code has to be new in the file.
 */
function createMatcher(original: string): (item: EquivalentMutant, survivor: Survivor) => boolean {
  const before = unformatted(original)
  return (item, { mutated, text }) => {
    const code = unformatted(item.mutated)
    return code === unformatted(mutated) || count(code, unformatted(text)) > count(code, before)
  }
}

const unformatted = (code: string): string => code.replaceAll(/\s/g, '').replaceAll(/,(?=[)\]}])/g, '')
const count = (part: string, whole: string): number => whole.split(part).length - 1

const percent = (part: number, whole: number): number => (whole === 0 ? 100 : (100 * part) / whole)

export function formatSummary({
  file,
  mutants,
  killed,
  equivalent,
  survivors,
  outdated,
  score,
  adjustedScore,
}: FileSummary): string {
  const indent = (text: string, sign: string): string =>
    text
      .split('\n')
      .map((line) => `      ${sign} ${line}\n`)
      .join('')
  return [
    `${file}: ${mutants} mutants, ${killed} killed, ${equivalent} equivalent, ${survivors.length} survived: ${score.toFixed(1)} %, adjusted ${adjustedScore.toFixed(1)} %\n`,
    ...survivors.map(
      ({ line, original, mutated }) => `  line ${line} survived\n${indent(original, '-')}${indent(mutated, '+')}`,
    ),
    ...outdated.map(({ mutated }) => `  listed as equivalent, but no such mutant survives\n${indent(mutated, '+')}`),
  ].join('')
}

const HEAD = ['| File | Mutants | Killed | Equivalent | Survived | Adjusted score |', '|---|---|---|---|---|---|']
const TABLE = /(<!-- table -->\n)([^]*)(<!-- end of table -->)/

/** The page with the row of this file put in or replaced; rows are sorted by file. */
export function replaceRow(
  page: string,
  { file, mutants, killed, equivalent, survivors, adjustedScore }: FileSummary,
): string {
  const rows = TABLE.exec(page)?.[2]
    ?.split('\n')
    .filter((line) => line.startsWith('| ['))
  if (!rows) throw new Error('the page has no place for the table')
  const begin = `| [${file}](`
  const row = `${begin}../../${file}) | ${mutants} | ${killed} | ${equivalent} | ${survivors.length} | ${adjustedScore.toFixed(1)} % |`
  const table = [...HEAD, ...[...rows.filter((line) => !line.startsWith(begin)), row].sort()].join('\n')
  return page.replace(TABLE, (_, start: string, _old: string, end: string) => `${start}\n${table}\n\n${end}`)
}
