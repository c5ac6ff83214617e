import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { CreateVolumeRequest } from '../../../csi/generated/csi/v1/csi.ts'
import type { TopologyRequirement } from '../../../csi/generated/csi/v1/csi.ts'
import { withoutUndefined } from '../../../base/without-undefined.ts'
import { BETA_STORAGE_CLASS, classNameOf, findAnnotation } from '../../../storage/names.ts'
import type { ProvisionPlan } from '../provision-view.ts'

/** The plan for a claim, by its UID. It never contains secret values: those are read again by their references. */
export type JournalEntry = { readonly uid: string; readonly plan: ProvisionPlan }

/** The text format that this version can read. */
const VERSION = 1
const COMPRESSED = 'deflate:'
// Plain text up to this size, so that people can read it.
const LONGEST_PLAIN_TEXT = 128 * 1024

type Line = ReturnType<typeof lineOf> & { readonly places?: PlaceNote }

/** The index of a list, and the position at which the preferred order starts; null if there is no order. */
type PlaceNote = { readonly list: number; readonly first: number | null }

type Lists = readonly (readonly Readonly<Record<string, string>>[])[]
type Text = { readonly version: number; readonly lists: Lists; readonly volumes: readonly Line[] }

/** An entry that was prepared for writing, once, however often the journal is written with it. */
export type PreparedEntry = {
  readonly text: string
  readonly places?: { readonly list: string; readonly first: number | null }
}

export function prepareEntry(entry: JournalEntry): PreparedEntry {
  const { accessibilityRequirements: places } = entry.plan.request
  return { text: JSON.stringify(lineOf(entry)), ...(places ? { places: noteOf(places) } : {}) }
}

/** The same entries give the same text. */
export function formatJournal(entries: Iterable<PreparedEntry>): string {
  const lists = new Map<string, number>()
  const indexOf = (list: string): number => {
    const index = lists.get(list) ?? lists.size
    lists.set(list, index)
    return index
  }
  const volumes = Array.from(entries, ({ text, places }) => {
    if (!places) return text
    const note: PlaceNote = { list: indexOf(places.list), first: places.first }
    return `${text.slice(0, -1)},"places":${JSON.stringify(note)}}`
  })
  const plain = `{"version":${VERSION},"lists":[${[...lists.keys()].join(',')}],"volumes":[${volumes.join(',')}]}`
  return plain.length <= LONGEST_PLAIN_TEXT ? plain : `${COMPRESSED}${deflateRawSync(plain).toString('base64')}`
}

/** Throws if the text has another format. */
export function parseJournal(text: string): JournalEntry[] {
  const plain = text.startsWith(COMPRESSED)
    ? inflateRawSync(Buffer.from(text.slice(COMPRESSED.length), 'base64')).toString('utf8')
    : text
  // We wrote it ourselves: the version guarantees this structure.
  const { version, lists, volumes } = JSON.parse(plain) as Text
  if (version !== VERSION) throw new Error(`the journal has version ${version}, and this program reads ${VERSION}`)
  return volumes.map((line) => entryOf(line, lists))
}

function lineOf({ uid, plan }: JournalEntry) {
  const { claim, class: storageClass, request, secrets, fsType, topology } = plan
  const { namespace = '', name = '', resourceVersion } = claim.metadata
  const { accessModes, volumeMode, volumeAttributesClassName: attributesClass, dataSource, dataSourceRef } = claim.spec
  const { provisioner, reclaimPolicy, mountOptions } = storageClass
  return {
    uid,
    claim: withoutUndefined({
      namespace,
      name,
      resourceVersion,
      class: claim.spec.storageClassName,
      betaClass: findAnnotation(claim, BETA_STORAGE_CLASS),
      accessModes,
      volumeMode,
      attributesClass,
      dataSource,
      dataSourceRef,
    }),
    class: withoutUndefined({ name: classNameOf(claim), provisioner, reclaimPolicy, mountOptions }),
    secrets,
    fsType,
    node: plan.selectedNode,
    topology,
    // In the wire format, in base64, without secrets and topologies.
    request: encode({ ...request, secrets: {}, accessibilityRequirements: undefined }),
  }
}

function entryOf(line: Line, lists: Lists): JournalEntry {
  const { uid, claim, class: storageClass, secrets, fsType, node: selectedNode, topology, request, places } = line
  const { namespace, name, resourceVersion, class: storageClassName, betaClass, attributesClass, ...spec } = claim
  const { name: className, ...classRest } = storageClass
  const annotations = betaClass === undefined ? undefined : { [BETA_STORAGE_CLASS]: betaClass }
  return {
    uid,
    plan: {
      claim: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: withoutUndefined({ namespace, name, uid, resourceVersion, annotations }),
        spec: withoutUndefined({ storageClassName, volumeAttributesClassName: attributesClass, ...spec }),
      },
      class: { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: className }, ...classRest },
      secrets,
      fsType,
      selectedNode,
      topology,
      request: {
        ...CreateVolumeRequest.decode(Buffer.from(request, 'base64')),
        accessibilityRequirements: places ? placesOf(places, lists) : undefined,
      },
    },
  }
}

const encode = (request: CreateVolumeRequest): string =>
  Buffer.from(CreateVolumeRequest.encode(request).finish()).toString('base64')

// Preferred is requisite from another starting position, or empty.
function noteOf({ requisite, preferred }: TopologyRequirement): NonNullable<PreparedEntry['places']> {
  const texts = requisite.map(({ segments }) => JSON.stringify(segments))
  const list = `[${texts.join(',')}]`
  if (preferred.length === 0) return { list, first: null }
  const wanted = preferred.map(({ segments }) => JSON.stringify(segments))
  const first = texts.indexOf(wanted[0] ?? '')
  if (first < 0 || rotate(texts, first).some((text, index) => text !== wanted[index]))
    throw new Error('the preferred places are others than the requisite ones')
  return { list, first }
}

function placesOf({ list, first }: PlaceNote, lists: Lists): TopologyRequirement {
  const requisite = (lists[list] ?? []).map((segments) => ({ segments }))
  return { requisite, preferred: first === null ? [] : rotate(requisite, first) }
}

const rotate = <T>(places: readonly T[], first: number): T[] => [...places.slice(first), ...places.slice(0, first)]
