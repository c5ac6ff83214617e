// A CSI driver whose backend is a directory that all nodes share. Its controller and node parts are separate processes that share nothing but that
// directory. It runs in containers, from the image holdfast-node: `holdfast/…` is the package in that image.
//   shared-driver.ts --controller|--node|--all --name=NAME
import { access, appendFile, cp, mkdir, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createLogger, createSystemClock, createSystemHost, createSystemRandom } from 'holdfast/base'
import { CsiError } from 'holdfast/csi'
import { chooseCapacity, defineDriver, serve } from 'holdfast/driver-kit'
import type { CsiHandlers } from 'holdfast/driver-kit'

type Stored = { sizeBytes: string; isBlock: boolean; sourceVolumeId?: string }

const { CSI_ENDPOINT: endpoint = '', NODE_NAME: nodeId = '' } = process.env
const { values: flags } = parseArgs({
  options: {
    controller: { type: 'boolean', default: false },
    node: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    name: { type: 'string', default: '' },
  },
})
const BACKEND = '/backend'
const SIZES = { defaultBytes: 1024n ** 2n, minimumBytes: 1n, maximumBytes: 1024n ** 4n }
const EPHEMERAL = 'csi.storage.k8s.io/ephemeral'
const MULTI_NODE = { first: 3, last: 5 }

const { files, mounts, loops } = createSystemHost()
const folderOf = (kind: 'volumes' | 'snapshots', id: string): string => {
  if (!/^[\w-]+$/.test(id)) throw new CsiError('NOT_FOUND', `${id} is not an ID of this driver`)
  return join(BACKEND, kind, id)
}
const contentOf = (folder: string, isBlock: boolean): string => join(folder, isBlock ? 'image' : 'data')
const recordOf = (folder: string): string => join(folder, 'record.json')

/** Names the loop device of a staged block volume on this node. */
const deviceFile = (folder: string): string => join(folder, `loop-${nodeId}`)
const findDevice = (folder: string): Promise<string | undefined> =>
  readFile(deviceFile(folder), 'utf8').catch(() => undefined)

async function findStored(folder: string): Promise<Stored | undefined> {
  const text = await readFile(recordOf(folder), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as Stored)
}
async function requireStored(folder: string): Promise<Stored> {
  const stored = await findStored(folder)
  if (!stored) throw new CsiError('NOT_FOUND', `${folder} does not exist`)
  return stored
}

/** Everything or nothing: the folder appears with a rename. */
async function store(folder: string, stored: Stored, source?: string): Promise<void> {
  const unfinished = `${folder}.${process.pid}`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { recursive: true })
  const content = contentOf(unfinished, stored.isBlock)
  if (source !== undefined) await cp(contentOf(source, stored.isBlock), content, { recursive: true })
  else if (stored.isBlock) await writeFile(content, '')
  else await mkdir(content, { mode: 0o777 })
  if (stored.isBlock) await truncate(content, Number(stored.sizeBytes))
  await writeFile(recordOf(unfinished), JSON.stringify(stored))
  await rename(unfinished, folder)
}

const TOKENS = 'csi.storage.k8s.io/serviceAccount.tokens'

/** The context with the claims of each token in place of the token. */
function withoutTokens(context: Readonly<Record<string, string>>): Record<string, string> {
  if (context[TOKENS] === undefined) return context
  const tokens = Object.values(JSON.parse(context[TOKENS]) as Record<string, { token: string }>)
  const claims = tokens.map(({ token }) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()))
  return { ...context, [TOKENS]: JSON.stringify(claims) }
}

/** For the stories: which call carried what. Secrets by the names of their keys alone. */
const tell = (
  method: string,
  volumeId: string,
  context: Readonly<Record<string, string>>,
  secrets: object = {},
): Promise<void> =>
  appendFile(
    join(BACKEND, 'calls'),
    `${JSON.stringify({ method, nodeId, volumeId, context: withoutTokens(context), secrets: Object.keys(secrets) })}\n`,
  )

/** A story that creates the file `fail-METHOD` in the backend gets this answer: the call may have had an effect, or not. */
async function failIfTold(method: string): Promise<void> {
  const isTold = await access(join(BACKEND, `fail-${method}`)).then(
    () => true,
    () => false,
  )
  if (isTold) throw new CsiError('DEADLINE_EXCEEDED', `${method} is told to fail`)
}

