import { stringify } from 'yaml'
import type { Api } from '../api/api.ts'
import { abandonOnAbort, startDeadline } from '../base/abort.ts'
import type { Clock } from '../base/clock.ts'
import { choice, defineCommand, duration, flag, path, positional, text, UsageError } from '../base/options/index.ts'
import { explain, findStuck, formatExplanation, formatStuck, parseTarget } from '../explain/index.ts'
import type { Target } from '../explain/index.ts'
import { createCommandModule } from './command-module.ts'
import { connectKubernetes, usualKubeconfig } from './connect-kubernetes.ts'

const WAITS = 3
// For what is not needed to explain anything.
const USAGE_MS = 5000

const command = defineCommand({
  name: 'holdfast why',
  summary:
    'Explains why a pod, claim, volume, attachment, snapshot, node, namespace, class or driver is not ready: the chain of objects that it depends on, the component that has to act, the last error, and what to do. Without an object, it lists everything that is waiting, grouped by cause. It only reads, and works on any Kubernetes cluster. Exit code 0: the object is ready, or nothing is waiting. 3: something is waiting. 1: the reason could not be determined.',
  options: {
    namespace: text.optional(
      'Namespace of the pod, claim or snapshot. Default: the namespace of the kubeconfig, or default. Without an object, list only this namespace; default: all.',
      {
        short: 'n',
      },
    ),
    allNamespaces: flag(false, 'List what is waiting in all namespaces, which is the default without an object.', {
      short: 'A',
    }),
    kubeconfig: path.optional(
      'Kubeconfig to use. Default: the files in KUBECONFIG, the service account of the pod, or ~/.kube/config.',
    ),
    context: text.optional('Context of the kubeconfig. Default: its current context.'),
    output: choice.optional(['json', 'yaml'], 'Print the answer as json or yaml.', { short: 'o' }),
    json: flag(false, 'The same as --output=json.'),
    timeoutMs: duration('30s', 'Timeout of all requests to the API server together.', { minimum: '1s' }),
  },
  positionals: {
    object: positional.optional(
      'Object to explain: pod/NAME, pvc/NAME, pv/NAME, va/NAME, vs/NAME, vsc/NAME, node/NAME, ns/NAME, sc/NAME, vac/NAME, vsclass/NAME or driver/NAME. The kind can be written as with kubectl.',
      { name: 'KIND/NAME' },
    ),
    name: positional.optional('Name of the object, if it is not part of the first argument.'),
  },
  examples: [
    { text: 'Why does the pod not start?', command: 'holdfast why pod/web -n shop' },
    { text: 'Why is the claim not bound? As JSON', command: 'holdfast why pvc data -o json' },
    { text: 'Everything in the cluster that is waiting', command: 'holdfast why' },
  ],
})

type Question = { readonly api: Api; readonly namespace: string | undefined; readonly signal: AbortSignal }
type Said = { readonly isReady: boolean; readonly text: string; readonly data: object }

/** One question about one object, or about the whole cluster. */
export const whyCommand = createCommandModule(command, async (config, world, { object, name }) => {
  const { namespace, allNamespaces, kubeconfig, context, timeoutMs } = config
  if (allNamespaces && (namespace !== undefined || object !== undefined))
    throw new UsageError(['-A lists what is waiting in all namespaces: leave out the namespace and the object'])
  const target = object === undefined ? undefined : parseTarget(object, name)
  if (typeof target === 'string') throw new UsageError([target])
  const kubernetes = await connectKubernetes(
    { kubeconfig: kubeconfig ?? usualKubeconfig(world), context, kubeApiQps: 0, kubeApiBurst: 0 },
    world,
    { program: 'holdfast-why' },
  )
  try {
    using deadline = startDeadline(
      world.clock,
      timeoutMs,
      () => new Error(`the API server did not respond within ${timeoutMs / 1000} s`),
    )
    const { signal } = deadline
    const question = { api: kubernetes.api, namespace, signal }
    const own = { ...question, namespace: namespace ?? kubernetes.namespace }
    const said = await abandonOnAbort(target ? askOne(target, own, world.clock) : askAll(question, world.clock), signal)
    world.out.write(formatAs(config.output ?? (config.json ? 'json' : 'text'), said))
    return said.isReady ? 0 : WAITS
  } finally {
    kubernetes.close()
  }
})

async function askOne(target: Target, { api, namespace = 'default', signal }: Question, clock: Clock): Promise<Said> {
  using usage = startDeadline(clock, USAGE_MS, () => new Error('no stats in time'))
  const nowMs = clock.nowMs()
  const answer = await explain(target, { api, namespace, signal, usageSignal: usage.signal, nowMs })
  if (answer.kind === 'absent') throw new Error(`${formatTarget(target, namespace)} does not exist`)
  if (answer.kind === 'unseen') throw new Error(`you are not allowed to read ${formatTarget(target, namespace)}`)
  const { explanation } = answer
  return { isReady: explanation.isReady, text: formatExplanation(explanation, nowMs), data: explanation }
}

async function askAll(question: Question, clock: Clock): Promise<Said> {
  const stuck = await findStuck({ ...question, nowMs: clock.nowMs() })
  return { isReady: stuck.groups.length === 0, text: formatStuck(stuck), data: stuck }
}

function formatAs(format: 'text' | 'json' | 'yaml', { text: forPeople, data }: Said): string {
  if (format === 'text') return forPeople
  const json = JSON.stringify(data, undefined, 2)
  // Through JSON, so that both have the same members.
  return format === 'json' ? `${json}\n` : stringify(JSON.parse(json))
}

const formatTarget = ({ kind, name }: Target, namespace: string): string =>
  kind === 'Pod' || kind === 'PersistentVolumeClaim' ? `${kind} ${name} in namespace ${namespace}` : `${kind} ${name}`
