import { request as httpsRequest } from 'node:https'
import type { CallWebhook } from '../admission/webhooks/webhook-call.ts'

const MOST_BYTES = 3 * 1024 * 1024

/** Posts a review over HTTPS. A new connection for each: webhooks are rare, and a restarted one is found at once. */
export const callWebhook: CallWebhook = (target, body, signal) =>
  new Promise((resolve, reject) => {
    const url = new URL(target.url)
    const request = httpsRequest(
      {
        method: 'POST',
        host: target.connect?.host ?? url.hostname.replaceAll(/[[\]]/g, ''),
        port: target.connect?.port ?? (url.port || 443),
        path: `${url.pathname}${url.search}`,
        servername: /^[\d.]+$|:/.test(url.hostname) ? '' : url.hostname,
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json',
          Host: url.host,
          'Content-Length': Buffer.byteLength(body),
          'User-Agent': 'kube-apiserver-admission',
        },
        agent: false,
        signal,
        ...(target.caPem !== undefined && { ca: target.caPem }),
      },
      (response) => {
        const parts: Buffer[] = []
        let bytes = 0
        response.on('data', (part: Buffer) => {
          bytes += part.length
          if (bytes > MOST_BYTES) request.destroy(new Error('the response is too large'))
          else parts.push(part)
        })
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(parts).toString('utf8')
          if (response.statusCode === 200) resolve(text)
          else reject(new Error(`the server responded with the status code ${response.statusCode}`))
        })
      },
    )
    request.on('error', reject)
    request.end(body)
  })
