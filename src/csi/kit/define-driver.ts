import type { Logger } from '../../base/logger.ts'
import type { Tracer } from '../../base/tracing/index.ts'
import { CsiError } from '../csi-error.ts'
import type { NodePublishVolumeRequest } from '../generated/csi/v1/csi.ts'
import { CSI_SERVICES } from '../rpc.ts'
import type { CsiMethods, HandlersOf, Rpc } from '../rpc.ts'
import { deriveCapabilities } from './derive-capabilities.ts'
import type { Capabilities } from './derive-capabilities.ts'
import { createDispatcher } from './dispatch.ts'
import type { Dispatcher, Guard } from './dispatch.ts'
import type { CsiHandlers, DriverDescription } from './handlers.ts'
import { createLockTable } from './lock-table.ts'
import type { Lock, LockTable } from './lock-table.ts'
import { LOCKS_OF } from './locks-of.ts'
import { findRequestProblem } from './validate-request.ts'
import { findResponseProblem } from './validate-response.ts'

export type DriverParts = {
  handlers: CsiHandlers
  log: Logger
  /** For drivers in one process that serve the same volumes on several nodes. Default: a separate table. */
  locks?: LockTable
  /** Separates locks of this node from those of other nodes that share the lock table. */
  node?: string
  /** Records the calls of the driver that carry a trace. Default: none. */
  tracer?: Tracer | undefined
}

/**
 * A driver made of typed handlers: validates requests as the CSI specification requires, allows one operation at a time for each volume, and
 * announces the capabilities that the handlers implement.
 */
export function defineDriver(
  description: DriverDescription,
  { handlers, log, locks = createLockTable(), node = '', tracer }: DriverParts,
): Dispatcher {
  validateDescription(description)
  const capabilities = deriveCapabilities(handlers, description.features ?? {})
  const complete: HandlersOf<CsiMethods> = {
    probe: () => Promise.resolve({ ready: true }),
    ...handlers,
    ...identityHandlers(description, capabilities),
  }
  const guard = createGuard({ locks, node, stages: handlers.nodeStageVolume !== undefined })
  return createDispatcher<CsiMethods>({
    services: CSI_SERVICES,
    handlers: complete,
    guard,
    log,
    tracer: tracer?.as(description.name),
  })
}

const NAME = /^[a-zA-Z0-9]([-a-zA-Z0-9.]{0,61}[a-zA-Z0-9])?$/

function validateDescription({ name, version }: DriverDescription): void {
  if (!NAME.test(name))
    throw new Error(`driver name ${JSON.stringify(name)} is invalid: use at most 63 letters, digits, dots and dashes`)
  if (version === '') throw new Error(`driver ${name} needs a version`)
}

function identityHandlers(
  { name, version, manifest = {} }: DriverDescription,
  capabilities: Capabilities,
): HandlersOf<CsiMethods> {
  const service = capabilities.services.map((type) => ({ type: { $case: 'service' as const, value: { type } } }))
  const expansion =
    capabilities.expansion === undefined
      ? []
      : [{ type: { $case: 'volumeExpansion' as const, value: { type: capabilities.expansion } } }]
  const rpc = <T>(type: T) => ({ type: { $case: 'rpc' as const, value: { type } } })
  return {
    getPluginInfo: () => Promise.resolve({ name, vendorVersion: version, manifest }),
    getPluginCapabilities: () => Promise.resolve({ capabilities: [...service, ...expansion] }),
    controllerGetCapabilities: () => Promise.resolve({ capabilities: capabilities.controller.map(rpc) }),
    groupControllerGetCapabilities: () => Promise.resolve({ capabilities: capabilities.group.map(rpc) }),
    nodeGetCapabilities: () => Promise.resolve({ capabilities: capabilities.node.map(rpc) }),
  }
}

function createGuard({ locks, node, stages }: { locks: LockTable; node: string; stages: boolean }): Guard {
  const check = (rpc: Rpc, request: object): void => {
    const problem = findRequestProblem(rpc, request)
    if (problem !== undefined) throw new CsiError('INVALID_ARGUMENT', problem)
    if (stages && rpc.name === 'NodePublishVolume') requireStaging(request as NodePublishVolumeRequest)
  }
  const unary: Guard['unary'] = async (rpc, request, handle) => {
    check(rpc, request)
    const acquired = locks.tryAcquire(locksOf(rpc, request, node))
    if ('taken' in acquired) throw new CsiError('ABORTED', `an operation is already pending for ${acquired.taken}`)
    try {
      const response = await handle()
      const problem = findResponseProblem(rpc, response)
      if (problem !== undefined) throw new CsiError('INTERNAL', `the driver returned an invalid response: ${problem}`)
      return response
    } finally {
      acquired.release()
    }
  }
  const serverStream: Guard['serverStream'] = async function* (rpc, request, handle) {
    check(rpc, request)
    yield* handle()
  }
  return { unary, serverStream }
}

// The type of LOCKS_OF ties each function to the request of its own method.
const locksOf = (rpc: Rpc, request: object, node: string): Lock[] =>
  (LOCKS_OF as Record<string, ((request: object, node: string) => Lock[]) | undefined>)[rpc.key]?.(request, node) ?? []

// NodePublishVolume itself creates an ephemeral volume, which is never staged.
function requireStaging({ stagingTargetPath, volumeContext }: NodePublishVolumeRequest): void {
  if (stagingTargetPath !== '' || volumeContext['csi.storage.k8s.io/ephemeral'] === 'true') return
  throw new CsiError('FAILED_PRECONDITION', 'staging_target_path is required: this driver stages volumes')
}
