import type { Clock } from './clock.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type LogFields = Readonly<Record<string, unknown>>

/** A constant message with fields. Fields never hold secrets: see `redactFields`. */
export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** A logger that adds these fields to each line. */
  with(fields: LogFields): Logger
}

export type LoggerOptions = {
  clock: Clock
  /** Takes one line, with its line end. */
  write(line: string): void
  /** The least level that is written. Default `info`. */
  level?: LogLevel
  /** `json`: one object a line; `text`: for a person's eyes. */
  format: 'json' | 'text'
}

const RANK: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 }

export function createLogger(options: LoggerOptions): Logger {
  const least = RANK[options.level ?? 'info']
  const format = options.format === 'json' ? formatJson : formatText
  const bind = (bound: LogFields): Logger => {
    const log = (level: LogLevel) => (message: string, fields: LogFields = {}) => {
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
    }
  }
  return bind({})
}

/** Writes nothing. */
export function createSilentLogger(): Logger {
  const ignore = (): void => {}
  const silent: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore, with: () => silent }
  return silent
}

export const REDACTED = '***stripped***'

// The last line of defence. Messages of known types are stripped by their own definitions before they come here.
const SECRET_KEY = /secret|token|password|passphrase|credential|private_?key|authorization|cookie/i
// A key that only talks about a secret: secretRef, secretName, tokenCount, starting_token.
const HARMLESS_KEY = /(name|ref|reference|namespace|count|expiry|expires?|expiration|audiences?|_token|startingtoken|nexttoken)$/i

const isSecretKey = (key: string): boolean => SECRET_KEY.test(key) && !HARMLESS_KEY.test(key)

function printableFields(fields: LogFields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, isSecretKey(key) ? REDACTED : printable(value, 0)]))
}

const DEEPEST = 8

function printable(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Error) return printableError(value, depth)
  if (value instanceof Uint8Array) return `<${value.length} bytes>`
  if (Array.isArray(value)) return depth >= DEEPEST ? '…' : value.map((item) => printable(item, depth + 1))
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? '<function>' : value
  if (depth >= DEEPEST) return '…'
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, isSecretKey(key) ? REDACTED : printable(item, depth + 1)]),
  )
}

// Only the message and named codes: an error may carry a whole request as a property.
function printableError(error: Error, depth: number): unknown {
  const { code, cause } = error as Error & { code?: unknown }
  return {
    message: error.message,
    ...(code === undefined ? {} : { code }),
    ...(cause === undefined || depth >= DEEPEST ? {} : { cause: printable(cause, depth + 1) }),
  }
}

function formatJson(time: string, level: LogLevel, message: string, fields: Record<string, unknown>): string {
  return `${JSON.stringify({ time, level, message, ...fields })}\n`
}

function formatText(time: string, level: LogLevel, message: string, fields: Record<string, unknown>): string {
  const pairs = Object.entries(fields).map(([key, value]) => `${key}=${typeof value === 'string' ? quoteIfNeeded(value) : JSON.stringify(value)}`)
  return `${time.slice(11, 23)} ${level.padEnd(5)} ${[message, ...pairs].join('  ')}\n`
}

const quoteIfNeeded = (text: string): string => (/^[\w./:@+-]+$/.test(text) ? text : JSON.stringify(text))
