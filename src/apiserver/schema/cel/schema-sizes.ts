import type { ObjectSchema, Schema } from '../schema.ts'

// The numbers are those of Kubernetes (apiserver, pkg/cel/common/schemas.go and limits.go): how much of something a request can hold.
const LARGEST_REQUEST = 3 * 1024 * 1024
const FORMATS: Readonly<Record<string, { readonly least: number; readonly most: number }>> = {
  duration: { least: 3, most: 32 },
  date: { least: 12, most: 12 },
  'date-time': { least: 21, most: 32 },
}

/** How large values can be. It remembers what it found, so that many rules on a large schema take no longer than a few. */
export class SchemaSizes {
  readonly #leastBytes = new Map<Schema, number>()

  /** How many values of a schema one request can hold, when nothing else limits them. */
  mostValuesOf(schema: Schema): number {
    return Math.floor(LARGEST_REQUEST / (this.#leastBytesOf(schema) + 1))
  }

  /** How many items, members or bytes a value of the schema has at most. Objects with fields count as one. */
  mostElementsOf(schema: Schema): number {
    const { maxItems, maxProperties, maxLength, enum: values, format = '' } = schema.checks ?? {}
    switch (schema.type) {
      case 'list':
        return maxItems ?? Math.floor((LARGEST_REQUEST - 2) / (this.#leastBytesOf(schema.items) + 1))
      case 'map':
        return maxProperties ?? Math.floor((LARGEST_REQUEST - 2) / (this.#leastBytesOf(schema.values) + 6))
      case 'string':
        if (FORMATS[format]) return FORMATS[format].most
        if (maxLength !== undefined) return maxLength * 4
        return values ? Math.max(0, ...values.map((value) => (typeof value === 'string' ? value.length : 0))) : LARGEST_REQUEST - 2
      case 'int-or-string':
        return maxLength === undefined ? LARGEST_REQUEST - 2 : maxLength * 4
      default:
        return 1
    }
  }

  #leastBytesOf(schema: Schema): number {
    const known = this.#leastBytes.get(schema)
    if (known !== undefined) return known
    const bytes = schema.type === 'object' ? this.#leastBytesOfMembers(schema) : leastBytesOfScalar(schema)
    this.#leastBytes.set(schema, bytes)
    return bytes
  }

  // A member that has a default need not be sent.
  #leastBytesOfMembers({ properties }: ObjectSchema): number {
    let bytes = 2
    for (const { name, schema, required } of properties.values()) {
      if (required && schema.default === undefined) bytes += name.length + 4 + this.#leastBytesOf(schema)
    }
    return bytes
  }
}

function leastBytesOfScalar({ type, checks }: Schema): number {
  if (type === 'boolean') return 4
  if (type === 'integer' || type === 'number' || type === 'int-or-string') return 1
  return FORMATS[checks?.format ?? '']?.least ?? 2
}
