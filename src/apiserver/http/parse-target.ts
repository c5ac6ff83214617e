import { badRequest } from '../core/refusals.ts'

/** The target of a request. */
export type RequestTarget = {
  /** Decoded, without a trailing slash, as authorization sees it. */
  readonly path: string
  readonly segments: readonly string[]
  readonly query: URLSearchParams
}

const NO_QUERY = new URLSearchParams()

/** Parses the target of a request line. Rejects ambiguous paths: empty and dot segments, escaped slashes, and control characters. */
export function parseTarget(target: string): RequestTarget {
  const relative = target.startsWith('/') ? target : withoutOrigin(target)
  const hash = relative.indexOf('#')
  const whole = hash < 0 ? relative : relative.slice(0, hash)
  const mark = whole.indexOf('?')
  const query = mark < 0 || mark === whole.length - 1 ? NO_QUERY : new URLSearchParams(whole.slice(mark + 1))
  const segments = parseSegments(mark < 0 ? whole : whole.slice(0, mark))
  return { path: `/${segments.join('/')}`, segments, query }
}

// The absolute form, which proxies use.
function withoutOrigin(target: string): string {
  const rest = /^https?:\/\/[^/?#]*(.*)$/is.exec(target)?.[1]
  if (rest === undefined) throw badRequest('the target of the request is not a path')
  return rest.startsWith('/') ? rest : `/${rest}`
}

function parseSegments(path: string): string[] {
  const inner = path.endsWith('/') ? path.slice(1, -1) : path.slice(1)
  if (inner === '') return []
  return inner.split('/').map(parseSegment)
}

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const UNSAFE = /[/\\\u0000-\u001f\u007f]/

function parseSegment(text: string): string {
  const segment = text.includes('%') ? decode(text) : text
  if (segment === '' || segment === '.' || segment === '..')
    throw badRequest('the path of the request has an empty or a dot segment')
  if (UNSAFE.test(segment))
    throw badRequest('a segment of the path of the request has a character that is not allowed there')
  return segment
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw badRequest('the path of the request has a malformed escape')
  }
}
