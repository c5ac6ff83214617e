import { notAcceptable } from './refusals.ts'

/** The form of a response: its encoding, and what represents the object. */
export type Representation = {
  readonly encoding: 'json' | 'yaml'
  readonly as: 'object' | 'table' | 'partial'
  /** Version of `meta.k8s.io`, for everything but the object itself. */
  readonly version: 'v1' | 'v1beta1'
}

export const PLAIN_JSON: Representation = { encoding: 'json', as: 'object', version: 'v1' }

/** One entry of an Accept header. */
export type AcceptClause = {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
  readonly quality: number
}

const JSON_TYPES = new Set(['application/json', 'application/*', '*/*'])
const YAML_TYPE = 'application/yaml'
const FORMS = new Map<string, Representation['as']>([
  ['Table', 'table'],
  ['PartialObjectMetadata', 'partial'],
  ['PartialObjectMetadataList', 'partial'],
])

/** The entries of an Accept header, sorted by quality; entries of the same quality keep their order. */
export function parseAccept(header: string): AcceptClause[] {
  return header
    .split(',')
    .map(parseClause)
    .filter(({ type, quality }) => type !== '' && quality > 0)
    .sort((left, right) => right.quality - left.quality)
}

function parseClause(text: string): AcceptClause {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim())
  const parameters = new Map<string, string>()
  for (const part of rest) {
    const equals = part.indexOf('=')
    if (equals > 0)
      parameters.set(
        part.slice(0, equals).trim().toLowerCase(),
        part
          .slice(equals + 1)
          .trim()
          .replace(/^"(.*)"$/, '$1'),
      )
  }
  const quality = Number(parameters.get('q') ?? 1)
  return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 1 : quality }
}

/**
 * The first supported entry decides. Protobuf is never written, which is fine: clients that accept it also accept JSON. A watch is written in JSON
 * only.
 */
export function negotiate(accept: string | undefined, { stream = false, isStored = true } = {}): Representation {
  if (accept === undefined || accept === '' || accept === 'application/json' || accept === '*/*') return PLAIN_JSON
  for (const clause of parseAccept(accept)) {
    const found = findRepresentation(clause)
    // What is answered and not stored, such as a review, has no metadata and no table.
    if (found && !(stream && found.encoding === 'yaml') && (isStored || found.as === 'object')) return found
  }
  throw notAcceptable(stream ? ['application/json'] : ['application/json', 'application/yaml'])
}

function findRepresentation({ type, parameters }: AcceptClause): Representation | undefined {
  const encoding = JSON_TYPES.has(type) ? 'json' : type === YAML_TYPE ? 'yaml' : undefined
  if (encoding === undefined) return undefined
  const wanted = parameters.get('as')
  if (wanted === undefined) return encoding === 'json' ? PLAIN_JSON : { ...PLAIN_JSON, encoding }
  const as = FORMS.get(wanted)
  const version = parameters.get('v')
  if (as === undefined || parameters.get('g') !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1'))
    return undefined
  return { encoding, as, version }
}

/** The encoding of an error, which is sent whatever the client accepts. */
export const errorEncoding = (accept: string | undefined): Representation['encoding'] =>
  accept !== undefined && accept.includes(YAML_TYPE) && parseAccept(accept)[0]?.type === YAML_TYPE ? 'yaml' : 'json'
