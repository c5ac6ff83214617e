import type { TestEvent } from 'node:test/reporters'

/** Prints nothing unless no test ran at all: then the run fails, so that a wrong path or pattern doesn't pass for success. */
// The test runner loads a reporter by its default export.
// oxlint-disable-next-line import/no-default-export
export default async function* countReporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let count = 0
  for await (const event of events) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    // A file without tests is reported as if it were one test named by the file's path.
    const { name, file, skip, details } = event.data
    if (details.type !== 'suite' && !file?.endsWith(name) && !skip) count += 1
  }
  if (count > 0) return
  process.exitCode = 1
  yield 'no test ran\n'
}
