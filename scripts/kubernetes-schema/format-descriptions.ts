/** As much of an OpenAPI 2 document as has descriptions. */
export type DescribedDefinitions = Readonly<
  Record<string, { description?: string; properties?: Readonly<Record<string, { description?: string }>> }>
>

// Every object has these fields, with the same words: `openapi-definitions.ts` adds them.
const OF_EVERY_OBJECT = new Set(['apiVersion', 'kind'])

/** The descriptions of these definitions, as `readDescriptions` reads them. Structs that exist only inside others have none of their own. */
export function formatDescriptions(definitions: DescribedDefinitions, names: Iterable<string>): string {
  return [...names]
    .sort()
    .flatMap((name) => {
      const { description = '', properties = {} } = definitions[name] ?? {}
      const isObject = 'apiVersion' in properties && 'kind' in properties && 'metadata' in properties
      const fields = Object.entries(properties)
        .filter(([field, { description: text }]) => text && !(isObject && OF_EVERY_OBJECT.has(field)))
        .map(([field, { description: text = '' }]) => formatLine(field, text))
      return name in definitions ? [[formatLine(name, description), ...fields].join('\n')] : []
    })
    .join('\n\n')
}

const formatLine = (name: string, description: string): string =>
  `${name} ${description}`.trimEnd().replaceAll('\n', '\n|')
