import { readdirSync, readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { findResourceType } from '../../api/kinds/all-resource-types.ts'
import type { KubeObject } from '../../api/object.ts'
import { refOf } from '../../api/object-key.ts'
import { openTestCore } from '../../apiserver/testing/open-test-core.ts'
import type { TestCore } from '../../apiserver/testing/open-test-core.ts'
import { attachmentName } from '../../storage/attachment-name.ts'

/** A cluster in which something is stuck, the question, and the first sentence of the answer. */
export type CorpusCase = {
  readonly name: string
  readonly ask: string
  readonly answer: string
  /** Sentences about further problems. */
  readonly also: readonly string[]
  /** The time of the question, in milliseconds since 1970. */
  readonly nowMs?: number
  /** The running clocks, as they are printed. */
  readonly clocks: readonly string[]
  readonly objects: readonly Document[]
}

type Head = {
  readonly ask: string
  readonly answer: string
  readonly also?: readonly string[]
  readonly now?: string
  readonly clocks?: readonly string[]
}
type Document = KubeObject & { readonly status?: object }

// Of all volumes in the corpus.
const DRIVER = 'csi.example.com'

const FOLDER = new URL('../corpus/', import.meta.url)

export function readCorpus(): CorpusCase[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => {
      const [head, ...objects] = parseAllDocuments(readFileSync(new URL(file, FOLDER), 'utf8')).map(
        (document) => document.toJS({ maxAliasCount: -1 }) as unknown,
      )
      // Our own files: a wrong one fails its test.
      const { ask, answer, also = [], now, clocks = [] } = head as Head
      return {
        name: file.replace('.yaml', '').replaceAll('-', ' '),
        ask: fillNames(ask),
        answer: fillNames(answer),
        also: also.map(fillNames),
        ...(now === undefined ? {} : { nowMs: Date.parse(now) }),
        clocks: clocks.map(fillNames),
        objects: objects as Document[],
      }
    })
}

/** The objects on a server in memory, with the status that controllers would have written. `uid of KIND/NAME` and `attachment of HANDLE to NODE` stand for names that are not known before. */
export async function loadCase(
  context: TestContext,
  objects: readonly Document[],
): Promise<TestCore & { /** The same text with these names. */ fill(text: string): string }> {
  const core = await openTestCore(context)
  const { api } = core
  const uids = new Map<string, string>()
  await api
    .create(
      { group: '', version: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', namespaced: true },
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'default', name: 'default' } },
    )
    .catch(() => {})
  const leaving: Document[] = []
  for (const raw of objects) {
    const { status: rawStatus, ...rest } = raw
    const object = fillObject(rest, uids)
    const type = findResourceType(object)
    if (!type) throw new Error(`the corpus has an unknown kind ${object.kind}`)
    // Its presence says that the object was deleted; a finalizer keeps it.
    const { deletionTimestamp, ...metadata } = object.metadata
    const isNamespaced = type.namespaced && metadata.namespace === undefined
    const created = await api.create(type, {
      ...object,
      metadata: { ...metadata, ...(isNamespaced ? { namespace: 'default' } : {}) },
    })
    uids.set(`${created.kind}/${created.metadata.name}`, created.metadata.uid ?? '')
    // A status may speak of the uid of its own object.
    const status = rawStatus && fillObject(rawStatus, uids)
    if (status) await api.update(type, { ...created, status } as KubeObject, { subresource: 'status' })
    if (deletionTimestamp) leaving.push(created)
  }
  for (const object of leaving) {
    const type = findResourceType(object)
    if (type) await api.delete(type, refOf(object))
  }
  return { ...core, fill: (text) => fillUids(text, uids) }
}

const fillObject = <T extends object>(object: T, uids: ReadonlyMap<string, string>): T =>
  JSON.parse(fillNames(fillUids(JSON.stringify(object), uids))) as T

const fillUids = (text: string, uids: ReadonlyMap<string, string>): string =>
  text.replaceAll(/uid of ([A-Za-z]+\/[a-z0-9.-]+)/g, (_, key: string) => {
    const uid = uids.get(key)
    if (uid === undefined) throw new Error(`the corpus speaks of ${key} before it is there`)
    return uid
  })

const fillNames = (text: string): string =>
  text.replaceAll(/attachment of ([a-z0-9-]+) to ([a-z0-9-]+)/g, (_, handle: string, nodeName: string) =>
    attachmentName({ driver: DRIVER, volumeHandle: handle, nodeName }),
  )
