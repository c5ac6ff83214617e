import { isCsiError, outcomeOf } from '../csi/index.ts'
import type { CsiMethod, CsiRpc, Driver } from '../csi/index.ts'
import { CsiError } from '../csi/csi-error.ts'
import { CSI_RPCS } from '../csi/rpc.ts'
import { Unexpected } from './expectation.ts'
import type { Journal, JournalEntry, ObjectKind, Use } from './journal.ts'
import type { Secrets } from './settings.ts'

export type JournaledParts = {
  driver: Driver
  journal: Journal
  /** The socket of this driver, for `--clean`. */
  endpoint: string
  secrets: Secrets
  /** A caller that is killed before it sees the reply to a delete may repeat it. */
  mayRepeatDeletes?: boolean
  /** Called with every entry that the calls of this driver add. */
  onEntry(entry: JournalEntry): void
}

/**
 * The driver with a journal in between: whatever a call may create, attach or mount is on disk before the call is sent. Every case calls the driver
 * through it, so that no case can forget to. Refuses to delete what this run did not create, and hides an object of somebody else that the driver
 * returns as new: a case that does not learn its ID cannot attach it, write to it or delete it.
 */
export function createJournaledDriver(parts: JournaledParts): Driver {
  const { journal } = parts
  const driver = withSecrets(parts.driver, parts.secrets)

  const create = async <Response extends object>(
    made: { kind: ObjectKind; method: CsiMethod; name: string; request: object },
    call: () => Promise<Response>,
    identify: (response: Response) => { id: string; members?: readonly string[] },
  ): Promise<Response> => {
    const { kind, method, name } = made
    const entry = await journal.add({ kind, name, request: encode(method, made.request) })
    parts.onEntry(entry)
    let response: Response
    try {
      response = await call()
    } catch (error) {
      // Without a definite answer the object may exist: the entry stays, and cleaning repeats the request.
      if (isDefinite(method, error)) await journal.remove(entry.number)
      throw error
    }
    const { id, members = [] } = identify(response)
    if (journal.isForeign(kind, id)) {
      await journal.remove(entry.number)
      throw new Unexpected(
        `a new ${kind} with the name ${name}`,
        `${kind} ${id}, which the driver listed before this run`,
      )
    }
    // A repeated call returns an object that has an entry already.
    // The caller may have died before it saw an earlier reply for the same name; this reply settles that one too.
    for (const before of journal.all())
      if (before.kind === kind && before.name === name && before.id === undefined && before.number < entry.number)
        await journal.remove(before.number)
    if (id === '' || journal.find(kind, id)) await journal.remove(entry.number)
    else await journal.update(entry.number, (present) => ({ ...present, id, members }))
    return response
  }
  const destroy = async <Response>(kind: ObjectKind, id: string, call: () => Promise<Response>): Promise<Response> => {
    const entry = journal.find(kind, id)
    const isRepeated = parts.mayRepeatDeletes === true && journal.wasRemoved(kind, id)
    if (!entry && id !== '' && !isRepeated && (journal.isForeign(kind, id) || !id.includes(journal.record.run)))
      throw new Error(`refusing to delete ${kind} ${id}: this run did not create it`)
    const response = await call()
    if (entry) await journal.remove(entry.number)
    return response
  }
  const start = async <Response>(
    method: CsiMethod,
    volumeId: string,
    use: Use,
    call: () => Promise<Response>,
  ): Promise<Response> => {
    const entry = journal.find('volume', volumeId)
    const isNew = entry !== undefined && !entry.uses.some((present) => isSame(present, use))
    if (isNew) await journal.update(entry.number, (present) => ({ ...present, uses: [...present.uses, use] }))
    try {
      return await call()
    } catch (error) {
      if (isNew && isDefinite(method, error)) await forget(volumeId, use)
      throw error
    }
  }
  const end = async <Response>(volumeId: string, use: Use, call: () => Promise<Response>): Promise<Response> => {
    const response = await call()
    await forget(volumeId, use)
    return response
  }
  const forget = async (volumeId: string, use: Use): Promise<void> => {
    const entry = journal.find('volume', volumeId)
    if (!entry) return
    const isEnded = (present: Use): boolean =>
      isSame(present, use) || (use.kind === 'attach' && use.nodeId === '' && present.kind === 'attach')
    await journal.update(entry.number, (present) => ({
      ...present,
      uses: present.uses.filter((one) => !isEnded(one)),
    }))
  }
  const { endpoint } = parts
  const attach = (nodeId = ''): Use => ({ kind: 'attach', nodeId })
  const stage = (path = ''): Use => ({ kind: 'stage', endpoint, path })
  const publish = (path = ''): Use => ({ kind: 'publish', endpoint, path })

  return {
    ...driver,
    createVolume: (request, options) =>
      create(
        { kind: 'volume', method: 'createVolume', name: request.name ?? '', request },
        () => driver.createVolume(request, options),
        ({ volume }) => ({ id: volume?.volumeId ?? '' }),
      ),
    createSnapshot: (request, options) =>
      create(
        { kind: 'snapshot', method: 'createSnapshot', name: request.name ?? '', request },
        () => driver.createSnapshot(request, options),
        ({ snapshot }) => ({ id: snapshot?.snapshotId ?? '' }),
      ),
    createVolumeGroupSnapshot: (request, options) =>
      create(
        { kind: 'group', method: 'createVolumeGroupSnapshot', name: request.name ?? '', request },
        () => driver.createVolumeGroupSnapshot(request, options),
        ({ groupSnapshot }) => ({
          id: groupSnapshot?.groupSnapshotId ?? '',
          members: groupSnapshot?.snapshots.map(({ snapshotId }) => snapshotId) ?? [],
        }),
      ),
    deleteVolume: (request, options) =>
      destroy('volume', request.volumeId ?? '', () => driver.deleteVolume(request, options)),
    deleteSnapshot: (request, options) =>
      destroy('snapshot', request.snapshotId ?? '', () => driver.deleteSnapshot(request, options)),
    deleteVolumeGroupSnapshot: (request, options) =>
      destroy('group', request.groupSnapshotId ?? '', () => driver.deleteVolumeGroupSnapshot(request, options)),
    controllerPublishVolume: (request, options) =>
      start('controllerPublishVolume', request.volumeId ?? '', attach(request.nodeId), () =>
        driver.controllerPublishVolume(request, options),
      ),
    controllerUnpublishVolume: (request, options) =>
      end(request.volumeId ?? '', attach(request.nodeId), () => driver.controllerUnpublishVolume(request, options)),
    nodeStageVolume: (request, options) =>
      start('nodeStageVolume', request.volumeId ?? '', stage(request.stagingTargetPath), () =>
        driver.nodeStageVolume(request, options),
      ),
    nodeUnstageVolume: (request, options) =>
      end(request.volumeId ?? '', stage(request.stagingTargetPath), () => driver.nodeUnstageVolume(request, options)),
    nodePublishVolume: (request, options) =>
      start('nodePublishVolume', request.volumeId ?? '', publish(request.targetPath), () =>
        driver.nodePublishVolume(request, options),
      ),
    nodeUnpublishVolume: (request, options) =>
      end(request.volumeId ?? '', publish(request.targetPath), () => driver.nodeUnpublishVolume(request, options)),
  }
}

