import { relative } from 'node:path'
import { isHostError } from '../../base/host/index.ts'
import type { HostFiles } from '../../base/host/index.ts'
import { parseEndpoint } from '../../csi/parse-endpoint.ts'
import { REASONS } from './reasons.ts'
import type { RegistrationReason } from './reasons.ts'

/** The path of a driver's socket, if it is one and lies in one of the directories, also with every link resolved. */
export async function checkEndpoint(
  files: HostFiles,
  name: string,
  endpoint: string,
  directories: readonly string[],
): Promise<{ path: string } | { problem: RegistrationReason }> {
  const path = findPath(endpoint)
  if (path === undefined) return { problem: REASONS.badEndpoint(name, endpoint) }
  const real = await Promise.all(directories.map((directory) => files.resolve(directory).catch(() => directory)))
  const isInside = (candidate: string): boolean =>
    [...directories, ...real].some((directory) => isBelow(candidate, directory))
  // By its name first: nothing outside is even looked at.
  if (!isInside(path)) return { problem: REASONS.endpointOutside(name, path) }
  const target = await resolveIfPresent(files, path)
  if (target === undefined) return { problem: REASONS.endpointMissing(name, path) }
  if (!isInside(target)) return { problem: REASONS.endpointOutside(name, target) }
  const kind = (await files.findStat(target))?.kind
  if (kind === undefined) return { problem: REASONS.endpointMissing(name, path) }
  return kind === 'socket' ? { path } : { problem: REASONS.endpointNoSocket(name, path, kind) }
}

function findPath(endpoint: string): string | undefined {
  try {
    return parseEndpoint(endpoint)
  } catch {
    return undefined
  }
}

async function resolveIfPresent(files: HostFiles, path: string): Promise<string | undefined> {
  try {
    return await files.resolve(path)
  } catch (error) {
    if (isHostError(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return undefined
    throw error
  }
}

function isBelow(path: string, directory: string): boolean {
  const way = relative(directory, path)
  return way !== '' && way !== '..' && !way.startsWith('../')
}
