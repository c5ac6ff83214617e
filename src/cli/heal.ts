import { abandonOnAbort, startDeadline } from '../base/abort.ts'
import { defineCommand, duration, flag, path, positional, text } from '../base/options/index.ts'
import { connectDriver, parseEndpoint } from '../csi/index.ts'
import { createEventRecorder } from '../kube/controller/event-recorder.ts'
import { discoverDriver } from '../sidecars/discover-driver.ts'
import { describeAction, performHeal, planHeal } from '../sidecars/heal/index.ts'
import { readVolumeObjects } from '../sidecars/volume-objects.ts'
import type { HealResult } from '../sidecars/heal/index.ts'
import { createCommandModule } from './command-module.ts'
import { connectKubernetes, usualKubeconfig } from './connect-kubernetes.ts'
import { createCommandLogger, loggingOptions } from './logging.ts'

const LEFT = 3

const command = defineCommand({
  name: 'holdfast heal',
  summary:
    'Repairs what is provably safe to repair, after showing it and asking: detaches volumes whose VolumeAttachment cannot be deleted, and offers retained volumes to the claims that name them. It removes the finalizer of an attachment only after ControllerUnpublishVolume returned OK. It prints what only a person may do, and never taints a node. Exit code 0: nothing is left to do. 3: something is left.',
  options: {
    kubeconfig: path.optional(
      'Kubeconfig to use. Default: the files in KUBECONFIG, the service account of the pod, or ~/.kube/config.',
    ),
    context: text.optional('Context of the kubeconfig. Default: its current context.'),
    yes: flag(false, 'Perform every action without asking.', { short: 'y' }),
    dryRun: flag(false, 'Only show what would be done.'),
    json: flag(false, 'Print the plan and the results as JSON.'),
    callTimeoutMs: duration('30s', 'Timeout of each call to the driver.', { minimum: '1s' }),
    timeoutMs: duration('10m', 'Timeout of the whole command.', { minimum: '1s' }),
    ...loggingOptions,
  },
  positionals: {
    endpoint: positional.optional(
      'Socket of the driver, as unix:///path or /path: only its attachments are healed. Without it, the sidecars of the drivers are asked to detach; they need the role heal.',
      { name: 'ENDPOINT' },
    ),
  },
  examples: [
    { text: 'What could be healed?', command: 'holdfast heal --dry-run' },
    { text: 'With the socket of the driver', command: 'holdfast heal /csi/csi.sock --yes' },
  ],
})

/** One plan, and its actions one by one. */
export const healCommand = createCommandModule(command, async (config, world, { endpoint }) => {
  const { clock } = world
  const log = createCommandLogger(config, world)
  const { kubeconfig = usualKubeconfig(world), context, callTimeoutMs, timeoutMs } = config
  const address = endpoint?.startsWith('/') ? `unix://${endpoint}` : endpoint
  const socket = address === undefined ? '' : parseEndpoint(address)
  const kubernetes = await connectKubernetes({ kubeconfig, context, kubeApiQps: 0, kubeApiBurst: 0 }, world, {
    program: 'holdfast-heal',
  })
  const connected = address === undefined ? undefined : connectDriver({ endpoint: address, clock })
  try {
    using deadline = startDeadline(clock, timeoutMs, () => new Error(`no result within ${timeoutMs / 1000} s`))
    const { signal } = deadline
    const { api } = kubernetes
    const driver = connected?.driver
    const facts =
      driver &&
      (await abandonOnAbort(
        discoverDriver(driver, { clock, log, path: socket, timeoutMs: callTimeoutMs, signal }),
        signal,
      ))
    const { actions, advice } = planHeal(await readVolumeObjects(api, signal), facts?.name)
    const events = createEventRecorder({ api, clock, log, component: 'holdfast-heal' })
    const results: HealResult[] = []
    const say = (line: string): void => (config.json ? undefined : world.out.write(`${line}\n`))
    if (actions.length === 0) say('There is nothing that can be healed safely.')
    for (const action of actions) {
      say(describeAction(action))
      if (config.dryRun) continue
      const isConfirmed = config.yes || (await world.ask('Type yes to do it: ')) === 'yes'
      if (!isConfirmed) continue
      const result = await performHeal(action, { api, driver, events, timeoutMs: callTimeoutMs, signal })
      results.push(result)
      say(`  ${result.result}: ${result.message}`)
    }
    for (const { object, text: words } of advice) say(`${object}: ${words}`)
    await events.flush(signal)
    if (config.json)
      world.out.write(`${JSON.stringify({ actions: actions.map(describeAction), results, advice }, undefined, 2)}\n`)
    const healed = results.filter(({ result }) => result === 'healed').length
    return healed === actions.length && advice.length === 0 ? 0 : LEFT
  } finally {
    connected?.connection.close()
    kubernetes.close()
  }
})
