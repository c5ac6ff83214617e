import { createHash, timingSafeEqual } from 'node:crypto'

/** What of a request decides whether it is served. */
export type SeenRequest = {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly host: string | undefined
  readonly cookie: string | undefined
  readonly origin: string | undefined
  /** `Sec-Fetch-Site`, which browsers set and pages cannot. */
  readonly fetchSite: string | undefined
}

export type Session = {
  readonly port: number
  /** In the printed address; it can be used once. Undefined once it was used. */
  readonly token: string | undefined
  /** What the browser gets for it. */
  readonly secret: string
}

export type Judgement =
  | { readonly kind: 'serve'; readonly path: string; readonly query: URLSearchParams }
  /** The token was right: it is used up now. */
  | { readonly kind: 'admit' }
  | { readonly kind: 'to-start' }
  | { readonly kind: 'refuse'; readonly status: number; readonly text: string }

export const COOKIE = 'holdfast-console'

/** Only the browser that opened the printed address is served, and only for pages of the console itself. */
export function judgeRequest(request: SeenRequest, session: Session): Judgement {
  const { method, url, host, origin, fetchSite } = request
  // A name that somebody else's DNS points at this machine must not be served: it would be another origin with our cookie.
  const names = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${session.port}`)
  if (host === undefined || !names.includes(host)) return refuse(403, 'This address is not served here.')
  if (method !== 'GET' && method !== 'HEAD') return refuse(405, 'The console only reads: use GET.')
  if (origin !== undefined && origin !== `http://${host}`) return refuse(403, 'Other pages may not read the console.')
  const { pathname, searchParams } = new URL(url, `http://${host}`)
  const isAdmitted = hasSecret(request.cookie, session)
  const token = pathname === '/' ? searchParams.get('token') : null
  if (token !== null) {
    if (isAdmitted) return { kind: 'to-start' }
    if (session.token !== undefined && isSame(token, session.token)) return { kind: 'admit' }
    return refuse(403, 'This link has already been used, or is wrong. Run holdfast console for a new one.')
  }
  if (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none')
    return refuse(403, 'Other pages may not read the console.')
  if (!isAdmitted) return refuse(401, 'Open the address that holdfast printed: it contains a token for this browser.')
  return { kind: 'serve', path: pathname, query: searchParams }
}

const refuse = (status: number, text: string): Judgement => ({ kind: 'refuse', status, text })

// The port is part of the name: cookies do not tell ports apart, and two consoles may be open.
export const cookieName = ({ port }: Session): string => `${COOKIE}-${port}`

function hasSecret(cookie: string | undefined, session: Session): boolean {
  const name = `${cookieName(session)}=`
  const value = (cookie ?? '')
    .split(';')
    .map((each) => each.trim())
    .find((each) => each.startsWith(name))
  return value !== undefined && isSame(value.slice(name.length), session.secret)
}

// Digests have the same length, which timingSafeEqual needs.
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
