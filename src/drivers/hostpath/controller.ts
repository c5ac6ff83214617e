import { createUuid } from '../../base/random.ts'
import { CsiError } from '../../csi/csi-error.ts'
import type {
  CreateVolumeRequest,
  ValidateVolumeCapabilitiesRequest,
  Volume,
  VolumeCapability,
  VolumeContentSource,
} from '../../csi/generated/csi/v1/csi.ts'
import { fitsCapacity, pageOf } from '../../csi/kit/index.ts'
import type { CsiHandlers, LockTable } from '../../csi/kit/index.ts'
import { findAttachment, findAttachProblem, requireMode, useOf } from './attachments.ts'
import { chooseSize, contentPath, copyContent, makeContent } from './content.ts'
import { conditionOf, findContentProblems } from './health.ts'
import { groupContentKey, hold } from './hold.ts'
import type { Hostpath, ServedNode } from './hostpath.ts'
import { checkMutableParameters, findMutableParameterProblem } from './mutable-parameters.ts'
import { isId } from './records.ts'
import type { Attachment, VolumeMode, VolumeRecord } from './records.ts'
import { sameMap } from './same-map.ts'
import { chooseTopology, isWithin, satisfies } from './topology.ts'

const DEFAULT_BYTES = 1024n ** 3n

export type ControllerParts = {
  hostpath: Hostpath
  /** The node whose driver was called. */
  node: ServedNode
  /** Whether volumes must be published to a node before it can stage them. */
  attach: boolean
  locks: LockTable
}

