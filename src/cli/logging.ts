import { choice } from '../base/options/index.ts'
import { createLogger } from '../base/logger.ts'
import type { Logger, LogLevel } from '../base/logger.ts'
import type { World } from './world.ts'

/** Options of every command that keeps running. */
export const loggingOptions = {
  logLevel: choice(['debug', 'info', 'warn', 'error'], 'info', 'Minimum log level.'),
  logFormat: choice(['auto', 'json', 'text'], 'auto', 'Log format. auto is text on a terminal and JSON otherwise.'),
}

/** Logs go to standard error. */
export function createCommandLogger(
  config: { logLevel: LogLevel; logFormat: 'auto' | 'json' | 'text' },
  { clock, err }: World,
): Logger {
  const format = config.logFormat === 'auto' ? (err.isTerminal ? 'text' : 'json') : config.logFormat
  return createLogger({ clock, level: config.logLevel, format, write: err.write })
}
