/**
 * Stands in for `node:test` while mutants are tried: the tests of a file run within this process, one after the other, and end with the first
 * that fails. Starting a process for each mutant would take a hundred times as long.
 */
type Body = (context: TestContext) => unknown
type Options = { readonly skip?: unknown; readonly todo?: unknown }
type Arguments = [name?: unknown, options?: unknown, body?: unknown]
type Hook = () => unknown

type Suite = {
  readonly entries: (Test | Suite)[]
  readonly before: Hook[]
  readonly after: Hook[]
  readonly beforeEach: Hook[]
  readonly afterEach: Hook[]
}
type Test = { readonly name: string; readonly body: Body }

type TestContext = {
  readonly name: string
  readonly signal: AbortSignal
  after(hook: Hook): void
  diagnostic(): void
  test(...args: Arguments): Promise<void>
}

const createSuite = (): Suite => ({ entries: [], before: [], after: [], beforeEach: [], afterEach: [] })

let open: Suite = createSuite()
let root: Suite = open
const loading: Promise<unknown>[] = []

/** Forgets the tests of the mutant before. */
export function resetTests(): void {
  root = createSuite()
  open = root
}

/** Runs what was registered since the last reset. Rejects with the first failure. */
export async function runTests(): Promise<number> {
  while (loading.length > 0) await Promise.all(loading.splice(0))
  return runSuite(root, [])
}

async function runSuite(suite: Suite, outer: readonly Suite[]): Promise<number> {
  let count = 0
  for (const hook of suite.before) await hook()
  try {
    for (const entry of suite.entries) {
      if ('entries' in entry) {
        count += await runSuite(entry, [...outer, suite])
      } else {
        await runTest(entry, [...outer, suite])
        count += 1
      }
    }
  } finally {
    for (const hook of suite.after) await hook()
  }
  return count
}

async function runTest({ name, body }: Test, suites: readonly Suite[]): Promise<void> {
  const afterwards: Hook[] = []
  const end = new AbortController()
  for (const hook of suites.flatMap(({ beforeEach }) => beforeEach)) await hook()
  try {
    const run = async (...args: Arguments): Promise<void> => {
      const inner = readArguments(args)
      if (!inner.isLeftOut) await runTest(inner, [])
    }
    await body({
      name,
      signal: end.signal,
      after: (hook) => void afterwards.push(hook),
      diagnostic: () => {},
      test: run,
    })
  } catch (error) {
    throw new Error(`"${name}" fails`, { cause: error })
  } finally {
    for (const hook of afterwards) await hook()
    for (const hook of suites.flatMap(({ afterEach }) => afterEach)) await hook()
    end.abort()
  }
}

function readArguments(args: Arguments): Test & { readonly isLeftOut: boolean } {
  const [name] = args
  const options = args.find((arg) => typeof arg === 'object' && arg !== null) as Options | undefined
  const body = args.find((arg) => typeof arg === 'function') as Body | undefined
  return {
    name: typeof name === 'string' ? name : '',
    body: body ?? (() => {}),
    isLeftOut: Boolean(options?.skip) || Boolean(options?.todo) || !body,
  }
}

function addTest(...args: Arguments): Promise<void> {
  const { isLeftOut, ...added } = readArguments(args)
  if (!isLeftOut) open.entries.push(added)
  return Promise.resolve()
}

function addSuite(...args: Arguments): Promise<void> {
  const { isLeftOut, body } = readArguments(args)
  if (isLeftOut) return Promise.resolve()
  const suite = createSuite()
  const outer = open
  outer.entries.push(suite)
  open = suite
  const result = body({} as TestContext)
  open = outer
  if (result instanceof Promise) loading.push(result)
  return Promise.resolve()
}

const nothing = (): void => {}
export const test = Object.assign(addTest, { skip: nothing, todo: nothing, only: addTest })
export const it = test
export const describe = Object.assign(addSuite, { skip: nothing, todo: nothing, only: addSuite })
export const suite = describe
export const before = (hook: Hook): void => void open.before.push(hook)
export const after = (hook: Hook): void => void open.after.push(hook)
export const beforeEach = (hook: Hook): void => void open.beforeEach.push(hook)
export const afterEach = (hook: Hook): void => void open.afterEach.push(hook)
export const mock = {}
