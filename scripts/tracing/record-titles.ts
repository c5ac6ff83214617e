import { register } from './title-register.ts'

/**
 * Stands in for `node:test` while titles are collected: runs the bodies of suites, which only register tests, and no body of a test.
 * So tables of cases, titles put together from parts and shared suites appear as they are when the tests really run.
 */
type Body = (context: never) => unknown
type Arguments = [name?: unknown, options?: unknown, body?: unknown]

const IGNORED = ['skip', 'todo'] as const

function recordTest(...args: Arguments): Promise<void> {
  const { name, isIgnored } = readArguments(args)
  if (!isIgnored) register.addTitle(name)
  return Promise.resolve()
}

function recordSuite(...args: Arguments): Promise<void> {
  const { body, isIgnored } = readArguments(args)
  if (!isIgnored && body) register.addSuite(body({} as never))
  return Promise.resolve()
}

/** `skip: true` and `todo: true` never run; `skip: REASON` depends on the machine, so it counts. */
function readArguments(args: Arguments): { name: string; body: Body | undefined; isIgnored: boolean } {
  const [name] = args
  const options = args.find((arg) => typeof arg === 'object' && arg !== null) as Record<string, unknown> | undefined
  const body = args.find((arg) => typeof arg === 'function') as Body | undefined
  return { name: typeof name === 'string' ? name : '', body, isIgnored: IGNORED.some((key) => options?.[key] === true) }
}

const nothing = (): void => {}
const variants = { skip: nothing, todo: nothing }
export const test = Object.assign(recordTest, variants, { only: recordTest })
export const it = test
export const describe = Object.assign(recordSuite, variants, { only: recordSuite })
export const suite = describe
export const before = nothing
export const after = nothing
export const beforeEach = nothing
export const afterEach = nothing
export const mock = {}
