import type { KeyPair } from './authentication/certificates.ts'

/** The name of our cluster, user and context in a kubeconfig. */
export const KUBECONFIG_NAME = 'holdfast'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** A kubeconfig for one user of one server, in a single file. */
export function formatKubeconfig({
  server,
  caPem,
  client,
}: {
  server: string
  caPem: string
  client: KeyPair
}): string {
  return `apiVersion: v1
kind: Config
clusters:
  - name: ${KUBECONFIG_NAME}
    cluster:
      server: ${server}
      certificate-authority-data: ${base64(caPem)}
users:
  - name: ${KUBECONFIG_NAME}
    user:
      client-certificate-data: ${base64(client.certificatePem)}
      client-key-data: ${base64(client.keyPem)}
contexts:
  - name: ${KUBECONFIG_NAME}
    context:
      cluster: ${KUBECONFIG_NAME}
      user: ${KUBECONFIG_NAME}
current-context: ${KUBECONFIG_NAME}
`
}
