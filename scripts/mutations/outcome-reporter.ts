import type { TestEvent } from 'node:test/reporters'

/** What became of one test. */
export type TestOutcome = { readonly title: string; readonly outcome: 'passed' | 'failed' | 'skipped' }

/** One line of JSON for each test, none for suites. */
// The test runner loads a reporter by its default export.
// oxlint-disable-next-line import/no-default-export
export default async function* outcomeReporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    const { name, skip, todo, details } = event.data
    if (details.type === 'suite') continue
    const outcome =
      skip !== undefined || todo !== undefined ? 'skipped' : event.type === 'test:pass' ? 'passed' : 'failed'
    yield `${JSON.stringify({ title: name, outcome } satisfies TestOutcome)}\n`
  }
}
