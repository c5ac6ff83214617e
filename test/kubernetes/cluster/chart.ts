import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../../../scripts/run.ts'
import { buildPeer } from '../peers.ts'

export const CHART = join(ROOT, 'deploy/helm/holdfast-csi')
export const EXAMPLE_VALUES = join(CHART, 'ci/example-values.yaml')

/** Runs Helm and returns what it printed; fails with its error output. */
export async function helm(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const options = { env: { ...process.env, ...env }, maxBuffer: 64 * 1024 ** 2 }
  // Not synchronously: the connection to a cluster in the tests goes through this process.
  return (await promisify(execFile)(await buildPeer('helm'), args, options)).stdout
}

/** `a.b=c` for each: what `--set` takes. */
export const setting = (values: Readonly<Record<string, string>>): string[] =>
  Object.entries(values).map(([path, value]) => `--set=${path}=${value}`)

export const renderExample = (values: Readonly<Record<string, string>> = {}, ...more: string[]): Promise<string> =>
  helm([
    'template',
    'csi-example',
    CHART,
    '--namespace=csi-example',
    // Without a server, Helm knows only the version that it was linked with.
    '--kube-version=1.36.4',
    `--values=${EXAMPLE_VALUES}`,
    ...setting(values),
    ...more,
  ])
