import type { Clock } from '../../base/clock.ts'
import type { Host } from '../../base/host/host.ts'
import { KubeconfigError } from './parse-kubeconfig.ts'
import type { TextOrPath } from './parse-kubeconfig.ts'

/** `env`: the environment for credential plugins, in which a pod also finds its server. */
export type CredentialParts = { host: Host; clock: Clock; env: Readonly<Record<string, string | undefined>> }

/** The CA and the client's credentials, which may change while the program is running. Certificates and the key are PEM. */
export type Identity = { readonly ca?: string; readonly cert?: string; readonly key?: string; readonly token?: string }

/** The source of each part. */
export type IdentitySources = { readonly [K in keyof Required<Identity>]: TextOrPath | undefined | '' }

/** Reads the files. An empty file is an error: it would look like no credential at all. */
export async function readIdentity(
  parts: CredentialParts,
  sources: IdentitySources,
  resolve: (name: string) => string,
): Promise<Identity> {
  const read = async (what: string, source: TextOrPath | undefined | ''): Promise<string | undefined> => {
    if (!source) return undefined
    const text = 'text' in source ? source.text : await readFile(parts, what, resolve(source.path))
    if (text.trim() === '') throw new KubeconfigError(`${what} is empty`)
    return text
  }
  const [ca, cert, key, token] = await Promise.all([
    read('the certificate authority', sources.ca),
    read('the client certificate', sources.cert),
    read('the client key', sources.key),
    read('the token', sources.token),
  ])
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }), ...(token && { token: token.trim() }) }
}

/** The text of a file; an error says what the file is for. */
export async function readFile({ host }: CredentialParts, what: string, path: string): Promise<string> {
  try {
    return new TextDecoder().decode(await host.files.readFile(path))
  } catch (cause) {
    throw new KubeconfigError(`${what} can't be read: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
}
