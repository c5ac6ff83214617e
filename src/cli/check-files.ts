import { parse } from 'yaml'
import { UsageError } from '../base/options/index.ts'
import type { HostFiles } from '../base/host/index.ts'
import type { Secrets } from '../check/settings.ts'

type TextMap = Record<string, string>

/** A YAML or JSON file with one value for each key, such as the parameters of a StorageClass. */
export async function readMapFile(files: HostFiles, path: string | undefined, flag: string): Promise<TextMap> {
  return path === undefined ? {} : toMap(await readYaml(files, path, flag), `${flag}: ${path}`)
}

// The keys of the secrets file of csi-sanity, so that authors can use the file that they have.
const SECRET_KEYS: Readonly<Record<string, string>> = {
  CreateVolumeSecret: 'CreateVolume',
  DeleteVolumeSecret: 'DeleteVolume',
  ControllerPublishVolumeSecret: 'ControllerPublishVolume',
  ControllerUnpublishVolumeSecret: 'ControllerUnpublishVolume',
  ControllerValidateVolumeCapabilitiesSecret: 'ValidateVolumeCapabilities',
  ControllerExpandVolumeSecret: 'ControllerExpandVolume',
  ControllerModifyVolumeSecret: 'ControllerModifyVolume',
  CreateSnapshotSecret: 'CreateSnapshot',
  DeleteSnapshotSecret: 'DeleteSnapshot',
  ListSnapshotsSecret: 'ListSnapshots',
  GetSnapshotSecret: 'GetSnapshot',
  CreateVolumeGroupSnapshotSecret: 'CreateVolumeGroupSnapshot',
  DeleteVolumeGroupSnapshotSecret: 'DeleteVolumeGroupSnapshot',
  GetVolumeGroupSnapshotSecret: 'GetVolumeGroupSnapshot',
  NodeStageVolumeSecret: 'NodeStageVolume',
  NodePublishVolumeSecret: 'NodePublishVolume',
  NodeExpandVolumeSecret: 'NodeExpandVolume',
}

/** A YAML or JSON file with the secrets of each call, as csi-sanity reads it: `CreateVolumeSecret: {user: …}`. */
export async function readSecretsFile(files: HostFiles, path: string | undefined): Promise<Secrets> {
  const secrets = new Map<string, TextMap>()
  if (path === undefined) return secrets
  const value = await readYaml(files, path, '--secrets')
  const place = `--secrets: ${path}`
  if (!isObject(value))
    throw new UsageError([
      `${place}: expected one entry for each call; write for example CreateVolumeSecret: {user: a}`,
    ])
  for (const [key, entry] of Object.entries(value)) {
    const rpc = SECRET_KEYS[key]
    if (rpc === undefined)
      throw new UsageError([`${place}: unknown key ${key}; use ${Object.keys(SECRET_KEYS).join(', ')}`])
    secrets.set(rpc, toMap(entry, `${place}: ${key}`))
  }
  return secrets
}

async function readYaml(files: HostFiles, path: string, flag: string): Promise<unknown> {
  const stat = await files.findStat(path)
  if (stat?.kind !== 'file' && stat?.kind !== 'symlink')
    throw new UsageError([`${flag}: ${path} ${stat ? `is a ${stat.kind}` : 'does not exist'}; give a YAML file`])
  const bytes = await files.readFile(path)
  try {
    return parse(new TextDecoder().decode(bytes))
  } catch {
    // The message of the parser quotes the file, which may contain secrets.
    throw new UsageError([`${flag}: ${path} is not valid YAML; write one line KEY: VALUE for each entry`])
  }
}

function toMap(value: unknown, place: string): TextMap {
  if (value === null) return {}
  const isScalar = (entry: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof entry)
  if (!isObject(value) || !Object.values(value).every(isScalar))
    throw new UsageError([`${place}: expected keys with one value each; write for example type: fast`])
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, String(entry)]))
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