const isSame = (a: Use, b: Use): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Whether the error says that the call has had no effect. */
function isDefinite(method: CsiMethod, error: unknown): boolean {
  const rpc = CSI_RPCS.get(method)
  // An internal error can come from anywhere, so it says nothing about the effect.
  if (!(error instanceof CsiError) || isCsiError(error, 'INTERNAL', 'UNKNOWN') || !rpc) return false
  return outcomeOf(rpc.name as CsiRpc, error) !== 'in-doubt'
}

function encode(method: CsiMethod, request: object): string {
  const rpc = CSI_RPCS.get(method)
  if (!rpc) throw new Error(`unknown method ${method}`)
  const plain: unknown = rpc.requestType.fromPartial({ ...request, secrets: {} })
  return Buffer.from(rpc.requestType.encode(plain).finish()).toString('base64')
}

const hasSecrets = (request: { secrets?: object }): boolean => Object.keys(request.secrets ?? {}).length > 0

/** Adds the user's secrets to every request that has room for them and brings none. */
export function withSecrets(driver: Driver, secrets: Secrets): Driver {
  if (secrets.size === 0) return driver
  const calls = Object.entries(driver).map(([method, call]) => {
    const values = secrets.get(CSI_RPCS.get(method)?.name ?? '')
    if (!values) return [method, call]
    const withValues = (request: object, options?: object): unknown =>
      (call as (request: object, options?: object) => unknown)(
        hasSecrets(request) ? request : { ...request, secrets: values },
        options,
      )
    return [method, withValues]
  })
  // The same keys with functions of the same types.
  return Object.fromEntries(calls) as Driver
}
