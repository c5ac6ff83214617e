import { createWriteStream, fchmodSync, openSync } from 'node:fs'
import type { WriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { startApiServer, writeAdminKubeconfig } from '../apiserver/index.ts'
import { choice, count, defineCommand, duration, featureGates, flag, path, text } from '../base/options/index.ts'
import { DRIVER_GATES } from '../api/driver-gates.ts'
import { ACCEPT_DATA_LOSS } from './accept-data-loss.ts'
import { createCommandModule } from './command-module.ts'
import { lockDirectory } from './lock-directory.ts'
import { createCommandLogger, loggingOptions } from './logging.ts'
import { checkNodeLabelPrefixes, nodeLabelPrefixes } from './node-label-prefixes.ts'

const command = defineCommand({
  name: 'holdfast apiserver',
  summary:
    'Runs the embedded Kubernetes API server: HTTPS with its own certificate authority, with its state in a directory or in memory.',
  options: {
    data: path.optional('Directory for state and keys. Created if it does not exist.', {
      example: '/var/lib/holdfast/apiserver',
    }),
    inMemory: flag(false, 'Store nothing: state and keys are lost when the server stops.'),
    acceptDataLoss: flag(false, ACCEPT_DATA_LOSS),
    address: text('127.0.0.1', 'Address to listen on.'),
    port: count(6443, 'Port to listen on. 0 chooses a free port.', { maximum: 65535 }),
    kubeconfig: path.optional('Where to write the kubeconfig of an administrator, with mode 0600.', {
      example: 'holdfast.kubeconfig',
    }),
    auditLog: path.optional(
      'File to which one JSON line is appended for each request (audit.k8s.io/v1, level Metadata).',
    ),
    tokenAuthFile: path.optional('File with static tokens. Each line is token,user,uid,"group1,group2".'),
    encryptionKeys: path.optional(
      'File with the keys that encrypt Secrets on disk, created if it is missing. Default: pki/encryption-keys in the data directory.',
    ),
    authorizationMode: choice(
      ['Node,RBAC', 'AlwaysAllow'],
      'Node,RBAC',
      'Authorization mode. AlwaysAllow is for tests.',
    ),
    nodeLabelPrefixes,
    benchCommitDelayMs: duration('0s', 'Added to each commit, to measure what a slower disk would do.', {
      hidden: true,
    }),
    featureGates: featureGates(
      DRIVER_GATES,
      'Features to enable or disable. Without CSIServiceAccountToken, its fields are dropped from new CSIDrivers. CSISkipAttach has no effect here, only in controllers and nodes.',
    ),
    ...loggingOptions,
  },
  examples: [
    {
      text: 'A temporary server',
      command: 'holdfast apiserver --in-memory --port=0 --kubeconfig=holdfast.kubeconfig',
    },
    {
      text: 'A server that stores its state',
      command: 'holdfast apiserver --data=./state --kubeconfig=holdfast.kubeconfig',
    },
  ],
  check: ({ data, inMemory, acceptDataLoss, encryptionKeys, nodeLabelPrefixes: prefixes }) => [
    ...(acceptDataLoss && data === undefined ? ['--accept-data-loss: needs --data'] : []),
    ...(encryptionKeys !== undefined && data === undefined ? ['--encryption-keys: needs --data'] : []),
    ...(data !== undefined && inMemory ? ['--data and --in-memory exclude each other'] : []),
    ...(data === undefined && !inMemory ? ['say where state is kept: --data=DIR, or --in-memory'] : []),
    ...checkNodeLabelPrefixes(prefixes),
  ],
})

/** The API server as a process of its own. */
export const apiserverCommand = createCommandModule(command, async (config, world) => {
  const log = createCommandLogger(config, world)
  const { clock, random, host: machine, version } = world
  const dataDirectory = config.data === undefined ? undefined : resolve(config.data)
  await using _held = dataDirectory === undefined ? undefined : await lockDirectory(machine, dataDirectory)
  const audit = config.auditLog === undefined ? undefined : openAuditLog(resolve(config.auditLog))
  audit?.on('error', (error) => log.error('writing the audit log failed', { error }))
  const stopped = world.untilStopped()
  const startedMs = clock.monotonicMs()
  const apiServer = await startApiServer(
    {
      host: config.address,
      port: config.port,
      authorizationMode: config.authorizationMode,
      gates: config.featureGates,
      nodeLabelPrefixes: config.nodeLabelPrefixes,
      ...(dataDirectory === undefined ? {} : { dataDirectory }),
      acceptDataLoss: config.acceptDataLoss,
      ...(config.encryptionKeys === undefined ? {} : { encryptionKeysFile: resolve(config.encryptionKeys) }),
      ...(config.tokenAuthFile === undefined ? {} : { tokenFile: resolve(config.tokenAuthFile) }),
      ...(config.benchCommitDelayMs > 0 ? { addedCommitMs: config.benchCommitDelayMs } : {}),
      ...(audit ? { writeAudit: (line: string) => void audit.write(line) } : {}),
    },
    { machine, clock, random, log, version },
  )
  try {
    if (config.kubeconfig !== undefined)
      await writeAdminKubeconfig(resolve(config.kubeconfig), apiServer, { machine, random })
    world.out.write(`ready ${apiServer.address} in ${Math.round(clock.monotonicMs() - startedMs)} ms\n`)
    log.info('stopping', { signal: await stopped })
  } finally {
    await apiServer.stop()
    audit?.end()
  }
  return 0
})

function openAuditLog(path: string): WriteStream {
  const descriptor = openSync(path, 'a', 0o600)
  // A file that was there before keeps its mode otherwise.
  fchmodSync(descriptor, 0o600)
  return createWriteStream(path, { fd: descriptor })
}
