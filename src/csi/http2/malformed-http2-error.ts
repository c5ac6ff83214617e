/** The client's bytes violate HTTP/2 or HPACK in a way that cannot be repaired. */
export class MalformedHttp2Error extends Error {
  override readonly name = 'MalformedHttp2Error'
}
