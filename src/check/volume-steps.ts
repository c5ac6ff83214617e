import { join } from 'node:path'
import { makeDirectories } from '../base/host/index.ts'
import { AccessMode, isCsiError } from '../csi/index.ts'
import type { Driver, Snapshot, Volume } from '../csi/index.ts'
import type { CaseContext, CheckedNode } from './case-context.ts'
import { Unexpected } from './expectation.ts'

export type CreateVolumeRequest = Parameters<Driver['createVolume']>[0]
export type Capability = NonNullable<CreateVolumeRequest['volumeCapabilities']>[number]
type Mode = (typeof AccessMode)[keyof typeof AccessMode]

/** A volume of a case, with what later calls need to know about it. */
export type CheckedVolume = Volume & { readonly capability: Capability; readonly request: CreateVolumeRequest }

export const mountCapability = (mode: Mode = AccessMode.SINGLE_NODE_WRITER): Capability => ({
  accessType: { $case: 'mount', value: {} },
  accessMode: { mode },
})
export const blockCapability = (mode: Mode = AccessMode.SINGLE_NODE_WRITER): Capability => ({
  accessType: { $case: 'block', value: {} },
  accessMode: { mode },
})

/** A complete request for a volume with the settings of the user. */
export function volumeRequest(
  check: CaseContext,
  label: string,
  changes: CreateVolumeRequest = {},
): CreateVolumeRequest & { volumeCapabilities: Capability[] } {
  const { settings, features } = check
  const segments = Object.keys(settings.topology).length > 0 ? settings.topology : check.nodes[0]?.features.topology
  const isConstrained =
    features.plugin.has('VOLUME_ACCESSIBILITY_CONSTRAINTS') && Object.keys(segments ?? {}).length > 0
  const topology = [{ segments: { ...segments } }]
  return {
    name: check.name(label),
    capacityRange: { requiredBytes: settings.sizeBytes },
    volumeCapabilities: [mountCapability()],
    parameters: { ...settings.parameters },
    ...(isConstrained ? { accessibilityRequirements: { requisite: topology, preferred: topology } } : {}),
    ...changes,
  } as CreateVolumeRequest & { volumeCapabilities: Capability[] }
}

export async function createVolume(
  check: CaseContext,
  label: string,
  changes: CreateVolumeRequest = {},
): Promise<CheckedVolume> {
  const request = volumeRequest(check, label, changes)
  const { volume } = await check.driver.createVolume(request)
  if (!volume || volume.volumeId === '') throw new Unexpected('CreateVolume returns a volume with a volume_id', 'none')
  return { ...volume, capability: request.volumeCapabilities[0] ?? mountCapability(), request }
}

/** A volume with a capability that not every driver supports. */
export async function createVolumeIfSupported(
  check: CaseContext,
  label: string,
  capability: Capability,
  what: string,
  changes: CreateVolumeRequest = {},
): Promise<CheckedVolume> {
  try {
    return await createVolume(check, label, { ...changes, volumeCapabilities: [capability] })
  } catch (error) {
    if (isCsiError(error, 'INVALID_ARGUMENT', 'UNIMPLEMENTED', 'FAILED_PRECONDITION', 'OUT_OF_RANGE'))
      return check.skip(`the driver does not create ${what}: ${error.detail}`)
    throw error
  }
}

export async function createSnapshot(check: CaseContext, label: string, volume: Volume): Promise<Snapshot> {
  const { snapshot } = await check.driver.createSnapshot({
    name: check.name(label),
    sourceVolumeId: volume.volumeId,
    parameters: { ...check.settings.snapshotParameters },
  })
  if (!snapshot) throw new Unexpected('CreateSnapshot returns a snapshot', 'none')
  return untilReady(check, snapshot)
}

const READY_ATTEMPTS = 300
const READY_PAUSE_MS = 1000

/** A snapshot that can be used as a source: some systems process it for a while. */
async function untilReady(check: CaseContext, snapshot: Snapshot): Promise<Snapshot> {
  const { sourceVolumeId } = snapshot
  for (let attempt = 0; attempt < READY_ATTEMPTS && !snapshot.readyToUse; attempt++) {
    if (!check.features.controller.has('LIST_SNAPSHOTS')) return snapshot
    await new Promise<void>((resolve) => void check.clock.setTimer(READY_PAUSE_MS, resolve))
    const { entries } = await check.driver.listSnapshots({ snapshotId: snapshot.snapshotId })
    snapshot = entries[0]?.snapshot ?? snapshot
  }
  return { ...snapshot, sourceVolumeId }
}

export type PublishContext = Record<string, string>