/** The handlers for volumes: create, list, attach, expand, delete. */
export function createControllerHandlers({ hostpath, node, attach, locks }: ControllerParts): CsiHandlers {
  const { volumes, parts, nodes, requireVolume } = hostpath
  const { files } = parts.host

  const createVolume: CsiHandlers['createVolume'] = async (request) => {
    const mode = modeOf(request.volumeCapabilities)
    checkMutableParameters(request.mutableParameters)
    const existing = volumes.findByName(request.name)
    if (existing) {
      const difference = findDifference(existing, request, mode)
      if (difference !== undefined)
        throw new CsiError('ALREADY_EXISTS', `volume ${request.name} already exists with a different ${difference}`)
      await volumes.confirm()
      return { volume: toVolume(existing) }
    }
    const source = findSource(hostpath, request.volumeContentSource, mode)
    const minimumBytes = source?.sizeBytes ?? 1n
    const defaultBytes =
      source?.sizeBytes ?? (DEFAULT_BYTES < hostpath.capacityBytes ? DEFAULT_BYTES : hostpath.capacityBytes)
    const sizeBytes = chooseSize(mode, request.capacityRange, {
      defaultBytes,
      minimumBytes,
      maximumBytes: hostpath.capacityBytes,
    })
    const record: VolumeRecord = {
      id: createUuid(parts.random),
      name: request.name,
      sizeBytes,
      mode,
      parameters: request.parameters,
      mutableParameters: request.mutableParameters,
      topology: chooseTopology(request.accessibilityRequirements, node, nodes.values()),
      ...(source ? { source: { kind: source.kind, id: source.id } } : {}),
      attachments: {},
    }
    using _content = source?.groupId ? hold(locks, groupContentKey(source.groupId), { exclusive: false }) : undefined
    using _reserved = hostpath.reserve(sizeBytes)
    await volumes.add(record, (folder) =>
      source ? copyContent(files, source.folder, folder, mode, sizeBytes) : makeContent(files, folder, mode, sizeBytes),
    )
    return { volume: toVolume(record) }
  }

  const deleteVolume: CsiHandlers['deleteVolume'] = async ({ volumeId }) => {
    if (!isId(volumeId)) return {}
    const attached = Object.keys(volumes.find(volumeId)?.attachments ?? {})
    const mounted = [...nodes.values()].filter(({ records }) => records.find(volumeId)).map(({ id }) => id)
    const users = new Set([...attached, ...mounted])
    if (users.size > 0)
      throw new CsiError('FAILED_PRECONDITION', `volume ${volumeId} is in use on node ${[...users].join(', ')}`)
    await volumes.remove(volumeId)
    return {}
  }

  const controllerPublishVolume: CsiHandlers['controllerPublishVolume'] = async ({
    volumeId,
    nodeId,
    volumeCapability,
    readonly,
  }) => {
    const volume = requireVolume(volumeId)
    const target = nodes.get(nodeId)
    if (!target) throw new CsiError('NOT_FOUND', `node ${nodeId} is unknown to this driver`)
    const use = useOf(volumeCapability)
    requireMode(volume, use, 'INVALID_ARGUMENT')
    const attachment = { accessMode: use.accessMode, mode: use.mode, readonly }
    const problem = findAttachProblem(volume, nodeId, attachment)
    if (problem) throw problem
    if (!isWithin(target.topology, volume.topology)) {
      throw new CsiError(
        'FAILED_PRECONDITION',
        `volume ${volumeId} is in ${JSON.stringify(volume.topology)}, which is not accessible from node ${nodeId}`,
      )
    }
    if (!findAttachment(volume, nodeId)) await attachTo(target, volume, attachment)
    return { publishContext: { readonly: String(readonly) } }
  }

  const attachTo = async (target: ServedNode, volume: VolumeRecord, attachment: Attachment): Promise<void> => {
    const { id, attachLimit, attaching } = target
    if (attachLimit > 0 && attachedTo(target).size >= attachLimit) {
      throw new CsiError('RESOURCE_EXHAUSTED', `node ${id} has reached its limit of ${attachLimit} attached volumes`)
    }
    attaching.add(volume.id)
    try {
      await volumes.update({ ...volume, attachments: { ...volume.attachments, [id]: attachment } })
    } finally {
      attaching.delete(volume.id)
    }
  }
  // Calls for several volumes of one node run concurrently, so attachments in progress count too.
  const attachedTo = ({ id, attaching }: ServedNode): Set<string> => {
    const attached = new Set(attaching)
    for (const volume of volumes.all()) if (findAttachment(volume, id)) attached.add(volume.id)
    return attached
  }

  const controllerUnpublishVolume: CsiHandlers['controllerUnpublishVolume'] = async ({ volumeId, nodeId }) => {
    const volume = volumes.find(volumeId)
    // A deleted volume is not published anywhere. Without a node ID, the volume is unpublished from all nodes.
    if (!volume || (nodeId !== '' && !findAttachment(volume, nodeId))) return {}
    const { [nodeId]: _left, ...others } = volume.attachments
    await volumes.update({ ...volume, attachments: nodeId === '' ? {} : others })
    return {}
  }

  const validateVolumeCapabilities: CsiHandlers['validateVolumeCapabilities'] = async (request) => {
    const volume = requireVolume(request.volumeId)
    const { volumeContext, volumeCapabilities, parameters, mutableParameters } = request
    const message = findMismatch(volume, request)
    return message === undefined
      ? { confirmed: { volumeContext, volumeCapabilities, parameters, mutableParameters } }
      : { message }
  }

  const statusOf = async (volume: VolumeRecord) => ({
    publishedNodeIds: Object.keys(volume.attachments),
    volumeCondition: conditionOf(await findContentProblems(hostpath, volume)),
  })

  const listVolumes: CsiHandlers['listVolumes'] = async (request) => {
    const lasting = [...volumes.all()].filter(({ ephemeral }) => !ephemeral)
    const page = pageOf(lasting, ({ id }) => id, request)
    const entries = await Promise.all(
      page.entries.map(async (volume) => ({ volume: toVolume(volume), status: await statusOf(volume) })),
    )
    return { entries, nextToken: page.nextToken }
  }

  const controllerGetVolume: CsiHandlers['controllerGetVolume'] = async ({ volumeId }) => {
    const volume = requireVolume(volumeId)
    return { volume: toVolume(volume), status: await statusOf(volume) }
  }

  const getCapacity: CsiHandlers['getCapacity'] = async ({ accessibleTopology }) => {
    const reachable = [...nodes.values()].some(({ topology }) => isWithin(topology, accessibleTopology?.segments ?? {}))
    const availableCapacity = reachable ? hostpath.availableBytes() : 0n
    return { availableCapacity, maximumVolumeSize: availableCapacity, minimumVolumeSize: 1n }
  }

  const controllerExpandVolume: CsiHandlers['controllerExpandVolume'] = async ({
    volumeId,
    capacityRange,
    volumeCapability,
  }) => {
    const volume = requireVolume(volumeId)
    if (volumeCapability) requireMode(volume, useOf(volumeCapability), 'INVALID_ARGUMENT')
    const sizeBytes = chooseSize(volume.mode, capacityRange, {
      defaultBytes: volume.sizeBytes,
      minimumBytes: volume.sizeBytes,
      maximumBytes: hostpath.capacityBytes,
    })
    if (sizeBytes > volume.sizeBytes) {
      using _reserved = hostpath.reserve(sizeBytes - volume.sizeBytes)
      if (volume.mode === 'block') await growImage(volume, sizeBytes)
      await volumes.update({ ...volume, sizeBytes })
    }
    return { capacityBytes: sizeBytes, nodeExpansionRequired: volume.mode === 'block' }
  }
  const growImage = async (volume: VolumeRecord, sizeBytes: bigint): Promise<void> => {
    const image = contentPath(volumes.folder(volume.id), 'block')
    // An earlier attempt with a larger size may have grown the image before it failed. Never truncate: that size may have been used.
    const present = await files.findStat(image)
    if (!present) throw new CsiError('INTERNAL', `the content of volume ${volume.id} is missing`)
    if (present.sizeBytes < sizeBytes) await files.truncate(image, sizeBytes)
    await files.sync(image)
  }

  const controllerModifyVolume: CsiHandlers['controllerModifyVolume'] = async ({ volumeId, mutableParameters }) => {
    const volume = requireVolume(volumeId)
    checkMutableParameters(mutableParameters)
    await volumes.update({ ...volume, mutableParameters: { ...volume.mutableParameters, ...mutableParameters } })
    return {}
  }

  return {
    createVolume,
    deleteVolume,
    ...(attach ? { controllerPublishVolume, controllerUnpublishVolume } : {}),
    validateVolumeCapabilities,
    listVolumes,
    controllerGetVolume,
    getCapacity,
    controllerExpandVolume,
    controllerModifyVolume,
  }
}

