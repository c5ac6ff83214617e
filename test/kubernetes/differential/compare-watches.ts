import type { RawClient } from '../../../src/apiserver/testing/raw-client.ts'
import { differencesOf, withoutChance } from './compare-replies.ts'
import type { Difference } from './compare-replies.ts'
import { JSON_BODY } from './compared-request.ts'

const COLLECTION = '/api/v1/namespaces/default/configmaps'
const MERGE = { 'content-type': 'application/merge-patch+json' }
const QUERIES = [
  '',
  '&labelSelector=watched%3Dyes',
  '&fieldSelector=metadata.name%3Dseen-1',
  '&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
]
const FORMS: readonly Readonly<Record<string, string>>[] = [
  { accept: 'application/json' },
  { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' },
]

type Clients = { readonly ours: RawClient; readonly theirs: RawClient }

/** Lets both servers live through the same changes, and compares the events that watches of all forms show. */
export async function compareWatches({ ours, theirs }: Clients): Promise<Difference[]> {
  const [since, theirSince] = [await play(ours), await play(theirs)]
  const differences: Difference[] = []
  for (const query of QUERIES) {
    for (const headers of FORMS) {
      const [own, other] = await Promise.all([
        watch(ours, since, query, headers),
        watch(theirs, theirSince, query, headers),
      ])
      differences.push(...differencesOf(own, other))
    }
  }
  return differences
}

/** The changes, and the version before them. */
async function play(client: RawClient): Promise<string> {
  const { text } = await client.ask({ path: `${COLLECTION}?labelSelector=none` })
  const { metadata } = JSON.parse(text) as { metadata: { resourceVersion: string } }
  const create = (name: string, labels: object): Promise<unknown> =>
    client.ask({
      method: 'POST',
      path: COLLECTION,
      headers: JSON_BODY,
      body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels }, data: { a: '1' } }),
    })
  const patch = (name: string, body: object): Promise<unknown> =>
    client.ask({ method: 'PATCH', path: `${COLLECTION}/${name}`, headers: MERGE, body: JSON.stringify(body) })
  await create('seen-1', { watched: 'yes' })
  await create('seen-2', { watched: 'no' })
  await patch('seen-1', { data: { a: '2' } })
  await patch('seen-1', { data: { a: '2' } })
  await patch('seen-2', { metadata: { labels: { watched: 'yes' } } })
  await patch('seen-1', { metadata: { labels: { watched: 'no' } } })
  await patch('seen-2', { metadata: { finalizers: ['example.com/hold'] } })
  await client.ask({ method: 'DELETE', path: `${COLLECTION}/seen-2` })
  await client.ask({ method: 'DELETE', path: `${COLLECTION}/seen-1` })
  await patch('seen-2', { metadata: { finalizers: null } })
  return metadata.resourceVersion
}

/** The events of one second, which is more than it takes. */
async function watch(
  client: RawClient,
  since: string,
  query: string,
  headers: Readonly<Record<string, string>>,
): Promise<unknown[]> {
  // Initial events show what is there now; the objects of other tests are in both, but not in the same order.
  const from = query.includes('sendInitialEvents') ? 'fieldSelector=metadata.name%3Dmap' : `resourceVersion=${since}`
  const { text } = await client.ask({ path: `${COLLECTION}?watch=true&timeoutSeconds=1&${from}${query}`, headers })
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => withoutChance(JSON.parse(line)))
}