/** Attaches the volume if the driver attaches volumes. */
export async function attach(
  check: CaseContext,
  volume: CheckedVolume,
  node: CheckedNode,
  readonly = false,
): Promise<PublishContext> {
  if (!check.features.controller.has('PUBLISH_UNPUBLISH_VOLUME')) return {}
  const { publishContext } = await check.driver.controllerPublishVolume(attachRequest(volume, node, readonly))
  return publishContext
}

export const attachRequest = (volume: CheckedVolume, node: CheckedNode, readonly = false) => ({
  volumeId: volume.volumeId,
  nodeId: node.features.id,
  volumeCapability: volume.capability,
  readonly,
  volumeContext: volume.volumeContext,
})

export async function detach(check: CaseContext, volume: Volume, node: CheckedNode): Promise<void> {
  if (check.features.controller.has('PUBLISH_UNPUBLISH_VOLUME'))
    await check.driver.controllerUnpublishVolume({ volumeId: volume.volumeId, nodeId: node.features.id })
}

/** Where a volume is staged on a node. */
export const stagingPath = (check: CaseContext, volume: Volume, node: CheckedNode): string =>
  join(check.directory, `stage-${check.nodes.indexOf(node)}-${shortOf(volume.volumeId)}`)
export const targetPath = (check: CaseContext, label: string): string => join(check.directory, `pods`, label)

// Volume IDs may contain slashes, and paths should stay short.
const shortOf = (id: string): string => Buffer.from(id).toString('hex').slice(-16)

export const stages = (node: CheckedNode): boolean => node.features.capabilities.has('STAGE_UNSTAGE_VOLUME')

export function stageRequest(check: CaseContext, volume: CheckedVolume, node: CheckedNode, context: PublishContext) {
  return {
    volumeId: volume.volumeId,
    publishContext: context,
    stagingTargetPath: stagingPath(check, volume, node),
    volumeCapability: volume.capability,
    volumeContext: volume.volumeContext,
  }
}

/** Stages the volume if the driver stages volumes. */
export async function stage(
  check: CaseContext,
  volume: CheckedVolume,
  node: CheckedNode,
  context: PublishContext,
): Promise<void> {
  if (!stages(node)) return
  await makeDirectories(check.host.files, stagingPath(check, volume, node))
  await node.driver.nodeStageVolume(stageRequest(check, volume, node, context))
}

export async function unstage(check: CaseContext, volume: Volume, node: CheckedNode): Promise<void> {
  if (!stages(node)) return
  const stagingTargetPath = stagingPath(check, volume, node)
  await node.driver.nodeUnstageVolume({ volumeId: volume.volumeId, stagingTargetPath })
}

export type PublishOptions = { readonly?: boolean; label?: string; context?: PublishContext; node?: CheckedNode }

export function publishRequest(check: CaseContext, volume: CheckedVolume, options: PublishOptions = {}) {
  const { readonly = false, label = 'a', context = {}, node = check.node } = options
  return {
    volumeId: volume.volumeId,
    publishContext: context,
    ...(stages(node) ? { stagingTargetPath: stagingPath(check, volume, node) } : {}),
    targetPath: targetPath(check, label),
    volumeCapability: volume.capability,
    readonly,
    volumeContext: volume.volumeContext,
  }
}

/** Publishes a staged volume and returns the path. */
export async function publish(
  check: CaseContext,
  volume: CheckedVolume,
  options: PublishOptions = {},
): Promise<string> {
  const request = publishRequest(check, volume, options)
  await makeDirectories(check.host.files, join(request.targetPath, '..'))
  await (options.node ?? check.node).driver.nodePublishVolume(request)
  return request.targetPath
}

export async function unpublish(check: CaseContext, volume: Volume, path: string, node = check.node): Promise<void> {
  await node.driver.nodeUnpublishVolume({ volumeId: volume.volumeId, targetPath: path })
}

/** A volume attached, staged and published on a node. */
export async function useVolume(
  check: CaseContext,
  volume: CheckedVolume,
  options: PublishOptions = {},
): Promise<{ path: string; context: PublishContext; node: CheckedNode }> {
  const node = options.node ?? check.node
  const context = await attach(check, volume, node)
  await stage(check, volume, node, context)
  const path = await publish(check, volume, { ...options, context, node })
  return { path, context, node }
}

/** Undoes `useVolume`. */
export async function releaseVolume(
  check: CaseContext,
  volume: CheckedVolume,
  path: string,
  node = check.node,
): Promise<void> {
  await unpublish(check, volume, path, node)
  await unstage(check, volume, node)
  await detach(check, volume, node)
}
