import { parseJson } from '../schema/parse-json.ts'

// Few ever ask for YAML, so it is loaded when someone does.
const load = () => import('yaml')

/** The first document of a text. Keys that stand twice are reported; the last one counts, as in JSON. */
export async function parseYaml(text: string): Promise<{ value: unknown; duplicateFields: string[] }> {
  const { isMap, isScalar, isSeq, parseAllDocuments } = await load()
  // Of thousands of mistakes each would be shown with its line: seconds in which nobody else is served.
  const documents = parseAllDocuments(text, { uniqueKeys: false, merge: true, prettyErrors: false })
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
      if (seen.has(name)) duplicateFields.push(field)
      seen.add(name)
      visit(value, field)
    }
  }
  visit(document.contents, '')
  const value: unknown = document.toJS({ maxAliasCount: 100 })
  // What JSON can't say (a list that holds itself, a date, a set) is no object of the API; nor is what it may not nest so deeply.
  return { value: value === undefined ? undefined : parseJson(JSON.stringify(value)).value, duplicateFields }
}

function placeOf(text: string, position: number): string {
  const lines = text.slice(0, position).split('\n')
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`
}

/** The same as the JSON text, for people. */
export async function yamlOfJson(json: string): Promise<string> {
  const { stringify } = await load()
  return stringify(JSON.parse(json), { lineWidth: 0, aliasDuplicateObjects: false })
}
