import { openTestCore } from '../../apiserver/testing/open-test-core.ts'
import { describeApi } from '../testing/describe-api.ts'

describeApi('the API joined to a server in the same process', async () => {
  const cleanups: (() => Promise<void> | void)[] = []
  const after = (cleanup: () => Promise<void> | void): void => void cleanups.push(cleanup)
  const { api, clock } = await openTestCore({ after: after as never })
  const close = async (): Promise<void> => {
    for (const cleanup of cleanups) await cleanup()
  }
  return { api, advance: (byMs) => clock.advance(byMs), close }
})
