import { after, before, describe } from 'node:test'
import type { Api } from '../../api/api.ts'
import type { ApiUnderTest } from './api-under-test.ts'
import { describeApiApply } from './describe-api-apply.ts'
import { describeApiObjects } from './describe-api-objects.ts'
import { describeApiReviews } from './describe-api-reviews.ts'
import { describeApiSelections } from './describe-api-selections.ts'
import { describeApiWatches } from './describe-api-watches.ts'

/** A server, perhaps used before, accessed with all permissions. */
export type OpenedApi = {
  api: Api
  /** Advances the server's clock if it is simulated. Absent for a real clock. */
  advance?(byMs: number): Promise<void>
  close(): Promise<void> | void
}

/**
 * The contract of `Api` on a real server, for any transport. All tests share one server, and none expects to be alone there: a cluster's own
 * controllers may use the same objects.
 */
export function describeApi(name: string, open: () => Promise<OpenedApi>): void {
  describe(name, () => {
    let opened: OpenedApi
    let names = 0
    const run = Math.floor(performance.now() * 1000).toString(36)
    before(async () => {
      opened = await open()
    })
    after(() => opened.close())
    const underTest: ApiUnderTest = {
      get api() {
        return opened.api
      },
      nameFor: (what) => `test-${run}-${String(++names).padStart(4, '0')}-${what}`,
      advance: async (byMs) => opened.advance?.(byMs),
      hasSimulatedClock: () => opened.advance !== undefined,
    }
    describeApiObjects(underTest)
    describeApiApply(underTest)
    describeApiSelections(underTest)
    describeApiWatches(underTest)
    describeApiReviews(underTest)
  })
}