function modeOf(capabilities: readonly VolumeCapability[]): VolumeMode {
  const modes = new Set(capabilities.map((capability) => useOf(capability).mode))
  if (modes.size > 1)
    throw new CsiError('INVALID_ARGUMENT', 'volume_capabilities: a volume is either a block device or a filesystem')
  return modes.has('block') ? 'block' : 'mount'
}

type Source = { kind: 'snapshot' | 'volume'; id: string; folder: string; sizeBytes: bigint; groupId: string }

function findSource(
  hostpath: Hostpath,
  requested: VolumeContentSource | undefined,
  mode: VolumeMode,
): Source | undefined {
  const type = requested?.type
  if (!type) return undefined
  const id = sourceId(type)
  const found = type.$case === 'snapshot' ? hostpath.findSnapshot(id) : volumeSource(hostpath, id)
  if (!found) throw new CsiError('NOT_FOUND', `${type.$case} ${id} does not exist`)
  const { record, folder } = found
  if (record.mode !== mode) throw new CsiError('INVALID_ARGUMENT', `${type.$case} ${id} has a different volume mode`)
  return {
    kind: type.$case,
    id,
    folder,
    sizeBytes: record.sizeBytes,
    groupId: 'groupId' in record ? record.groupId : '',
  }
}

function volumeSource({ volumes }: Hostpath, id: string): { record: VolumeRecord; folder: string } | undefined {
  const record = volumes.find(id)
  return record && !record.ephemeral ? { record, folder: volumes.folder(id) } : undefined
}

const sourceId = (type: NonNullable<VolumeContentSource['type']>): string =>
  type.$case === 'snapshot' ? type.value.snapshotId : type.value.volumeId

// The first property in which an existing volume differs from the request.
function findDifference(volume: VolumeRecord, request: CreateVolumeRequest, mode: VolumeMode): string | undefined {
  if (!fitsCapacity(volume.sizeBytes, request.capacityRange)) return 'capacity'
  if (volume.mode !== mode) return 'volume mode'
  if (!sameMap(volume.parameters, request.parameters)) return 'set of parameters'
  const type = request.volumeContentSource?.type
  if (volume.source?.kind !== type?.$case || (type && volume.source?.id !== sourceId(type))) return 'content source'
  if (!satisfies(volume.topology, request.accessibilityRequirements)) return 'topology'
  return undefined
}

// Why an existing volume is not the one that the caller expects.
function findMismatch(
  volume: VolumeRecord,
  { volumeCapabilities, parameters, mutableParameters }: ValidateVolumeCapabilitiesRequest,
): string | undefined {
  if (volumeCapabilities.some((capability) => useOf(capability).mode !== volume.mode)) {
    return `volume ${volume.id} is ${volume.mode === 'block' ? 'a block device' : 'a file system'}`
  }
  if (Object.keys(parameters).length > 0 && !sameMap(parameters, volume.parameters))
    return `volume ${volume.id} was created with other parameters`
  return findMutableParameterProblem(mutableParameters)
}

function toVolume({ id, sizeBytes, source, topology }: VolumeRecord): Volume {
  return {
    volumeId: id,
    capacityBytes: sizeBytes,
    volumeContext: {},
    contentSource: source && { type: sourceType(source) },
    accessibleTopology: Object.keys(topology).length > 0 ? [{ segments: topology }] : [],
  }
}

const sourceType = ({
  kind,
  id,
}: {
  kind: 'snapshot' | 'volume'
  id: string
}): NonNullable<VolumeContentSource['type']> =>
  kind === 'snapshot' ? { $case: kind, value: { snapshotId: id } } : { $case: kind, value: { volumeId: id } }
