import { abandonOnAbort, startDeadline } from '../base/abort.ts'
import { defineCommand, duration, flag, path, positional, text, UsageError } from '../base/options/index.ts'
import { explain, formatExplanation, parseTarget } from '../explain/index.ts'
import type { Target } from '../explain/index.ts'
import { createCommandModule } from './command-module.ts'
import { connectKubernetes, usualKubeconfig } from './connect-kubernetes.ts'

const WAITS = 3
// For what is not needed to explain anything.
const USAGE_MS = 5000

const command = defineCommand({
  name: 'holdfast why',
  summary:
    'Explains why a pod, claim, volume, attachment or snapshot is not ready: the chain of objects that it depends on, the component that has to act, the last error, and what to do. It only reads, and works on any Kubernetes cluster. Exit code 0: the object is ready. 3: it is waiting. 1: the reason could not be determined.',
  options: {
    namespace: text.optional(
      'Namespace of the pod, claim or snapshot. Default: the namespace of the kubeconfig, or default.',
      {
        short: 'n',
      },
    ),
    kubeconfig: path.optional(
      'Kubeconfig to use. Default: KUBECONFIG, the service account of the pod, or ~/.kube/config.',
    ),
    json: flag(false, 'Print the answer as JSON.'),
    timeoutMs: duration('30s', 'Timeout of all requests to the API server together.', { minimum: '1s' }),
  },
  positionals: {
    object: positional.required(
      'Object to explain: pod/NAME, pvc/NAME, pv/NAME, va/NAME, vs/NAME or vsc/NAME. The kind can be written as with kubectl.',
      { name: 'KIND/NAME' },
    ),
    name: positional.optional('Name of the object, if it is not part of the first argument.'),
  },
  examples: [
    { text: 'Why does the pod not start?', command: 'holdfast why pod/web -n shop' },
    { text: 'Why is the claim not bound? As JSON', command: 'holdfast why pvc data --json' },
    { text: 'Why is the snapshot not ready?', command: 'holdfast why vs/monday -n shop' },
  ],
})

/** One question about one object. */
export const whyCommand = createCommandModule(
  command,
  async ({ namespace, kubeconfig, json, timeoutMs }, world, { object, name }) => {
    const target = parseTarget(object, name)
    if (typeof target === 'string') throw new UsageError([target])
    const kubernetes = await connectKubernetes(
      { kubeconfig: kubeconfig ?? usualKubeconfig(world), kubeApiQps: 0, kubeApiBurst: 0 },
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
      const own = namespace ?? kubernetes.namespace ?? 'default'
      using usage = startDeadline(world.clock, Math.min(timeoutMs, USAGE_MS), () => new Error('no stats in time'))
      const asked = { api: kubernetes.api, namespace: own, signal, usageSignal: usage.signal }
      const answer = await abandonOnAbort(explain(target, asked), signal)
      if (answer.kind === 'absent') throw new Error(`${formatTarget(target, own)} does not exist`)
      if (answer.kind === 'unseen') throw new Error(`you are not allowed to read ${formatTarget(target, own)}`)
      const { explanation } = answer
      world.out.write(json ? `${JSON.stringify(explanation, undefined, 2)}\n` : formatExplanation(explanation))
      return explanation.isReady ? 0 : WAITS
    } finally {
      kubernetes.close()
    }
  },
)

const formatTarget = ({ kind, name }: Target, namespace: string): string =>
  kind === 'Pod' || kind === 'PersistentVolumeClaim' ? `${kind} ${name} in namespace ${namespace}` : `${kind} ${name}`
