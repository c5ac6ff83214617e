import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Container, PodSpec } from '../../src/api/kinds/pod.ts'
import { startCommand } from '../../src/cli/testing/cli-under-test.ts'
import type { RunningCommand } from '../../src/cli/testing/cli-under-test.ts'

// Runs the containers of a pod template as a kubelet would, as far as their paths, arguments and environment go: each path of a container becomes
// the one that its mounts say, on a machine whose root is a directory.

export type Machine = {
  readonly root: string
  readonly nodeName: string
  readonly podName: string
  readonly kubeconfig?: string
}

/** A container and where its paths are on the machine. */
export type PlacedContainer = {
  readonly container: Container
  readonly args: readonly string[]
  readonly env: Record<string, string>
  onMachine(path: string): string
}

export async function placeContainers(spec: PodSpec, machine: Machine): Promise<PlacedContainer[]> {
  const placed = []
  for (const container of spec.containers) placed.push(await place(spec, container, machine))
  return placed
}

// The types leave out what no volume needs.
type Variable = {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: { readonly fieldRef?: { readonly fieldPath: string } }
}

async function place(
  { volumes = [] }: PodSpec,
  container: Container,
  { root, nodeName, podName }: Machine,
): Promise<PlacedContainer> {
  const mounts: [inside: string, outside: string][] = []
  for (const { name, mountPath } of container.volumeMounts ?? []) {
    const volume = volumes.find((each) => each.name === name)
    if (!volume) throw new Error(`container ${container.name} mounts ${name}, which the pod does not have`)
    const { hostPath, emptyDir } = volume as { hostPath?: { path: string; type?: string }; emptyDir?: object }
    const outside = hostPath
      ? join(root, hostPath.path)
      : emptyDir
        ? join(root, 'empty-dirs', podName, name)
        : undefined
    if (outside === undefined) throw new Error(`nobody here knows the volume ${name}`)
    if (emptyDir || hostPath?.type === 'DirectoryOrCreate') await mkdir(outside, { recursive: true })
    mounts.push([mountPath, outside])
  }
  // The longest first: mounts may lie in each other.
  mounts.sort(([a], [b]) => b.length - a.length)
  const onMachine = (path: string): string => {
    const mount = mounts.find(([inside]) => path === inside || path.startsWith(`${inside}/`))
    return mount ? join(mount[1], path.slice(mount[0].length)) : join(root, path)
  }
  const fields: Record<string, string> = { 'spec.nodeName': nodeName, 'metadata.name': podName }
  const env = Object.fromEntries(
    ((container.env ?? []) as readonly Variable[]).map(({ name, value, valueFrom }) => [
      name,
      value ?? fields[valueFrom?.fieldRef?.fieldPath ?? ''] ?? '',
    ]),
  )
  const args = (container.args ?? []).map((word) =>
    word
      .replaceAll(/\$\((\w+)\)/g, (_, name: string) => env[name] ?? '')
      // Pods have ports of their own; here all share those of one machine.
      .replace(/^(--http-endpoint=):\d+$/, '$1127.0.0.1:0')
      .replace(/^(--[a-z-]+=(?:unix:\/\/)?)(\/.*)$/, (_, flag: string, path: string) => `${flag}${onMachine(path)}`),
  )
  return { container, args, env, onMachine }
}

/** Starts a container of ours: the first argument is its command. */
export function runContainer(
  context: TestContext,
  { container, args, env, onMachine }: PlacedContainer,
  { podName, kubeconfig }: Machine,
): RunningCommand {
  const [command = '', ...rest] = args
  if (container.image !== 'your-registry/holdfast') throw new Error(`${container.name} is not ours to run`)
  // Defaults that are paths are paths inside too.
  const registration =
    command === 'node-driver-registrar' && !rest.some((word) => word.startsWith('--plugin-registration-path'))
      ? [`--plugin-registration-path=${onMachine('/registration')}`]
      : []
  return startCommand(
    context,
    [command, ...rest, ...registration, ...(command === 'sidecar' && kubeconfig ? [`--kubeconfig=${kubeconfig}`] : [])],
    { hostname: podName, env },
  )
}
