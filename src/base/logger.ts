import type { Clock } from './clock.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type LogFields = Readonly<Record<string, unknown>>

/** Logs a constant message with fields. A field whose name suggests a secret is not written, at any depth: see `isSecretKey`. */
export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** A logger that adds these fields to each line. */
  with(fields: LogFields): Logger
  /** For callers on hot paths: whether `debug` writes anything. */
  readonly isDebugEnabled: boolean
}

export type LoggerOptions = {
  clock: Clock
  /** Writes one line, including its newline. */
  write(line: string): void
  /** Minimum log level. Default `info`. */
  level?: LogLevel
  /** `json`: one object per line; `text`: for people. */
  format: 'json' | 'text'
}

const RANK: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 }

export function createLogger(options: LoggerOptions): Logger {
  const least = RANK[options.level ?? 'info']
  const format = options.format === 'json' ? formatJson : formatText
  const bind = (bound: LogFields): Logger => {
    const log =
      (level: LogLevel) =>
      (message: string, fields: LogFields = {}) => {
        if (RANK[level] < least) return
        const time = new Date(options.clock.nowMs()).toISOString()
        options.write(format(time, level, message, printableFields({ ...bound, ...fields })))
      }
    return {
      debug: log('debug'),
      info: log('info'),
      warn: log('warn'),
      error: log('error'),
      with: (fields) => bind({ ...bound, ...fields }),
      isDebugEnabled: least === RANK.debug,
    }
  }
  return bind({})
}

/** Writes nothing. */
export function createSilentLogger(): Logger {
  const ignore = (): void => {}
  const silent: Logger = {
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: ignore,
    with: () => silent,
    isDebugEnabled: false,
  }
  return silent
}

export const REDACTED = '***stripped***'

// The last line of defence. Messages of known types are stripped by their own definitions first.
const SECRET_KEY = /secret|token|passw(or)?d|passphrase|credential|(private|api|client)[-_]?key|authorization|cookie/i
// A key that only refers to a secret (secretRef, secretName, tokenCount), or to a position in a list (starting_token).
const HARMLESS_KEY =
  /(name|ref|reference|namespace|count|expiry|expires?|expiration|audiences?|(starting|next)_?token)$/i

const isSecretKey = (key: string): boolean => SECRET_KEY.test(key) && !HARMLESS_KEY.test(key)

const printableFields = (fields: LogFields): Record<string, unknown> => printableEntries(Object.entries(fields), 0)

// Deeper members are omitted, which also ends circular references.
const DEEPEST = 8
// The text may come from outside and have any length.
const LONGEST_TEXT = 8192

const cut = (text: string): string =>
  text.length > LONGEST_TEXT
    ? `${text.slice(0, LONGEST_TEXT).toWellFormed()}… (${text.length - LONGEST_TEXT} more)`
    : text

function printable(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint' || typeof value === 'symbol') return value.toString()
  if (typeof value === 'function') return '<function>'
  if (typeof value === 'string') return cut(value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Uint8Array) return `<${value.length} bytes>`
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '<invalid date>' : value.toISOString()
  if (depth >= DEEPEST) return '…'
  if (value instanceof Error) return printableError(value, depth)
  if (Array.isArray(value) || value instanceof Set) return Array.from(value, (item) => printable(item, depth + 1))
  const entries =
    value instanceof Map
      ? Array.from(value, ([key, item]): [string, unknown] => [String(key), item])
      : Object.entries(value)
  return printableEntries(entries, depth + 1)
}

const printableEntries = (entries: [string, unknown][], depth: number): Record<string, unknown> =>
  Object.fromEntries(entries.map(([key, value]) => [key, isSecretKey(key) ? REDACTED : printable(value, depth)]))

// Only the message, codes and causes: an error may carry a whole request as a property.
function printableError(error: Error, depth: number): unknown {
  const { message, code, cause, errors } = error as Error & { code?: unknown; errors?: unknown }
  return {
    message: cut(message),
    ...(code === undefined ? {} : { code: printable(code, depth + 1) }),
    ...(cause === undefined ? {} : { cause: printable(cause, depth + 1) }),
    ...(error instanceof AggregateError ? { errors: printable(errors, depth + 1) } : {}),
  }
}

const OWN_KEYS = new Set(['time', 'level', 'message'])

function formatJson(time: string, level: LogLevel, message: string, fields: Record<string, unknown>): string {
  const entries = Object.entries(fields).map(([key, value]) => [OWN_KEYS.has(key) ? `fields.${key}` : key, value])
  return `${JSON.stringify({ time, level, message, ...Object.fromEntries(entries) })}\n`
}

function formatText(time: string, level: LogLevel, message: string, fields: Record<string, unknown>): string {
  const pairs = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? quoteIfNeeded(value) : JSON.stringify(value)}`)
  return `${time.slice(11, 23)} ${level.padEnd(5)} ${[message, ...pairs].join('  ')}\n`
}

const quoteIfNeeded = (text: string): string => (/^[\w./:@+-]+$/.test(text) ? text : JSON.stringify(text))