const bindOnce = async (source: string, target: string, readOnly: boolean): Promise<void> => {
  if ((await mounts.list({ target })).length === 0) await mounts.bind(source, target, { readOnly })
}
const unmountAll = async (target: string): Promise<void> => {
  for (const _mount of await mounts.list({ target })) await mounts.unmount(target)
}

const attachmentsOf = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((file) => file.startsWith('attached-')).map((file) => file.slice('attached-'.length))

const controller: CsiHandlers = {
  createVolume: async ({ name: volumeName, capacityRange, volumeCapabilities, volumeContentSource, secrets }) => {
    const folder = folderOf('volumes', volumeName)
    await tell('CreateVolume', volumeName, {}, secrets)
    const isBlock = volumeCapabilities.some(({ accessType }) => accessType?.$case === 'block')
    const { type } = volumeContentSource ?? {}
    const source =
      type?.$case === 'snapshot'
        ? folderOf('snapshots', type.value.snapshotId)
        : type?.$case === 'volume'
          ? folderOf('volumes', type.value.volumeId)
          : undefined
    const stored = (await findStored(folder)) ?? {
      sizeBytes: String(chooseCapacity(capacityRange, SIZES)),
      isBlock,
    }
    if (!(await findStored(folder))) await store(folder, stored, source)
    await failIfTold('CreateVolume')
    return {
      volume: {
        volumeId: volumeName,
        capacityBytes: BigInt(stored.sizeBytes),
        ...(volumeContentSource ? { contentSource: volumeContentSource } : {}),
      },
    }
  },
  deleteVolume: async ({ volumeId }) => {
    await failIfTold('DeleteVolume')
    const folder = folderOf('volumes', volumeId)
    const nodes = await attachmentsOf(folder).catch(() => [])
    if (nodes.length > 0)
      throw new CsiError('FAILED_PRECONDITION', `volume ${volumeId} is attached to ${nodes.join(', ')}`)
    await rm(folder, { recursive: true, force: true })
    return {}
  },
  controllerPublishVolume: async ({ volumeId, nodeId: node, volumeCapability, secrets }) => {
    const folder = folderOf('volumes', volumeId)
    await requireStored(folder)
    await tell('ControllerPublishVolume', volumeId, {}, secrets)
    const others = (await attachmentsOf(folder)).filter((attached) => attached !== node)
    // From MULTI_NODE_READER_ONLY to MULTI_NODE_MULTI_WRITER.
    const mode = Number(volumeCapability?.accessMode?.mode ?? 0)
    const isShared = mode >= MULTI_NODE.first && mode <= MULTI_NODE.last
    if (others.length > 0 && !isShared)
      throw new CsiError('FAILED_PRECONDITION', `volume ${volumeId} is attached to ${others.join(', ')}`)
    await writeFile(join(folder, `attached-${node}`), '')
    return { publishContext: {} }
  },
  controllerUnpublishVolume: async ({ volumeId, nodeId: node }) => {
    await rm(join(folderOf('volumes', volumeId), `attached-${node}`), { force: true })
    return {}
  },
  validateVolumeCapabilities: async ({ volumeId, volumeCapabilities, volumeContext, parameters }) => {
    await requireStored(folderOf('volumes', volumeId))
    return { confirmed: { volumeCapabilities, volumeContext, parameters } }
  },
  controllerExpandVolume: async ({ volumeId, capacityRange }) => {
    const folder = folderOf('volumes', volumeId)
    const stored = await requireStored(folder)
    const wanted = capacityRange?.requiredBytes ?? 0n
    const sizeBytes = wanted > BigInt(stored.sizeBytes) ? wanted : BigInt(stored.sizeBytes)
    if (stored.isBlock) await truncate(contentOf(folder, true), Number(sizeBytes))
    await writeFile(recordOf(folder), JSON.stringify({ ...stored, sizeBytes: String(sizeBytes) }))
    return { capacityBytes: sizeBytes, nodeExpansionRequired: true }
  },
  createSnapshot: async ({ name: snapshotName, sourceVolumeId }) => {
    const source = folderOf('volumes', sourceVolumeId)
    const folder = folderOf('snapshots', snapshotName)
    const { sizeBytes, isBlock } = await requireStored(source)
    if (!(await findStored(folder))) await store(folder, { sizeBytes, isBlock, sourceVolumeId }, source)
    const snapshot = { snapshotId: snapshotName, sourceVolumeId, sizeBytes: BigInt(sizeBytes), readyToUse: true }
    return { snapshot: { ...snapshot, creationTime: { seconds: Math.floor(Date.now() / 1000) } } }
  },
  deleteSnapshot: async ({ snapshotId }) => {
    await rm(folderOf('snapshots', snapshotId), { recursive: true, force: true })
    return {}
  },
}

