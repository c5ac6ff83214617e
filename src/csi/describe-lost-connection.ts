/** The far end of a connection. */
export type Peer = { readonly path: string; readonly driverName: string | undefined }

const CAUSES: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  ECONNREFUSED: 'connection refused',
  EACCES: 'permission denied',
  ENOTSOCK: 'not a socket',
}

/**
 * Replaces grpc-js's message for a failed connection, which mentions a load balancer and a resolver but not the driver. The detail of a driver's own
 * response is returned unchanged.
 */
export function describeLostConnection(detail: string, { path, driverName }: Peer): string {
  const peer = `${driverName === undefined ? 'the CSI driver' : `CSI driver ${driverName}`} at unix://${path}`
  if (detail.startsWith('Connection dropped') || detail.includes('ECONNRESET'))
    return `lost the connection to ${peer} before it answered. Check that the driver is running.`
  const [, cause = ''] =
    /^No connection established(?:\. Last error: (?:Error: )?(.*?)(?: \([\dT:.Z-]+\))?\. Resolution note:.*)?$/s.exec(
      detail,
    ) ?? []
  if (!detail.startsWith('No connection established')) return detail
  const [code] = /\bE[A-Z]+\b/.exec(cause) ?? []
  const reason = (code === undefined ? undefined : CAUSES[code]) ?? cause
  return `cannot connect to ${peer}${reason === '' ? '' : `: ${reason}`}. Check that the driver is running.`
}
