import { join } from 'node:path'
import type { ClusterNode } from './cluster-options.ts'

// The kernel's limit for the name of a unix socket, without the closing zero byte.
const LONGEST_SOCKET_PATH = 107

/** The problem if the sockets of these drivers don't fit below the directories of the nodes: the kernel allows only short paths. */
export function findTooLongSocket(
  dataDirectory: string,
  nodes: readonly ClusterNode[],
  driverNames: readonly string[],
): string | undefined {
  const most = Math.max(
    ...nodes
      .flatMap(({ rootDir }) => driverNames.flatMap((name) => socketsOf(rootDir, name)))
      .map((path) => Buffer.byteLength(path)),
  )
  if (most <= LONGEST_SOCKET_PATH) return undefined
  const bytes = Buffer.byteLength(dataDirectory)
  return `${dataDirectory} is too long a path: sockets are made below it, whose paths may have ${LONGEST_SOCKET_PATH} bytes. It has ${bytes} and may have ${bytes - (most - LONGEST_SOCKET_PATH)}`
}

const socketsOf = (rootDir: string, driver: string): string[] => [
  join(rootDir, 'plugins', driver, 'csi.sock'),
  join(rootDir, 'plugins_registry', `${driver}-reg.sock`),
]
