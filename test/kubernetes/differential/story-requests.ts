import { VALID_CUSTOM_OBJECT, VALID_OBJECTS } from '../../../src/apiserver/testing/valid-objects.ts'
import type { ValidObject } from '../../../src/apiserver/testing/valid-objects.ts'
import type { Random } from '../../../src/base/random.ts'
import { pick } from './change-object.ts'
import { JSON_BODY, pathOf } from './compared-request.ts'
import type { ComparedRequest } from './compared-request.ts'

const APPLY = { 'content-type': 'application/apply-patch+yaml' }
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
const METADATA = { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' }

/** Kinds of which a server holds the same objects as the other at the start. */
const LISTED = [...VALID_OBJECTS, VALID_CUSTOM_OBJECT].filter(
  ({ kind }) =>
    ![
      'Namespace',
      'ClusterRole',
      'ClusterRoleBinding',
      'Role',
      'RoleBinding',
      'ServiceAccount',
      'ConfigMap',
      'Service',
      'CustomResourceDefinition',
      'Event',
      'Lease',
    ].includes(kind),
)

/** Reads in all forms: whole lists, tables, metadata, by selectors, pages, and at versions. */
export const reads = (): ComparedRequest[] =>
  LISTED.flatMap((object): ComparedRequest[] => {
    const { collection, object: path } = pathOf(object)
    const get = (title: string, where: string, headers = {}): ComparedRequest => ({
      title: `${title} ${object.kind}`,
      method: 'GET',
      path: where,
      headers,
    })
    return [
      get('list', collection),
      get('table of', collection, TABLE),
      get('table with objects of', `${collection}?includeObject=Object`, TABLE),
      get('table row of', path, TABLE),
      get('metadata of', collection, METADATA),
      get('get', path),
      get('get missing', `${collection}/no-such-object`),
      ...QUERIES.map((query) => get(`list ${query}`, `${collection}?${query}`)),
    ]
  })

const QUERIES = [
  'labelSelector=app%3Dweb',
  'labelSelector=app%20in%20(web,db),!other',
  'labelSelector=example.com/tier',
  'labelSelector=app%20gt%20web',
  'labelSelector=,,',
  'labelSelector=app%3Da%20b',
  'fieldSelector=metadata.name%3Dfast',
  'fieldSelector=metadata.name!%3Dfast',
  'fieldSelector=spec.unknown%3D1',
  'fieldSelector=metadata.name',
  'limit=1',
  'limit=-1',
  'limit=x',
  'continue=nonsense',
  'resourceVersion=0',
  'resourceVersion=x',
  'resourceVersion=1&resourceVersionMatch=NotOlderThan',
  'resourceVersion=0&resourceVersionMatch=Exact',
  'resourceVersionMatch=Exact',
  'resourceVersion=1&resourceVersionMatch=Other',
  'limit=1&resourceVersion=0',
  'sendInitialEvents=true',
  'watch=true&resourceVersionMatch=NotOlderThan',
  'watch=true&sendInitialEvents=true',
  'timeoutSeconds=x',
]

/** Lists at versions before the last changes, and pages of a list that has changed since the first page. */
export function historyStory(): ComparedRequest[] {
  const collection = '/api/v1/namespaces/default/configmaps'
  const selected = `${collection}?labelSelector=history%3Dyes`
  const [marked, firstPage] = [`${collection}/history-mark`, `${selected}&limit=2`]
  const at = `resourceVersion=RV_OF(${marked})`
  const get = (path: string): ComparedRequest => ({
    title: `at an older version ${path.slice(collection.length)}`,
    method: 'GET',
    path,
  })
  const create = (name: string): ComparedRequest => ({
    title: `history: create ${name}`,
    method: 'POST',
    path: collection,
    headers: JSON_BODY,
    body: JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `history-${name}`, labels: { history: 'yes' } },
      data: { step: '1' },
    }),
  })
  const reads = [
    get(`${selected}&${at}&resourceVersionMatch=Exact`),
    get(`${selected}&${at}&resourceVersionMatch=NotOlderThan`),
    get(`${selected}&${at}`),
    get(`${selected}&${at}&limit=2`),
    get(`${selected}&${at}&limit=2&resourceVersionMatch=Exact`),
    get(`${selected}&${at}&limit=2&resourceVersionMatch=NotOlderThan`),
    get(`${selected}&limit=2&continue=CONTINUE_OF(${firstPage})`),
    get(`${selected}&limit=2&continue=CONTINUE_OF(${firstPage})&${at}`),
    get(`${selected}&limit=2&continue=CONTINUE_OF(${firstPage})&resourceVersionMatch=Exact`),
    get(`${marked}?${at}`),
    get(`${collection}/history-b?${at}`),
    get(`${selected}&resourceVersion=1&resourceVersionMatch=NotOlderThan`),
    get(`${selected}&resourceVersion=99999999&resourceVersionMatch=Exact`),
  ]
  return [
    ...['a', 'b', 'c', 'mark'].map(create),
    ...reads,
    {
      title: 'history: change a',
      method: 'PATCH',
      path: `${collection}/history-a`,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ data: { step: '2' } }),
    },
    { title: 'history: delete b', method: 'DELETE', path: `${collection}/history-b` },
    create('d'),
    {
      title: 'history: unlabel c',
      method: 'PATCH',
      path: `${collection}/history-c`,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ metadata: { labels: null } }),
    },
    ...reads,
  ]
}

