/** The far end of a connection. */
export type Peer = { readonly path: string; readonly driverName: string | undefined }

const CAUSES: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  ECONNREFUSED: 'connection refused',
  EACCES: 'permission denied',
  ENOTSOCK: 'not a socket',
}

const formatPeer = ({ path, driverName }: Peer): string =>
  `${driverName === undefined ? 'the CSI driver' : `CSI driver ${driverName}`} at unix://${path}`

/** For a call that was in flight. */
export const describeLostConnection = (peer: Peer): string =>
  `lost the connection to ${formatPeer(peer)} before it answered. Check that the driver is running.`

/** For a call that was never sent. */
export function describeFailedConnection(
  { code, message }: { code?: string | undefined; message: string },
  peer: Peer,
): string {
  const cause = (code === undefined ? undefined : CAUSES[code]) ?? message
  return `cannot connect to ${formatPeer(peer)}${cause === '' ? '' : `: ${cause}`}. Check that the driver is running.`
}
