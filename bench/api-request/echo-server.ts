import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createIdentity } from '../../src/apiserver/server-identity.ts'
import { createSystemClock, createSystemRandom } from '../../src/base/index.ts'

// Answers every request with its own body, like an API server that has stored an object.
const { server, authority } = await createIdentity({ clock: createSystemClock(), random: createSystemRandom() })
const http = createSecureServer({ key: server.keyPem, cert: server.certificatePem, allowHTTP1: true })
http.on('request', (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => void chunks.push(chunk))
  request.on('end', () => {
    response.writeHead(201, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' })
    response.end(Buffer.concat(chunks))
  })
})
http.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (http.address() as AddressInfo).port, ca: authority.pair.certificatePem }),
)
process.on('disconnect', () => process.exit())
