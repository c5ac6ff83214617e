import type { Api } from '../../api/api.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { CSI_NODE_INFOS } from '../../compat/alpha-csi-node-info.ts'
import type { CSINodeInfo } from '../../compat/alpha-csi-node-info.ts'
import { within } from '../../kube/within.ts'
import { nextCsiNodeInfoStep } from './next-csi-node-info-step.ts'
import { isFinalRefusal, isNotServed, readOwnObject } from './own-object.ts'
import type { OwnObject } from './own-object.ts'
import type { PublicationView } from './publication-view.ts'

/** The node's CSINodeInfo, where there is such a kind. Whoever needs it has to do without while it can't be read or written. */
export interface NodeInfoCopy {
  forget(): void
  read(signal: AbortSignal): Promise<void>
  /** For the view; empty while it is not known. */
  seen(): { csiNodeInfo?: CSINodeInfo | undefined }
  /** False: something was written, look again. */
  write(view: () => PublicationView, signal: AbortSignal): Promise<boolean>
}

const ASK_AGAIN_MS = 300_000

export function createNodeInfoCopy({
  api,
  clock,
  nodeName,
  log,
}: {
  api: Api
  clock: Clock
  nodeName: string
  log: Logger
}): NodeInfoCopy {
  let info: OwnObject<CSINodeInfo> = { kind: 'unread' }
  let askedAtMs = Number.NEGATIVE_INFINITY

  const read = async (signal: AbortSignal): Promise<void> => {
    askedAtMs = clock.monotonicMs()
    try {
      info = await within(clock, signal, (until) => readOwnObject(api, CSI_NODE_INFOS, nodeName, until))
    } catch (error) {
      signal.throwIfAborted()
      log.debug('CSINodeInfo could not be read', { error })
      info = { kind: 'unserved', cause: error instanceof Error ? error : new Error(String(error)) }
    }
  }
  const write = async (view: () => PublicationView, signal: AbortSignal): Promise<boolean> => {
    if (info.kind !== 'read' && clock.monotonicMs() - askedAtMs >= ASK_AGAIN_MS) await read(signal)
    if (info.kind !== 'read') return true
    const step = nextCsiNodeInfoStep(view())
    if (step.kind === 'done') return true
    info = { kind: 'unread' }
    try {
      const object = await within(clock, signal, (until) =>
        step.kind === 'create'
          ? api.create(CSI_NODE_INFOS, step.object, { signal: until })
          : api.update(CSI_NODE_INFOS, step.object, { signal: until }),
      )
      info = { kind: 'read', object }
    } catch (error) {
      signal.throwIfAborted()
      log.warn('CSINodeInfo was not written', { error })
      if (!isNotServed(error) && !isFinalRefusal(error)) throw error
      askedAtMs = clock.monotonicMs()
      info = { kind: 'unserved', cause: error }
    }
    return false
  }
  return {
    forget: () => void (info = { kind: 'unread' }),
    read,
    seen: () => (info.kind === 'read' ? { csiNodeInfo: info.object } : {}),
    write,
  }
}
