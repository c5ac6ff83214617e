import { abandonOnAbort, startDeadline } from '../base/abort.ts'
import { defineCommand, duration, flag, path, positional, text } from '../base/options/index.ts'
import { createEventRecorder } from '../kube/controller/event-recorder.ts'
import { connectDriver, parseEndpoint } from '../csi/index.ts'
import { discoverDriver } from '../sidecars/discover-driver.ts'
import { formatLeaks, sweep } from '../sidecars/sweep/index.ts'
import { createCommandModule } from './command-module.ts'
import { connectKubernetes, usualKubeconfig } from './connect-kubernetes.ts'
import { createCommandLogger, loggingOptions } from './logging.ts'

const FOUND = 3

const command = defineCommand({
  name: 'holdfast sweep',
  summary:
    'Finds leaks: compares the volumes, attachments and snapshots that a driver lists with the objects of the cluster, and reports what only one side knows. Without --delete it only reads. Exit code 0: both agree. 3: something was found. 1: they could not be compared.',
  options: {
    kubeconfig: path.optional(
      'Kubeconfig to use. Default: the files in KUBECONFIG, the service account of the pod, or ~/.kube/config.',
    ),
    context: text.optional('Context of the kubeconfig. Default: its current context.'),
    json: flag(false, 'Print the result as JSON.'),
    delete: flag(
      false,
      'Delete volumes that the journal of the sidecar role sweep proves to be of this cluster, that have lost their PersistentVolume, and that nobody uses. One by one, each after confirmation. Everything else is only reported.',
    ),
    yes: flag(false, 'Delete without asking.', { short: 'y' }),
    graceMs: duration(
      '24h',
      'How long such a volume has to be without an owner, by the journal, before it is deleted.',
      {
        minimum: '1m',
      },
    ),
    namespace: text.optional(
      'Namespace of the journal: that of the sidecar. Default: the namespace of the kubeconfig. Without --delete, and if this flag is absent, there is no journal.',
      { short: 'n' },
    ),
    node: text.optional(
      'Also compare the directories and mounts of this node, which has to be the machine that the command runs on.',
    ),
    kubeletDir: path('/var/lib/kubelet', 'Directory of the kubelet or node agent, with --node.'),
    settleMs: duration(
      '10s',
      'Pause before a second comparison if something was found. Only what is found both times is reported, because volumes may be being created or deleted.',
    ),
    callTimeoutMs: duration('30s', 'Timeout of each call to the driver.', { minimum: '1s' }),
    timeoutMs: duration('10m', 'Timeout of the whole command.', { minimum: '1s' }),
    ...loggingOptions,
  },
  positionals: {
    endpoint: positional.required('Socket of the driver, as unix:///path or /path.', { name: 'ENDPOINT' }),
  },
  examples: [
    {
      text: 'The bundled driver of holdfast up',
      command: 'holdfast sweep /tmp/holdfast/node-1/plugins/hostpath.holdfast.dev/csi.sock',
    },
    {
      text: 'Another cluster, for a script',
      command: 'holdfast sweep unix:///csi/csi.sock --context=production --json',
    },
  ],
})

/** One comparison of a driver with a cluster. */
export const sweepCommand = createCommandModule(command, async (config, world, { endpoint }) => {
  const { clock } = world
  const log = createCommandLogger(config, world)
  const { kubeconfig = usualKubeconfig(world), context, settleMs, callTimeoutMs, timeoutMs, graceMs } = config
  const { node: nodeName, kubeletDir: rootDir } = config
  const address = endpoint.startsWith('/') ? `unix://${endpoint}` : endpoint
  const socket = parseEndpoint(address)
  const kubernetes = await connectKubernetes({ kubeconfig, context, kubeApiQps: 0, kubeApiBurst: 0 }, world, {
    program: 'holdfast-sweep',
  })
  const { driver, connection } = connectDriver({ endpoint: address, clock })
  try {
    using deadline = startDeadline(clock, timeoutMs, () => new Error(`no result within ${timeoutMs / 1000} s`))
    const { signal } = deadline
    const parts = { clock, log, path: socket, timeoutMs: callTimeoutMs, signal }
    const facts = await abandonOnAbort(discoverDriver(driver, parts), signal)
    const { api } = kubernetes
    const events = createEventRecorder({ api, clock, log, component: 'holdfast-sweep' })
    const sweeping = sweep({
      ...{ api, driver, facts, clock, settleMs, timeoutMs: callTimeoutMs, signal },
      journalNamespace: config.namespace ?? (config.delete ? kubernetes.namespace : undefined),
      ...(config.delete ? { deleteAfterMs: graceMs } : {}),
      ...(nodeName === undefined ? {} : { node: { host: world.host, nodeName, rootDir } }),
      confirm: async ({ handle }) =>
        config.yes ||
        (await world.ask(`Delete volume ${handle} of driver ${facts.name}? This can't be undone. Type yes: `)) ===
          'yes',
      onDeleted: ({ handle, result, because }, { object }) => {
        const about = object()
        const type = result === 'deleted' ? 'Normal' : 'Warning'
        const reason = result === 'deleted' ? 'LeakDeleted' : 'LeakNotDeleted'
        if (about) events.record(about, type, reason, `volume ${handle} of driver ${facts.name}: ${because ?? result}`)
      },
    })
    const { leaks, side, deletions } = await abandonOnAbort(sweeping, signal)
    await events.flush(signal)
    const { name } = facts
    world.out.write(
      config.json
        ? `${JSON.stringify({ driver: name, leaks, deletions }, undefined, 2)}\n`
        : formatLeaks(name, leaks, side, deletions),
    )
    return leaks.length === 0 ? 0 : FOUND
  } finally {
    connection.close()
    kubernetes.close()
  }
})
