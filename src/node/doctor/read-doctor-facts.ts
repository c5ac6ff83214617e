import { basename, join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { ifPresent } from '../../base/host/index.ts'
import type { Host } from '../../base/host/index.ts'
import { isCsiError } from '../../csi/csi-error.ts'
import type { Sockets } from '../../csi/sockets.ts'
import { checkEndpoint, checkPluginInfo } from '../registration/plugin-offer.ts'
import { messageOf, PluginRefusal, REASONS as OFFER_REASONS } from '../registration/reasons.ts'
import type { AnsweringDriver, DoctorFacts, Registration } from './doctor-facts.ts'
import { DEFAULT_ROOT, findKubelet, USUAL_ROOTS } from './find-kubelet.ts'
import { parseDenials } from './parse-denials.ts'
import { REASONS } from './reasons.ts'
import { rootedFiles } from './rooted-files.ts'
import type { NodeFiles } from './rooted-files.ts'

export type DoctorParts = {
  readonly host: Pick<Host, 'files' | 'processes'>
  readonly sockets: Pick<Sockets, 'connectDriver' | 'connectRegistrar'>
  readonly clock: Clock
  /** Where the root directory of the node is mounted: `/`, or `/host` in a pod of `kubectl debug node/…`. */
  readonly root: string
  /** Default: that of the kubelet's process, or the first usual one that exists. */
  readonly rootDir?: string | undefined
  /** Of each call. */
  readonly timeoutMs: number
}

type Look = DoctorParts & { readonly files: NodeFiles; readonly isEnforcing: boolean }

const AUDIT_LOG = '/var/log/audit/audit.log'
const LOG_BYTES = 2 ** 20
const DENIALS_MS = 3_600_000

/** Looks at a node: finds the directory of the kubelet and asks every socket in it, as the kubelet does. Changes nothing, and notifies nobody. */
export async function readDoctorFacts(parts: DoctorParts): Promise<DoctorFacts> {
  const files = rootedFiles(parts.host.files, parts.root)
  const isEnforcing = (await readText(files, '/sys/fs/selinux/enforce')).trim() === '1'
  const look: Look = { ...parts, files, isEnforcing }
  const kubelet = await findKubelet(files)
  const rootDir = parts.rootDir ?? kubelet?.rootDir ?? (await guessRoot(files))
  const registrations = await readRegistry(rootDir, look)
  const drivers = await readDrivers(rootDir, look)
  const paths = [...registrations.flatMap(({ path, endpoint }) => [path, endpoint?.path ?? path]), 'plugins_registry']
  const names = new Set([...paths, ...drivers.map(({ path }) => path), 'csi.sock'].map((path) => basename(path)))
  return {
    rootDir,
    rootDirFrom: parts.rootDir !== undefined ? 'flag' : kubelet ? 'process' : 'guess',
    ...(kubelet ? { kubeletPid: kubelet.pid } : {}),
    hasRegistry: (await files.findStat(registryOf(rootDir)))?.kind === 'directory',
    registrations,
    elsewhere: await readElsewhere(rootDir, look),
    drivers,
    seLinux: { isEnforcing, denials: isEnforcing ? await readDenials(names, look) : [] },
  }
}

const registryOf = (rootDir: string): string => join(rootDir, 'plugins_registry')

const readText = async (files: NodeFiles, path: string): Promise<string> =>
  new TextDecoder().decode(await files.readFile(path).catch(() => new Uint8Array()))

async function guessRoot(files: NodeFiles): Promise<string> {
  for (const each of USUAL_ROOTS) if (await files.findStat(registryOf(each))) return each
  return DEFAULT_ROOT
}

async function socketsIn(directory: string, { files }: Look): Promise<string[]> {
  const entries = (await ifPresent(files.list(directory))) ?? []
  return entries.filter(({ kind }) => kind === 'socket').map(({ name }) => join(directory, name))
}

async function readRegistry(rootDir: string, look: Look): Promise<Registration[]> {
  const paths = await socketsIn(registryOf(rootDir), look)
  return Promise.all(paths.map((path) => readRegistration(path, look)))
}

/** Those in other usual directories, which may be links to the same one. */
async function readElsewhere(rootDir: string, look: Look): Promise<Registration[]> {
  const own = await look.files.findStat(registryOf(rootDir))
  const found: Registration[] = []
  for (const other of USUAL_ROOTS) {
    const stat = await look.files.findStat(registryOf(other))
    if (!stat || (stat.inode === own?.inode && stat.deviceId === own.deviceId)) continue
    found.push(...(await readRegistry(other, look)))
  }
  return found.filter(({ driverName }) => driverName !== undefined)
}

/** One conversation with a registrar, and one with the driver that it names. */
async function readRegistration(path: string, look: Look): Promise<Registration> {
  const { files, sockets, timeoutMs, root } = look
  const socket = await withLabel(path, look)
  const asked = async () => {
    const { registrar, connection } = sockets.connectRegistrar(join(root, path), { timeoutMs })
    try {
      return await registrar.getInfo({})
    } finally {
      connection.close()
    }
  }
  try {
    const info = await asked()
    const { type, name: driverName } = info
    const answered = { ...socket, type, driverName }
    if (type !== 'CSIPlugin') return answered
    try {
      checkPluginInfo(info)
      // The kubelet allows any directory.
      const endpoint = await checkEndpoint(files, driverName, info.endpoint || path, ['/'])
      const failure = await tryDriver(driverName, endpoint, look)
      return { ...answered, endpoint: await withLabel(endpoint, look), ...(failure ? { failure } : {}) }
    } catch (error) {
      if (!(error instanceof PluginRefusal)) throw error
      return { ...answered, failure: error.failure.reason }
    }
  } catch (error) {
    const failure = isCsiError(error, 'UNAVAILABLE')
      ? REASONS.RegistrarNotRunning(path)
      : REASONS.RegistrarNotAnswering(path, messageOf(error))
    return { ...socket, failure }
  }
}

/** Why a driver that is registered under a name cannot be used; undefined if it can. */
async function tryDriver(name: string, path: string, look: Look) {
  try {
    const reported = await askName(path, look)
    return reported === name ? undefined : OFFER_REASONS.DriverNameMismatch(name, reported, path)
  } catch (error) {
    return isCsiError(error, 'UNAVAILABLE')
      ? REASONS.DriverNotRunning(name, path)
      : REASONS.DriverNotAnswering(name, path, messageOf(error))
  }
}

async function askName(path: string, { sockets, timeoutMs, root }: Look): Promise<string> {
  const { driver, connection } = sockets.connectDriver(join(root, path), { timeoutMs })
  try {
    return (await driver.getPluginInfo({})).name
  } finally {
    connection.close()
  }
}

/** Drivers that answer on sockets in ROOT/plugins and its directories. Other sockets are left out: they need not be of drivers. */
async function readDrivers(rootDir: string, look: Look): Promise<AnsweringDriver[]> {
  const plugins = join(rootDir, 'plugins')
  const directories = ((await ifPresent(look.files.list(plugins))) ?? []).filter(({ kind }) => kind === 'directory')
  const places = [plugins, ...directories.map(({ name }) => join(plugins, name))]
  const paths = (await Promise.all(places.map((place) => socketsIn(place, look)))).flat()
  const found = paths.map(async (path) => {
    const driverName = await askName(path, look).catch(() => undefined)
    return driverName === undefined ? [] : [{ path, driverName }]
  })
  return (await Promise.all(found)).flat()
}

/** `stat` of the machine that this process runs on: Node.js cannot read extended attributes. */
async function withLabel(path: string, { host, root, isEnforcing }: Look): Promise<{ path: string; label?: string }> {
  if (!isEnforcing) return { path }
  const result = await host.processes.run('stat', ['--printf=%C', join(root, path)]).catch(() => undefined)
  const label = result?.exitCode === 0 ? result.stdout.trim() : ''
  return label.includes(':') ? { path, label } : { path }
}

async function readDenials(names: ReadonlySet<string>, { files, clock }: Look) {
  const stat = await files.findStat(AUDIT_LOG).catch(() => undefined)
  if (!stat) return []
  const offset = stat.sizeBytes > LOG_BYTES ? stat.sizeBytes - BigInt(LOG_BYTES) : 0n
  const end = await files.readRange(AUDIT_LOG, offset, LOG_BYTES).catch(() => new Uint8Array())
  return parseDenials(new TextDecoder().decode(end), names, clock.nowMs() - DENIALS_MS)
}
