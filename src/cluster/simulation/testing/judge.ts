import { AccessMode } from '../../../csi/index.ts'
import type { Driver } from '../../../csi/index.ts'

/** Watches the calls to the drivers of all nodes, as the drivers see them, and notes what must never be asked of a driver. */
export interface Judge {
  readonly violations: readonly string[]
  /** Every call with its outcome. */
  readonly calls: readonly string[]
  /** The driver of a node as its callers reach it. */
  watch(node: string, driver: Driver): Driver
  /** The mutable parameters that the driver has last applied to a volume, at its creation or later. */
  attributesOf(volumeId: string): Attributes
  /** All mounts are gone; what is attached stays so. */
  powerLost(): void
}

/** Mutable parameters of a volume. */
export type Attributes = Readonly<Record<string, string | undefined>>

/** What the objects of the cluster say when a driver is called. */
export type KnownToCluster = {
  /** The claim of the volume says that the driver has expanded it to this size, or to a larger one. */
  hasExpansion(volumeId: string, bytes: bigint): Promise<boolean>
  /** There is a VolumeSnapshotContent of this snapshot with policy Retain. */
  isRetained(snapshotId: string): Promise<boolean>
}

type VolumeState = {
  /** By node. */
  readonly attached: Map<string, 'surely' | 'perhaps'>
  readonly staged: Map<string, 'surely' | 'perhaps'>
  /** Targets by node. */
  readonly published: Map<string, Set<string>>
  attributes: Attributes
}

const WRITES_ON_ONE_NODE: readonly AccessMode[] = [
  AccessMode.SINGLE_NODE_WRITER,
  AccessMode.SINGLE_NODE_SINGLE_WRITER,
  AccessMode.SINGLE_NODE_MULTI_WRITER,
]

/**
 * The promises of the CSI contract to a driver, from outside: attached before staged before published, and the way back in reverse; a
 * volume for one node on one node; nothing deleted that is in use or retained; nothing expanded again that is known to be expanded. What a
 * failed call may have done counts as done.
 */
