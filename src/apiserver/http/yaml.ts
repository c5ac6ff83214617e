import { formatExactJson, parseExactJson } from '../../api/exact-json.ts'
import { parseJson } from '../schema/parse-json.ts'
import { startPieces } from './start-pieces.ts'

export type ParsedYaml = { readonly value: unknown; readonly duplicateFields: readonly string[] }

// Loaded on first use, because YAML is rarely requested.
const load = () => import('yaml')

/** The first document of a text. Duplicate keys are reported; the last one counts, as in JSON. */
export async function parseYaml(text: string): Promise<ParsedYaml> {
  const { json, duplicateFields } = await jsonOfYaml(text)
  // A value without a JSON form (a list that contains itself, a date, a set) is not an API object; neither is a value that is nested too deeply.
  return { value: json === undefined ? undefined : parseJson(json).value, duplicateFields }
}

/** A YAML text as JSON, which is passed between threads. Undefined for an empty document. */
export type YamlAsJson = { readonly json: string | undefined; readonly duplicateFields: readonly string[] }

export async function jsonOfYaml(text: string): Promise<YamlAsJson> {
  const { isMap, isScalar, isSeq, parseAllDocuments } = await load()
  // Showing each of thousands of mistakes with its line would block other requests for seconds.
  const documents = parseAllDocuments(text, { uniqueKeys: false, merge: true, prettyErrors: false, intAsBigInt: true })
  const [document] = documents
  if (!document || documents.length !== 1) throw new Error('it has to be one document')
  const [error] = document.errors
  if (error) throw new Error(`${error.message} at ${placeOf(text, error.pos[0])}`)
  const duplicateFields: string[] = []
  const visit = (node: unknown, path: string): void => {
    if (isSeq(node)) for (const [index, item] of node.items.entries()) visit(item, `${path}[${index}]`)
    if (!isMap(node)) return
    const seen = new Set<string>()
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : String(key)
      const field = path === '' ? name : `${path}.${name}`
      if (seen.has(name) && duplicateFields.length < MOST_DUPLICATES) {
        // Decoders of YAML know the line, not the path.
        const line = lineOf(text, isScalar(key) ? (key.range?.[0] ?? 0) : 0)
        duplicateFields.push(`line ${line}: key ${JSON.stringify(name)} already set in map`)
      }
      seen.add(name)
      visit(value, field)
    }
  }
  visit(document.contents, '')
  const value: unknown = document.toJS({ maxAliasCount: 100 })
  return { json: value === undefined ? undefined : formatExactJson(value), duplicateFields }
}

const MOST_DUPLICATES = 100

const lineOf = (text: string, position: number): number => text.slice(0, position).split('\n').length

function placeOf(text: string, position: number): string {
  const lines = text.slice(0, position).split('\n')
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`
}

// Formatting a megabyte of YAML would block other requests for seconds.
const MOST_YAML_LENGTH = 16 * 1024

/** The same as the JSON text, for people. Long text stays JSON, which is valid YAML. */
export async function yamlOfJson(json: string): Promise<string> {
  if (json.length > MOST_YAML_LENGTH) return json
  const { stringify } = await load()
  return stringify(parseExactJson(json), { lineWidth: 0, aliasDuplicateObjects: false })
}

/** The same for JSON in pieces, of which a short one comes alone. */
export async function yamlOfPieces(json: string | Iterable<string>): Promise<string | Iterable<string>> {
  if (typeof json === 'string') return yamlOfJson(json)
  const pieces = await startPieces(json)
  return typeof pieces === 'string' ? yamlOfJson(pieces) : pieces
}
