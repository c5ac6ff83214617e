// A million volumes at a hundred per page: the list of a driver that exceeds this will not end.
const MOST_PAGES = 10_000

/** Reads a list of the driver page by page. Fails if the list does not end. */
export async function readPages<Page extends { readonly nextToken: string }>(
  rpc: string,
  readPage: (startingToken: string) => Promise<Page>,
  take: (page: Page) => void,
): Promise<void> {
  // Only one earlier token is kept, replaced at each power of two: in a cycle it comes back.
  let mark = ''
  let startingToken = ''
  for (let count = 1; count <= MOST_PAGES; count++) {
    const page = await readPage(startingToken)
    take(page)
    const { nextToken } = page
    if (nextToken === '') return
    if (nextToken === mark) throw new Error(`${rpc} does not end: page ${count} has the next_token of an earlier page`)
    if (Number.isInteger(Math.log2(count))) mark = nextToken
    startingToken = nextToken
  }
  throw new Error(`${rpc} does not end: there are more than ${MOST_PAGES} pages`)
}
