import { deepEqual, equal, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Driver } from '../../csi/rpc.ts'
import { listPublished } from './drift-controller.ts'
import type { Published } from './drift-controller.ts'

type Page = { handles?: readonly string[]; nodeIds?: readonly string[]; nextToken: string }

/** A driver whose pages are reckoned from the token that it is given. */
function pagesOf(page: (token: string, count: number) => Page) {
  let asked = 0
  const listVolumes = async ({ startingToken = '' }): Promise<unknown> => {
    const { handles = [], nodeIds: publishedNodeIds = ['n1'], nextToken } = page(startingToken, ++asked)
    return { entries: handles.map((volumeId) => ({ volume: { volumeId }, status: { publishedNodeIds } })), nextToken }
  }
  // Only what is read of an answer is in it.
  return { asked: () => asked, driver: { listVolumes } as unknown as Pick<Driver, 'listVolumes'> }
}
const WANTED: Published = new Map([
  ['v1', new Set(['n1', 'n2'])],
  ['v2', new Set(['n1'])],
])
const list = (driver: Pick<Driver, 'listVolumes'>): Promise<Published> =>
  listPublished(driver, { wanted: WANTED, maxEntries: 0, timeoutMs: 1000, signal: new AbortController().signal })

describe('the list of published volumes', () => {
  test('takes all pages together', async () => {
    const { driver } = pagesOf((token) =>
      token === '' ? { handles: ['v1'], nextToken: 'more' } : { handles: ['v1'], nodeIds: ['n2'], nextToken: '' },
    )
    deepEqual(await list(driver), new Map([['v1', new Set(['n1', 'n2'])]]))
  })

  test('keeps nothing of volumes and nodes that nobody asks for', async () => {
    const handles = Array.from({ length: 1000 }, (_, index) => `v${index}`)
    const { driver } = pagesOf(() => ({ handles, nodeIds: ['n1', 'n3', 'n4'], nextToken: '' }))
    deepEqual(
      await list(driver),
      new Map([
        ['v1', new Set(['n1'])],
        ['v2', new Set(['n1'])],
      ]),
    )
  })

  for (const [before, length] of [
    [0, 1],
    [0, 7],
    [5, 3],
    [100, 64],
  ] as const) {
    test(`a circle of ${length} pages after ${before} others is seen`, async () => {
      const { driver, asked } = pagesOf((_, count) => ({
        nextToken: count <= before ? `once ${count}` : `again ${(count - before) % length}`,
      }))
      await rejects(list(driver), /does not end: page \d+ has the next_token/)
      equal(asked() < 4 * (before + length) + 4, true, `after ${asked()} pages`)
    })
  }

  test('one without end comes to an end', async () => {
    const { driver, asked } = pagesOf((_, count) => ({ handles: [`other ${count}`], nextToken: `page ${count}` }))
    await rejects(list(driver), /does not end: there are more than/)
    equal(asked(), 10_000)
  })
})