export function createJudge(now: () => number, known: KnownToCluster): Judge {
  const violations: string[] = []
  const calls: string[] = []
  const volumes = new Map<string, VolumeState>()
  const stateOf = (id: string): VolumeState => {
    const state = volumes.get(id) ?? { attached: new Map(), staged: new Map(), published: new Map(), attributes: {} }
    volumes.set(id, state)
    return state
  }
  const expect = (holds: boolean, what: string): void => {
    if (!holds) violations.push(`${now()} ${what}`)
  }
  const watch = (node: string, driver: Driver): Driver => {
    const watched = async <T>(
      call: string,
      act: () => Promise<T>,
      done: (answer: T) => void = () => {},
    ): Promise<T> => {
      try {
        const answer = await act()
        done(answer)
        calls.push(`${now()} ${call} ok`)
        return answer
      } catch (error) {
        calls.push(`${now()} ${call} ${error instanceof Error ? error.message : String(error)}`)
        throw error
      }
    }
    return {
      ...driver,
      createVolume: (request, options) =>
        watched(
          `CreateVolume ${request.name}`,
          () => driver.createVolume(request, options),
          ({ volume }) => (stateOf(volume?.volumeId ?? '').attributes = request.mutableParameters ?? {}),
        ),
      deleteVolume: (request, options) => {
        const id = request.volumeId ?? ''
        const { attached, staged, published } = stateOf(id)
        expect(attached.size === 0, `DeleteVolume ${id} while it is attached to ${[...attached.keys()].join(', ')}`)
        expect(staged.size === 0 && published.size === 0, `DeleteVolume ${id} while a node uses it`)
        return watched(
          `DeleteVolume ${id}`,
          () => driver.deleteVolume(request, options),
          () => volumes.delete(id),
        )
      },
      controllerExpandVolume: async (request, options) => {
        const [id, bytes] = [request.volumeId ?? '', BigInt(request.capacityRange?.requiredBytes ?? 0)]
        const isRepeated = await known.hasExpansion(id, bytes)
        expect(!isRepeated, `ControllerExpandVolume ${id} to ${bytes} bytes, which it has`)
        return watched(`ControllerExpandVolume ${id} ${bytes}`, () => driver.controllerExpandVolume(request, options))
      },
      controllerModifyVolume: (request, options) => {
        const state = stateOf(request.volumeId ?? '')
        return watched(
          `ControllerModifyVolume ${request.volumeId} ${JSON.stringify(request.mutableParameters)}`,
          () => driver.controllerModifyVolume(request, options),
          () => (state.attributes = { ...state.attributes, ...request.mutableParameters }),
        )
      },
      createSnapshot: (request, options) =>
        watched(`CreateSnapshot ${request.name} of ${request.sourceVolumeId}`, () =>
          driver.createSnapshot(request, options),
        ),
      deleteSnapshot: async (request, options) => {
        const id = request.snapshotId ?? ''
        const isRetained = await known.isRetained(id)
        expect(!isRetained, `DeleteSnapshot ${id}, which is to be retained`)
        return watched(`DeleteSnapshot ${id}`, () => driver.deleteSnapshot(request, options))
      },
      createVolumeGroupSnapshot: (request, options) =>
        watched(`CreateVolumeGroupSnapshot ${request.name} of ${request.sourceVolumeIds?.join(', ')}`, () =>
          driver.createVolumeGroupSnapshot(request, options),
        ),
      deleteVolumeGroupSnapshot: (request, options) =>
        watched(`DeleteVolumeGroupSnapshot ${request.groupSnapshotId}`, () =>
          driver.deleteVolumeGroupSnapshot(request, options),
        ),
      controllerPublishVolume: (request, options) => {
        const [id, target] = [request.volumeId ?? '', request.nodeId ?? '']
        const state = stateOf(id)
        const isForOne = WRITES_ON_ONE_NODE.includes(request.volumeCapability?.accessMode?.mode ?? AccessMode.UNKNOWN)
        const others = [...state.attached.keys()].filter((other) => other !== target)
        expect(
          !isForOne || others.length === 0,
          `ControllerPublishVolume ${id} on ${target} while it is attached to ${others.join(', ')}`,
        )
        if (!state.attached.has(target)) state.attached.set(target, 'perhaps')
        return watched(
          `ControllerPublishVolume ${id} ${target}`,
          () => driver.controllerPublishVolume(request, options),
          () => state.attached.set(target, 'surely'),
        )
      },
      controllerUnpublishVolume: (request, options) => {
        const [id, target] = [request.volumeId ?? '', request.nodeId ?? '']
        const state = stateOf(id)
        expect(
          !state.staged.has(target) && !state.published.has(target),
          `ControllerUnpublishVolume ${id} on ${target} while the node uses it`,
        )
        if (state.attached.has(target)) state.attached.set(target, 'perhaps')
        return watched(
          `ControllerUnpublishVolume ${id} ${target}`,
          () => driver.controllerUnpublishVolume(request, options),
          () => state.attached.delete(target),
        )
      },
      nodeStageVolume: (request, options) => {
        const id = request.volumeId ?? ''
        const state = stateOf(id)
        expect(state.attached.get(node) === 'surely', `NodeStageVolume ${id} on ${node} while it is not attached`)
        if (!state.staged.has(node)) state.staged.set(node, 'perhaps')
        return watched(
          `NodeStageVolume ${id} ${node}`,
          () => driver.nodeStageVolume(request, options),
          () => state.staged.set(node, 'surely'),
        )
      },
      nodeUnstageVolume: (request, options) => {
        const id = request.volumeId ?? ''
        const state = stateOf(id)
        expect(!state.published.has(node), `NodeUnstageVolume ${id} on ${node} while it is published`)
        if (state.staged.has(node)) state.staged.set(node, 'perhaps')
        return watched(
          `NodeUnstageVolume ${id} ${node}`,
          () => driver.nodeUnstageVolume(request, options),
          () => state.staged.delete(node),
        )
      },
      nodePublishVolume: (request, options) => {
        const [id, target] = [request.volumeId ?? '', request.targetPath ?? '']
        const state = stateOf(id)
        const isInLine = request.volumeContext?.['csi.storage.k8s.io/ephemeral'] === 'true'
        expect(
          isInLine || state.staged.get(node) === 'surely',
          `NodePublishVolume ${id} on ${node} while it is not staged`,
        )
        const targets = state.published.get(node) ?? new Set()
        state.published.set(node, targets.add(target))
        return watched(`NodePublishVolume ${id} ${node} ${target}`, () => driver.nodePublishVolume(request, options))
      },
      nodeExpandVolume: (request, options) => {
        const id = request.volumeId ?? ''
        expect(stateOf(id).staged.has(node), `NodeExpandVolume ${id} on ${node} while it is not staged`)
        return watched(`NodeExpandVolume ${id} ${node}`, () => driver.nodeExpandVolume(request, options))
      },
      nodeUnpublishVolume: (request, options) => {
        const [id, target] = [request.volumeId ?? '', request.targetPath ?? '']
        const state = stateOf(id)
        return watched(
          `NodeUnpublishVolume ${id} ${node} ${target}`,
          () => driver.nodeUnpublishVolume(request, options),
          () => {
            const targets = state.published.get(node)
            targets?.delete(target)
            if (targets?.size === 0) state.published.delete(node)
          },
        )
      },
    }
  }
  const powerLost = (): void => {
    for (const { staged, published } of volumes.values()) {
      staged.clear()
      published.clear()
    }
  }
  const attributesOf = (id: string): Attributes => stateOf(id).attributes
  return { violations, calls, watch, attributesOf, powerLost }
}
