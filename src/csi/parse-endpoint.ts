import { isAbsolute, normalize } from 'node:path'

// The kernel's limit for the path of a unix socket, without the terminating zero byte.
const LONGEST_SOCKET_PATH = 107

/** The socket path in `/path`, `unix:///path` or `unix:/path`; anything else fails with a message that says what to write instead. */
export function parseEndpoint(endpoint: string): string {
  const path = normalize(
    endpoint.startsWith('unix://') ? endpoint.slice('unix://'.length) : endpoint.replace(/^unix:/, ''),
  )
  if (!isAbsolute(path) || path.endsWith('/') || path.includes('\0')) {
    throw new Error(
      `endpoint ${JSON.stringify(endpoint)} is not a unix socket: write an absolute path or unix:///path/to/csi.sock`,
    )
  }
  const bytes = Buffer.byteLength(path)
  if (bytes > LONGEST_SOCKET_PATH) {
    throw new Error(`socket path of ${bytes} bytes is too long (at most ${LONGEST_SOCKET_PATH}): ${path}`)
  }
  return path
}
