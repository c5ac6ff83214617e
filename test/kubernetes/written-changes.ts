/** One line of an audit log with requests and answers, as far as it is looked at. */
export type AuditedWrite = {
  readonly stage: string
  readonly verb: string
  readonly user: { readonly username: string }
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string }
  readonly responseStatus?: { readonly code?: number }
  readonly requestObject?: unknown
  readonly responseObject?: unknown
}

/** What one program wrote in the course of an operation. */
export type WrittenChanges = {
  /** `patch persistentvolumes`, with how often. Without events. */
  readonly writes: ReadonlyMap<string, number>
  /** `+external-provisioner.volume.kubernetes.io/finalizer on persistentvolumes`, each once, in order. */
  readonly finalizers: readonly string[]
  readonly annotations: readonly string[]
  readonly labels: readonly string[]
  /** `+VolumeGroupSnapshot on volumesnapshots`, each once, in order. */
  readonly owners: readonly string[]
  /** `Warning VolumeResizeFailed`, each once, in order. */
  readonly events: readonly string[]
}

// The metadata of any object, and what is looked at of an event.
type AnyObject = {
  readonly kind?: string
  readonly type?: string
  readonly reason?: string
  readonly metadata?: Metadata
}
type Metadata = {
  readonly uid?: string
  readonly resourceVersion?: string
  readonly finalizers?: readonly string[]
  readonly annotations?: Readonly<Record<string, string>>
  readonly labels?: Readonly<Record<string, string>>
  readonly ownerReferences?: readonly { readonly kind: string }[]
}

/** Lines of the log that tell of a successful write. */
export function parseWrites(log: string): AuditedWrite[] {
  // The last line may still be in the making.
  const lines = log.split('\n').slice(0, -1)
  return lines
    .map((line) => JSON.parse(line) as AuditedWrite)
    .filter(({ stage, responseStatus }) => stage === 'ResponseComplete' && (responseStatus?.code ?? 500) < 400)
}

/** What the user changed in `writes`, given everything that anybody has ever written to the same objects. */
export function changesOf(
  user: string,
  writes: readonly AuditedWrite[],
  history: readonly AuditedWrite[],
): WrittenChanges {
  const count = new Map<string, number>()
  const [finalizers, annotations, labels]: [string[], string[], string[]] = [[], [], []]
  const [owners, events]: [string[], string[]] = [[], []]
  for (const write of writes) {
    if (write.user.username !== user) continue
    const { resource = '', subresource } = write.objectRef ?? {}
    if (resource === 'events') {
      const { type, reason } = objectOf(write.requestObject)
      if (write.verb === 'create') events.push(`${type} ${reason}`)
      continue
    }
    const what = `${write.verb} ${subresource ? `${resource}/${subresource}` : resource}`
    count.set(what, (count.get(what) ?? 0) + 1)
    if (write.verb === 'delete') continue
    const after = objectOf(write.responseObject)
    const before = write.verb === 'create' ? {} : previousOf(after, history)
    const changed = (entriesOf: (metadata: Metadata) => readonly string[] | undefined): string[] =>
      differences(entriesOf(before.metadata ?? {}) ?? [], entriesOf(after.metadata ?? {}) ?? [], resource)
    finalizers.push(...changed((metadata) => metadata.finalizers))
    annotations.push(...changed((metadata) => pairsOf(metadata.annotations)).map(withoutValue))
    labels.push(...changed((metadata) => pairsOf(metadata.labels)).map(withoutValue))
    owners.push(...changed((metadata) => metadata.ownerReferences?.map(({ kind }) => kind)))
  }
  const once = (list: readonly string[]): string[] => [...new Set(list)]
  return {
    writes: count,
    finalizers: once(finalizers),
    annotations: once(annotations),
    labels: once(labels),
    owners: once(owners),
    events: once(events),
  }
}

const pairsOf = (values: Readonly<Record<string, string>> = {}): string[] =>
  Object.entries(values).map(([key, value]) => `${key}=${value}`)

const withoutValue = (line: string): string => line.replace(/=[^ ]*/, '')

const objectOf = (value: unknown): AnyObject => (value ?? {}) as AnyObject

/** The object as it was before this version. */
function previousOf({ metadata }: AnyObject, history: readonly AuditedWrite[]): AnyObject {
  const at = BigInt(metadata?.resourceVersion ?? '0')
  let last: { at: bigint; object: AnyObject } | undefined
  for (const { responseObject } of history) {
    const object = objectOf(responseObject)
    if (object.metadata?.uid === undefined || object.metadata.uid !== metadata?.uid) continue
    const version = BigInt(object.metadata.resourceVersion ?? '0')
    if (version < at && (!last || version > last.at)) last = { at: version, object }
  }
  return last?.object ?? {}
}

const differences = (before: readonly string[], after: readonly string[], resource: string): string[] => [
  ...after.filter((each) => !before.includes(each)).map((each) => `+${each} on ${resource}`),
  ...before.filter((each) => !after.includes(each)).map((each) => `-${each} on ${resource}`),
]