/** Applies by several managers: ownership, conflicts, force, dropped fields, the order of lists, and a mixture with other writes. */
export function applyStory(random: Random, index: number): ComparedRequest[] {
  const name = `applied-${index}`
  const path = `/api/v1/namespaces/default/configmaps/${name}`
  const setPath = `/apis/apps/v1/namespaces/default/statefulsets/${name}`
  const keys = ['a', 'b', 'c', 'd']
  const steps = Array.from({ length: 8 }, (): ComparedRequest => {
    const manager = pick(random, ['one', 'two', 'three'])
    const some = keys.filter(() => random.below(2) === 0)
    const force = random.below(3) === 0
    const value = String(random.below(3))
    if (random.below(2) === 0) {
      const data = Object.fromEntries(some.map((key) => [key, value]))
      return random.below(4) === 0
        ? {
            title: `merge patch of an applied ConfigMap`,
            method: 'PATCH',
            path: `${path}?fieldManager=${manager}`,
            headers: { 'content-type': 'application/merge-patch+json' },
            body: JSON.stringify({ data }),
          }
        : applyOf(
            'ConfigMap',
            path,
            { manager, force },
            { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data },
          )
    }
    const shuffled = some.toSorted(() => random.below(3) - 1)
    const containers = (shuffled.length === 0 ? ['a'] : shuffled).map((each) => ({
      name: each,
      image: `i:${value}`,
      ports: [{ containerPort: 80 + random.below(2), protocol: 'TCP' }],
    }))
    const labels = { app: name }
    return applyOf(
      'StatefulSet',
      setPath,
      { manager, force },
      {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: { name, annotations: { [`example.com/${manager}`]: value } },
        spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
      },
    )
  })
  return [
    ...steps,
    ...[path, setPath].map((each): ComparedRequest => ({ title: 'get an applied object', method: 'GET', path: each })),
  ]
}

const applyOf = (
  kind: string,
  path: string,
  { manager, force }: { manager: string; force: boolean },
  body: object,
): ComparedRequest => ({
  title: `apply in turns ${kind}`,
  method: 'PATCH',
  path: `${path}?fieldManager=${manager}${force ? '&force=true' : ''}`,
  headers: APPLY,
  body: JSON.stringify(body),
})

/** The end of every object: preconditions, finalizers, and what is answered. */
export const deletions = (): ComparedRequest[] =>
  [...VALID_OBJECTS, VALID_CUSTOM_OBJECT]
    .filter(({ kind }) => kind !== 'Namespace' && kind !== 'CustomResourceDefinition')
    .toReversed()
    .flatMap((object: ValidObject): ComparedRequest[] => {
      const { object: path } = pathOf(object)
      const request = (title: string, method: string, more: Partial<ComparedRequest> = {}): ComparedRequest => ({
        title: `${title} ${object.kind}`,
        method,
        path,
        headers: JSON_BODY,
        ...more,
      })
      const wrong = JSON.stringify({ preconditions: { uid: 'wrong' } })
      return [
        request('delete with a wrong uid', 'DELETE', { body: wrong }),
        request('delete with two policies', 'DELETE', {
          body: JSON.stringify({ orphanDependents: true, propagationPolicy: 'Orphan' }),
        }),
        request('dry delete', 'DELETE', { path: `${path}?dryRun=All` }),
        request('delete', 'DELETE', {
          body: JSON.stringify({ propagationPolicy: 'Background', gracePeriodSeconds: 0 }),
        }),
        request('release', 'PATCH', {
          headers: { 'content-type': 'application/merge-patch+json' },
          body: JSON.stringify({ metadata: { finalizers: null } }),
        }),
        request('get deleted', 'GET', { headers: {} }),
      ]
    })
