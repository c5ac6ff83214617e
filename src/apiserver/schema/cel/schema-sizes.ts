import type { ObjectSchema, Schema } from '../schema.ts'

// The numbers are those of Kubernetes (apiserver, pkg/cel/common/schemas.go and limits.go): how much of something fits into a request.
const LARGEST_REQUEST = 3 * 1024 * 1024
// Strings that are times in CEL, and cost no more to compare than numbers.
const TIMES: Readonly<Record<string, number>> = { duration: 3, date: 12, 'date-time': 21 }

/** How large values can be. Caches its results, so that many rules on a large schema take no longer than a few. */
export class SchemaSizes {
  readonly #leastBytes = new Map<Schema, number>()

  /** How many values of a schema fit into one request, if nothing else limits them. */
  mostValuesOf(schema: Schema): number {
    return Math.floor(LARGEST_REQUEST / (this.#leastBytesOf(schema) + 1))
  }

  /** The maximum number of items, members or bytes of a value of the schema. Objects with fields count as one. */
  mostElementsOf(schema: Schema): number {
    const { maxItems, maxProperties, maxLength, enum: values, format = '' } = schema.checks ?? {}
    switch (schema.type) {
      case 'list':
        return maxItems ?? Math.floor((LARGEST_REQUEST - 2) / (this.#leastBytesOf(schema.items) + 1))
      case 'map':
        return maxProperties ?? Math.floor((LARGEST_REQUEST - 2) / (this.#leastBytesOf(schema.values) + 6))
      case 'string':
        if (TIMES[format] !== undefined) return 1
        // A character is up to four bytes, except in base64.
        if (maxLength !== undefined) return format === 'byte' ? maxLength : maxLength * 4
        return values
          ? Math.max(0, ...values.map((value) => (typeof value === 'string' ? value.length : 0)))
          : LARGEST_REQUEST - 2
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

  // A member with a default need not be sent.
  #leastBytesOfMembers({ properties }: ObjectSchema): number {
    let bytes = 2
    for (const { name, schema, required } of properties.values()) {
      if (required && schema.default === undefined) bytes += Buffer.byteLength(name) + 4 + this.#leastBytesOf(schema)
    }
    return bytes
  }
}

function leastBytesOfScalar({ type, checks }: Schema): number {
  if (type === 'boolean') return 4
  if (type === 'integer' || type === 'number' || type === 'int-or-string') return 1
  return (type === 'string' ? TIMES[checks?.format ?? ''] : undefined) ?? 2
}
