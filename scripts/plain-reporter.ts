import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

/**
 * For logs: one line a test, a failure with its error where it happens and its name again at the end,
 * then the runner's own closing lines (`# tests 3`, `# pass 3`, …) as the last thing printed.
 */
// The test runner loads a reporter by its default export.
// oxlint-disable-next-line import/no-default-export
export default async function* plainReporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const failures: string[] = []
  const closing: string[] = []
  for await (const event of events) {
    switch (event.type) {
      case 'test:pass':
        if (event.data.details.type !== 'suite') yield `${'  '.repeat(event.data.nesting)}${formatPass(event.data)}\n`
        break
      case 'test:fail':
        yield `${formatFailure(event.data)}\n`
        failures.push(`${event.data.file ?? ''}: ${event.data.name}`)
        break
      case 'test:stdout':
      case 'test:stderr':
        yield event.data.message
        break
      case 'test:diagnostic':
        if (
          event.data.nesting === 0 &&
          /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /.test(event.data.message)
        ) {
          closing.push(`# ${event.data.message}\n`)
        } else {
          yield `# ${event.data.message}\n`
        }
        break
      default:
    }
  }
  if (failures.length > 0) yield `\nfailed:\n${failures.map((name) => `  ${name}\n`).join('')}\n`
  yield* closing
}

type Ended = { name: string; skip?: string | boolean; todo?: string | boolean; details: { duration_ms: number } }

function formatPass({ name, skip, todo, details }: Ended): string {
  const note = skip
    ? ` # SKIP${formatReason(skip)}`
    : todo
      ? ` # TODO${formatReason(todo)}`
      : ` (${Math.round(details.duration_ms)} ms)`
  return `ok ${name}${note}`
}

const formatReason = (reason: string | boolean): string => (typeof reason === 'string' ? ` ${reason}` : '')

function formatFailure({
  name,
  file,
  line,
  details,
}: {
  name: string
  file?: string
  line?: number
  details: { error: Error }
}): string {
  const { cause } = details.error
  const text = cause instanceof Error ? inspect(cause) : inspect(details.error)
  return `not ok ${name} (${file ?? ''}:${line ?? 0})\n${text.replace(/^/gm, '    ')}`
}
