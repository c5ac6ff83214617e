import { join, relative } from 'node:path'
import type { Cluster } from '../cluster/index.ts'

export type UpShown = {
  readonly dataDirectory: string
  readonly kubeconfigPath: string
  readonly hasBundledDriver: boolean
  readonly isInMemory: boolean
  readonly tookMs: number
  /** Undefined if there is no console. */
  readonly consoleAddress?: string | undefined
  /** Undefined without a faults file. */
  readonly faults?: { readonly labels: readonly string[]; readonly seed: number } | undefined
}

// The same distance from src/cli and from dist/cli.
const EXAMPLES = join(import.meta.dirname, '../../examples')

/** What was started, then what to type, then the line that begins with `ready`. */
export function formatUp(
  { started, address }: Pick<Cluster, 'started' | 'address'>,
  { dataDirectory, kubeconfigPath, hasBundledDriver, isInMemory, tookMs, faults, consoleAddress }: UpShown,
): string {
  const width = Math.max(...started.map(({ name }) => name.length))
  // An example that names no driver suits any.
  const [file, pod] = hasBundledDriver ? ['claim.yaml', 'web'] : ['ephemeral-claim.yaml', 'batch']
  return [
    ...started.map(({ name, detail }) => `  ${name.padEnd(width)}  ${detail}`),
    ...(consoleAddress === undefined ? [] : [`  ${'console'.padEnd(width)}  ${consoleAddress}`]),
    isInMemory
      ? `  volumes are kept in ${dataDirectory}, objects of the API only until the end`
      : `  data is kept in ${dataDirectory}`,
    ...(faults ? [`  ${faults.labels.length} faults are applied to driver calls, seed ${faults.seed}`] : []),
    '',
    `  export KUBECONFIG=${quoteForShell(kubeconfigPath)}`,
    `  kubectl apply -f ${quoteForShell(fromHere(join(EXAMPLES, file)))}`,
    '  kubectl get pods,persistentvolumeclaims,volumeattachments',
    `  npx holdfast why pod/${pod}`,
    '',
    `ready ${address} in ${Math.round(tookMs)} ms; Ctrl-C stops`,
    '',
  ].join('\n')
}

/** The path relative to the current directory, as a user would type it. */
function fromHere(path: string): string {
  const short = relative(process.cwd(), path)
  return short.startsWith('..') ? path : short
}

const quoteForShell = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
