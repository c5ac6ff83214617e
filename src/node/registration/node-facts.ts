import { validateLabels } from '../../api/names.ts'
import { startDeadline } from '../../base/abort.ts'
import { backoffDelayMs } from '../../base/backoff.ts'
import { sleep } from '../../base/clock.ts'
import { CsiError, isCsiError } from '../../csi/csi-error.ts'
import type { NodeGetInfoResponse } from '../../csi/generated/csi/v1/csi.ts'
import type { Driver } from '../../csi/rpc.ts'
import type { RoleWorld } from '../../kube/process/role-world.ts'
import { messageOf, PluginRefusal, REASONS } from './reasons.ts'

/** The driver's information about its node. */
export type NodeFacts = {
  readonly nodeId: string
  /** Labels of the node that determine which volumes it can access. */
  readonly topology: Readonly<Record<string, string>>
  /** Volumes of the driver that the node can have at once. Undefined: no limit is known. */
  readonly maxVolumes: number | undefined
}

// The limits of CSINode.
const MOST_NODE_ID_BYTES = 256
const MOST_VOLUMES = 2 ** 31 - 1
// Each is a label of the node, which every watcher of nodes receives with each report.
const MOST_SEGMENTS = 100

/** The answer of NodeGetInfo. Throws a `PluginRefusal` that says what is wrong with it. A negative limit counts as none. */
export function checkNodeInfo(driver: string, response: NodeGetInfoResponse): NodeFacts {
  const { nodeId, maxVolumesPerNode, accessibleTopology } = response
  const invalid = (problem: string) => new PluginRefusal(REASONS.NodeGetInfoInvalid(driver, problem))
  if (nodeId === '') throw invalid('the node id is empty')
  const bytes = Buffer.byteLength(nodeId)
  if (bytes > MOST_NODE_ID_BYTES) throw invalid(`the node id has ${bytes} bytes, more than ${MOST_NODE_ID_BYTES}`)
  const topology = { ...accessibleTopology?.segments }
  const segments = Object.keys(topology).length
  if (segments > MOST_SEGMENTS) throw invalid(`the topology has ${segments} keys, more than ${MOST_SEGMENTS}`)
  const [label] = validateLabels(topology)
  if (label) throw invalid(`the topology can't be a label: ${label.value ?? ''}: ${label.detail}`)
  const maxVolumes = maxVolumesPerNode > 0n ? Math.min(Number(maxVolumesPerNode), MOST_VOLUMES) : undefined
  return { nodeId, topology, maxVolumes }
}

const TIMEOUT_MS = 120_000
// A driver that has just been started may not answer yet; one that does not exist at all should be reported soon.
const TRIES = 5
const BACKOFF = { initialMs: 500, maximumMs: 4000 }

/** What a driver says about its node; fails with a `PluginRefusal`. */
export async function readNodeFacts(
  name: string,
  driver: Driver,
  { clock, random, log }: Pick<RoleWorld, 'clock' | 'random' | 'log'>,
  signal: AbortSignal,
): Promise<NodeFacts> {
  const answer = await askNodeInfo(driver, { clock, random }, signal).catch((error: unknown): never => {
    signal.throwIfAborted()
    throw new PluginRefusal(REASONS.NodeGetInfoFailed(name, messageOf(error)))
  })
  if (answer.maxVolumesPerNode < 0n) log.warn('ignoring the negative volume limit of the driver', { driver: name })
  return checkNodeInfo(name, answer)
}

/** NodeGetInfo, again while the driver is only not ready. Two minutes in all. */
async function askNodeInfo(
  driver: Driver,
  { clock, random }: Pick<RoleWorld, 'clock' | 'random'>,
  signal: AbortSignal,
) {
  const tooLate = (): Error =>
    new CsiError('DEADLINE_EXCEEDED', `no answer within ${TIMEOUT_MS / 1000} s`, { rpc: 'NodeGetInfo' })
  using deadline = startDeadline(clock, TIMEOUT_MS, tooLate, signal)
  for (let tries = 1; ; tries++) {
    try {
      return await driver.nodeGetInfo({}, { timeoutMs: TIMEOUT_MS, signal: deadline.signal })
    } catch (error) {
      deadline.signal.throwIfAborted()
      if (tries === TRIES || !isCsiError(error, 'UNAVAILABLE', 'ABORTED')) throw error
      await sleep(clock, backoffDelayMs(BACKOFF, tries, random), deadline.signal)
    }
  }
}
