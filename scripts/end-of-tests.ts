import { after } from 'node:test'

// Loaded into each test process. The runner waits for ever for a file whose tests have ended while something it left open
// (a server, a timer) keeps its process alive; here that is a failure that says what was left. The timer itself keeps nothing alive.
const GRACE_MS = Number(process.env['HOLDFAST_TEST_GRACE_MS'] ?? 5_000)

after(() => {
  setTimeout(() => {
    process.stderr.write(
      `${process.argv[1]}: still open ${GRACE_MS} ms after its last test: ${process.getActiveResourcesInfo().join(', ')}\n`,
    )
    process.exit(1)
  }, GRACE_MS).unref()
})
