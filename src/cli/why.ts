import { join } from 'node:path'
import { abandonOnAbort, startDeadline } from '../base/abort.ts'
import { defineCommand, duration, flag, path, positional, text, UsageError } from '../base/options/index.ts'
import { explain, formatExplanation, parseTarget } from '../explain/index.ts'
import type { Target } from '../explain/index.ts'
import { createCommandModule } from './command-module.ts'
import { connectKubernetes } from './connect-kubernetes.ts'
import type { World } from './world.ts'

const WAITS = 3

const command = defineCommand({
  name: 'holdfast why',
  summary:
    'Says why a pod, claim, volume or attachment is not ready: the chain of objects that it depends on, who has to act, the last error, and what would ' +
    'clear it. It only reads, on any Kubernetes cluster. Exit code 0 when nothing waits, 3 when something does, 1 when it could not be found out.',
  options: {
    namespace: text.optional('Namespace of the pod or claim. Default: that of the kubeconfig, else default.', {
      short: 'n',
    }),
    kubeconfig: path.optional(
      'Kubeconfig to use. Default: KUBECONFIG, else the account of the pod, else ~/.kube/config.',
    ),
    json: flag(false, 'Write the answer as JSON.'),
    timeoutMs: duration('30s', 'Longest wait for the API server, all in all.', { minimum: '1s' }),
  },
  positionals: {
    object: positional.required(
      'What to explain: pod/NAME, pvc/NAME, pv/NAME or va/NAME; the kind in any form that kubectl takes.',
      { name: 'KIND/NAME' },
    ),
    name: positional.optional('The name, when it is not part of the first word.'),
  },
  examples: [
    { text: 'Why does the pod not start?', command: 'holdfast why pod/web -n shop' },
    { text: 'Why is the claim not bound? As data', command: 'holdfast why pvc data --json' },
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
        () => new Error(`the API server did not answer within ${timeoutMs / 1000} s`),
      )
      const { signal } = deadline
      const own = namespace ?? kubernetes.namespace ?? 'default'
      const answer = await abandonOnAbort(explain(target, { api: kubernetes.api, namespace: own, signal }), signal)
      if (answer.kind === 'absent') throw new Error(`${formatTarget(target, own)} does not exist`)
      if (answer.kind === 'unseen') throw new Error(`you may not see ${formatTarget(target, own)}`)
      const { explanation } = answer
      world.out.write(json ? `${JSON.stringify(explanation, undefined, 2)}\n` : formatExplanation(explanation))
      return explanation.isReady ? 0 : WAITS
    } finally {
      kubernetes.close()
    }
  },
)

/** As kubectl looks for one. Undefined: the flag or the environment says where, or it runs in a pod. */
function usualKubeconfig({ env }: World): string | undefined {
  const isSaid = env['KUBECONFIG'] || env['KUBERNETES_SERVICE_HOST']
  return isSaid || !env['HOME'] ? undefined : join(env['HOME'], '.kube', 'config')
}

const formatTarget = ({ kind, name }: Target, namespace: string): string =>
  kind === 'Pod' || kind === 'PersistentVolumeClaim' ? `${kind} ${name} in namespace ${namespace}` : `${kind} ${name}`