const node: CsiHandlers = {
  nodeGetInfo: async () => ({ nodeId, maxVolumesPerNode: 0n }),
  nodeStageVolume: async ({ volumeId, stagingTargetPath, volumeCapability, secrets }) => {
    const folder = folderOf('volumes', volumeId)
    const { isBlock } = await requireStored(folder)
    await tell('NodeStageVolume', volumeId, {}, secrets)
    if (!isBlock) await bindOnce(contentOf(folder, false), stagingTargetPath, false)
    // One device for all pods on the node: two devices of one file would not see what is written to the other.
    else if ((await findDevice(folder)) === undefined) {
      const readOnly = Number(volumeCapability?.accessMode?.mode ?? 0) === MULTI_NODE.first
      await writeFile(deviceFile(folder), await loops.attach(contentOf(folder, true), { readOnly }))
    }
    return {}
  },
  nodeUnstageVolume: async ({ volumeId, stagingTargetPath }) => {
    await unmountAll(stagingTargetPath)
    const folder = folderOf('volumes', volumeId)
    const device = await findDevice(folder)
    if (device !== undefined) await loops.detach(device).catch(() => {})
    await rm(deviceFile(folder), { force: true })
    return {}
  },
  nodePublishVolume: async ({ volumeId, targetPath, volumeContext, readonly, secrets }) => {
    const folder = folderOf('volumes', volumeId)
    if (volumeContext[EPHEMERAL] === 'true' && !(await findStored(folder)))
      await store(folder, { sizeBytes: '0', isBlock: false })
    const { isBlock } = await requireStored(folder)
    await tell('NodePublishVolume', volumeId, volumeContext, secrets)
    if ((await mounts.list({ target: targetPath })).length > 0) return {}
    if (isBlock) {
      const device = await findDevice(folder)
      if (device === undefined) throw new CsiError('FAILED_PRECONDITION', `volume ${volumeId} is not staged`)
      await writeFile(targetPath, '')
      await mounts.bind(device, targetPath, { readOnly: false })
    } else {
      await mkdir(targetPath, { recursive: true })
      await mounts.bind(contentOf(folder, false), targetPath, { readOnly: readonly })
    }
    return {}
  },
  nodeUnpublishVolume: async ({ volumeId, targetPath }) => {
    await unmountAll(targetPath)
    await rm(targetPath, { recursive: true, force: true })
    // The name that the kubelet gives to an ephemeral volume.
    if (/^csi-[0-9a-f]{64}$/.test(volumeId)) await rm(folderOf('volumes', volumeId), { recursive: true, force: true })
    return {}
  },
  nodeExpandVolume: async ({ volumeId }) => {
    const folder = folderOf('volumes', volumeId)
    const { sizeBytes } = await requireStored(folder)
    const device = await findDevice(folder)
    if (device !== undefined) await loops.refreshSize(device)
    return { capacityBytes: BigInt(sizeBytes) }
  },
}

for (const kind of ['volumes', 'snapshots']) await mkdir(join(BACKEND, kind), { recursive: true })
const clock = createSystemClock()
const log = createLogger({ clock, format: 'json', write: (line) => process.stderr.write(line) })
const handlers = flags.all ? { ...controller, ...node } : flags.node ? node : controller
const features = { cloneVolume: true, singleNodeMultiWriter: true }
const server = defineDriver({ name: flags.name, version: '1.0.0', features }, { handlers, log })
const running = await serve({ endpoint, servers: [server], files, random: createSystemRandom(), clock, log })
process.on('SIGTERM', () => void running.stop())
process.stdout.write(`ready ${running.path}\n`)
