import { count, defineCommand, path, text } from '../base/options/index.ts'
import { startConsole } from '../console/index.ts'
import { createCommandModule } from './command-module.ts'
import { connectKubernetes, usualKubeconfig } from './connect-kubernetes.ts'
import { createCommandLogger, loggingOptions } from './logging.ts'

const command = defineCommand({
  name: 'holdfast console',
  summary:
    'Serves the web console for a cluster on 127.0.0.1: what is waiting and why, claims, volumes, snapshots, drivers, nodes and capacity, updated as they change. It only reads, with your permissions. The printed address admits one browser; your credentials stay in this process.',
  options: {
    kubeconfig: path.optional(
      'Kubeconfig to use. Default: the files in KUBECONFIG, the service account of the pod, or ~/.kube/config.',
    ),
    context: text.optional('Context of the kubeconfig. Default: its current context.'),
    port: count(0, 'Port of the console. 0 chooses a free port.', { maximum: 65535, example: '8080' }),
    ...loggingOptions,
  },
  examples: [
    { text: 'The cluster that kubectl uses', command: 'holdfast console' },
    { text: 'Another cluster, on a fixed port', command: 'holdfast console --context=production --port=8080' },
  ],
})

/** The console of any cluster. */
export const consoleCommand = createCommandModule(command, async (config, world) => {
  const { host, clock, random, version } = world
  const log = createCommandLogger(config, world)
  const { kubeconfig = usualKubeconfig(world), context, port } = config
  const kubernetes = await connectKubernetes({ kubeconfig, context, kubeApiQps: 0, kubeApiBurst: 0 }, world, {
    program: 'holdfast-console',
  })
  const stopping = new AbortController()
  const stopped = world.untilStopped()
  void stopped.then((signal) => stopping.abort(new Error(`stopped by ${signal}`)))
  try {
    const options = { api: kubernetes.api, server: kubernetes.server, version, port, signal: stopping.signal }
    const running = await startConsole({ host, clock, random, log }, options)
    world.out.write(`ready ${running.address}; Ctrl-C stops\n`)
    await stopped
    await running.stop()
    return 0
  } finally {
    kubernetes.close()
  }
})
