import { findNearest } from './find-nearest.ts'
import { formatExample, kebabCase, type NamedOption } from './flag-name.ts'
import { quoteText } from './value-error.ts'

/** A word that is neither a flag nor a flag's value. */
export type Word = {
  readonly text: string
  /** The boolean flag just before the word, which may have been intended as its value. */
  readonly afterBoolean?: NamedOption
}

/** The command line split into flags and words, before values are parsed. */
export type SplitArguments = {
  /** The words given for each key, in order. */
  readonly given: ReadonlyMap<string, readonly string[]>
  readonly positionals: readonly Word[]
  readonly asksHelp: boolean
  /** The values of `--version`, which every command has without listing it. */
  readonly version: readonly string[]
  readonly problems: readonly string[]
}

type Found =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'option'; readonly named: NamedOption }
type Typed = { readonly name: string; readonly found?: Found; readonly value?: string }

const FLAG = /^--?([^-=][^=]*)(?:=(.*))?$/s
// -v5: a one-letter flag with its number attached.
const ATTACHED = /^-([A-Za-z])(\d.*)$/s

/**
 * Go's rules: one dash or two, `=value` or the next word, booleans never take the next word, `--` ends the flags. Unlike in Go, flags may follow
 * other words, and a known flag is not taken as the value of the flag before it, because then the value was forgotten.
 */
export function splitArguments(
  index: ReadonlyMap<string, NamedOption>,
  words: readonly string[],
  command: string,
): SplitArguments {
  const given = new Map<string, string[]>()
  const positionals: Word[] = []
  const version: string[] = []
  const problems: string[] = []
  let asksHelp = false
  let afterBoolean: NamedOption | undefined
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    const boolean = afterBoolean
    afterBoolean = undefined
    if (word === '--') {
      positionals.push(...words.slice(at + 1).map((text) => ({ text })))
      break
    }
    if (!word.startsWith('-') || word === '-') {
      positionals.push({ text: word, ...(boolean && { afterBoolean: boolean }) })
      continue
    }
    const { name, found, value } = findFlag(index, word)
    const following = canBeValue(index, words[at + 1]) ? words[at + 1] : undefined
    if (!found) {
      const meant = name === '' ? undefined : findMeant(index, name)
      problems.push(
        name === ''
          ? `${quoteText(word)} is not a flag; flags look like --name=value`
          : formatUnknown(word, meant, command),
      )
      // The next word belongs to the flag that was meant, and is not a second mistake.
      if (value === undefined && meant?.takesValue && following !== undefined) at++
    } else if (found.kind === 'help') asksHelp = true
    else if (found.kind === 'version') version.push(value ?? 'true')
    else if (found.named.option.placeholder === undefined) {
      add(given, found.named.key, value ?? 'true')
      if (value === undefined) afterBoolean = found.named
    } else if (value !== undefined) add(given, found.named.key, value)
    else if (following !== undefined) {
      add(given, found.named.key, following)
      at++
    } else
      problems.push(
        `--${found.named.name} needs a value; write for example ${formatExample(found.named.name, found.named.option)}`,
      )
  }
  return { given, positionals, asksHelp, version, problems }
}

function findFlag(index: ReadonlyMap<string, NamedOption>, word: string): Typed {
  const [, name = '', value] = FLAG.exec(word) ?? []
  const found = findName(index, name)
  if (found) return { name, found, ...(value !== undefined && { value }) }
  const [, letter = '', attached = ''] = ATTACHED.exec(word) ?? []
  const short = index.get(letter)
  if (short?.option.placeholder !== undefined)
    return { name: letter, found: { kind: 'option', named: short }, value: attached }
  return { name, ...(value !== undefined && { value }) }
}

function findName(index: ReadonlyMap<string, NamedOption>, name: string): Found | undefined {
  const named = index.get(name)
  if (named) return { kind: 'option', named }
  if (name === 'help' || name === 'h') return { kind: 'help' }
  return name === 'version' ? { kind: 'version' } : undefined
}

// Any word, even -1, except the name of a flag.
function canBeValue(index: ReadonlyMap<string, NamedOption>, word: string | undefined): boolean {
  if (word === undefined || word === '--') return false
  return !word.startsWith('-') || findFlag(index, word).found === undefined
}

type Meant = { readonly example: string; readonly takesValue: boolean }

function findMeant(index: ReadonlyMap<string, NamedOption>, name: string): Meant | undefined {
  const visible = [...index].filter(([, { option }]) => !option.hidden).map(([known]) => known)
  const nearest = findNearest(kebabCase(name).replaceAll('_', '-'), [...visible, 'help', 'version'])
  if (nearest === undefined) return undefined
  const named = index.get(nearest)
  return named
    ? { example: formatExample(named.name, named.option), takesValue: named.option.placeholder !== undefined }
    : { example: `--${nearest}`, takesValue: false }
}

function formatUnknown(word: string, meant: Meant | undefined, command: string): string {
  const typed = word.split('=', 1)[0] ?? word
  return `unknown flag ${printable(typed)}; ${meant ? `did you mean ${meant.example}?` : `${command} --help lists what there is`}`
}

const printable = (word: string): string => (/^[\w.-]{1,60}$/.test(word) ? word : quoteText(word))

function add(given: Map<string, string[]>, key: string, value: string): void {
  const words = given.get(key)
  if (words) words.push(value)
  else given.set(key, [value])
}
