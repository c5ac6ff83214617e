// A CSI driver that gives pods the passwords of their service account. It asks the API server whose token came with the call, and writes what
// the vault has for that account; when it is called again it replaces the files, never the mount.
import { isAbsolute } from 'node:path'
import { parseArgs } from 'node:util'
import { createLogger, createSystemClock, createSystemHost, createSystemRandom } from 'holdfast/base'
import type { Host, Logger, Random } from 'holdfast/base'
import { CsiError } from 'holdfast/csi'
import { defineDriver, serve } from 'holdfast/driver-kit'
import type { CsiHandlers, Dispatcher } from 'holdfast/driver-kit'
import { connectApi, loadInCluster, loadKubeconfig } from 'holdfast/kube'
import { findToken } from './find-token.ts'
import { replaceContent } from './replace-content.ts'
import { createTokenReviewer } from './review-token.ts'
import type { Identity, ReviewToken } from './review-token.ts'
import { closeTarget, openTarget } from './target.ts'
import { createVault } from './vault.ts'
import type { Vault } from './vault.ts'

export const NAME = 'secrets.example.com'

export type SecretDriverParts = {
  readonly nodeId: string
  /** As in the CSIDriver. */
  readonly audience: string
  readonly reviewToken: ReviewToken
  readonly vault: Vault
  readonly host: Host
  readonly random: Random
  readonly log: Logger
}

export function createSecretDriver({
  nodeId,
  audience,
  reviewToken,
  vault,
  host,
  random,
  log,
}: SecretDriverParts): Dispatcher {
  const handlers: CsiHandlers = {
    nodeGetInfo: async () => ({ nodeId }),
    nodePublishVolume: async (request, { signal }) => {
      const { volumeId, targetPath, volumeCapability, volumeContext } = request
      if (volumeCapability?.accessType?.$case === 'block') throw new CsiError('INVALID_ARGUMENT', 'no block volumes')
      if (!isAbsolute(targetPath)) throw new CsiError('INVALID_ARGUMENT', 'target_path is not absolute')
      const identity = await reviewToken(findToken(request, audience), signal)
      checkPod(identity, volumeContext)
      const content = await vault.login(identity, signal)
      // Nothing is touched before it is certain what to write: a call that fails leaves the pod what it has.
      await openTarget(host, targetPath)
      if (await replaceContent(host.files, targetPath, content, random))
        log.info('content replaced', { volume: volumeId, ...identity })
      return {}
    },
    nodeUnpublishVolume: async ({ targetPath }) => {
      await closeTarget(host, targetPath)
      return {}
    },
  }
  return defineDriver({ name: NAME, version: '1.0.0' }, { handlers, log })
}

// Pod data are a word of the node agent, the token is one of the API server. Where both came they have to agree.
function checkPod({ podUid }: Identity, volumeContext: Readonly<Record<string, string>>): void {
  const claimed = volumeContext['csi.storage.k8s.io/pod.uid'] ?? volumeContext['csi.kubernetes.io/pod.uid']
  if (claimed !== undefined && claimed !== podUid)
    throw new CsiError('UNAUTHENTICATED', 'the token is that of another pod')
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      endpoint: { type: 'string', default: 'unix:///tmp/secret-driver.sock' },
      'node-id': { type: 'string', default: 'node-1' },
      audience: { type: 'string', default: 'vault' },
      account: { type: 'string', multiple: true, default: ['default/web'] },
      'lease-seconds': { type: 'string', default: '30' },
      kubeconfig: { type: 'string' },
    },
  })
  const { endpoint, 'node-id': nodeId, audience, account: accounts, kubeconfig: path } = values
  const [clock, random, host] = [createSystemClock(), createSystemRandom(), createSystemHost()]
  const log = createLogger({ clock, format: 'text', write: (line) => void process.stderr.write(line) })
  const parts = { host, clock, env: process.env }
  const credentials = path === undefined ? await loadInCluster(parts) : await loadKubeconfig({ path, parts })
  const { api, close } = connectApi({ credentials, clock, random, userAgent: 'secret-driver' })
  const vault = createVault({ clock, random, accounts, leaseMs: Number(values['lease-seconds']) * 1000 })
  const reviewToken = createTokenReviewer({ api, audience, clock })
  const driver = createSecretDriver({ nodeId, audience, reviewToken, vault, host, random, log })
  const running = await serve({ endpoint, servers: [driver], files: host.files, random, clock, log })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void running.stop().then(close))
  log.info('serving', { files: (await host.mounts.available()) ? 'in memory' : 'on disk: this process may not mount' })
  process.stdout.write(`ready unix://${running.path}\n`)
}
