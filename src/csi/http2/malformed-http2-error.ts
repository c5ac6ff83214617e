/** The client's bytes break HTTP/2 or HPACK in a way that can't be repaired. */
export class MalformedHttp2Error extends Error {
  override readonly name = 'MalformedHttp2Error'
}
