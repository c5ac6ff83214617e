export { createCallLog } from './call-log.ts'
export type { CallLog } from './call-log.ts'
export { startConsole } from './start-console.ts'
export type { ConsoleOptions, ConsoleParts, RunningConsole } from './start-console.ts'
