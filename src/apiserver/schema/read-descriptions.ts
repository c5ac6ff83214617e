/** What Kubernetes says about a definition, or about one of its fields; undefined if it says nothing. */
export type Descriptions = (definition: string, field?: string) => string | undefined

/** For documents without descriptions of built-in kinds. */
export const NO_DESCRIPTIONS: Descriptions = () => undefined

/**
 * Reads the generated descriptions: blocks separated by empty lines. A block has a line with the definition's name and its description, then one line per
 * field: `NAME DESCRIPTION`. A line that begins with `|` continues the description before it.
 */
export function readDescriptions(text: string): Descriptions {
  const definitions = new Map<string, ReadonlyMap<string, string>>()
  for (const block of text.trim().split('\n\n')) {
    const [own = '', ...fields] = block.replaceAll('\n|', CONTINUED).split('\n')
    const [name, description] = readLine(own)
    definitions.set(name, new Map([[OWN, description], ...fields.map(readLine)]))
  }
  return (definition, field = OWN) => definitions.get(definition)?.get(field) || undefined
}

// Neither is part of a description or a field's name.
const CONTINUED = '\0'
const OWN = ''

function readLine(line: string): readonly [name: string, description: string] {
  const [name = ''] = line.split(' ', 1)
  return [name, line.slice(name.length + 1).replaceAll(CONTINUED, '\n')]
}
