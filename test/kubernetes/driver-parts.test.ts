import { deepEqual, equal } from 'node:assert/strict'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../../scripts/run.ts'
import { CSI_NODES } from '../../src/api/kinds/csi-node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../src/api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../src/api/kinds/persistent-volume.ts'
import { PODS } from '../../src/api/kinds/pod.ts'
import { VOLUME_ATTACHMENTS } from '../../src/api/kinds/volume-attachment.ts'
import { createSilentLogger, createSystemClock, createSystemRandom } from '../../src/base/index.ts'
import { mountsBelow, openClusterDirectory } from '../../src/cluster/testing/describe-up.ts'
import type { Seen } from '../../src/cluster/testing/describe-up.ts'
import { createInformers } from '../../src/kube/cache/informers.ts'
import { createPod, deleteAll, install, isEmpty, isRunning } from './driver-stage.ts'
import { GCE_PD, releaseLoopDevices } from './foreign-drivers.ts'
import { connectAdmin } from './sidecar-stage.ts'
import { startLogged } from './start-logged.ts'
import type { LoggedProgram } from './start-logged.ts'

const MAIN = join(ROOT, 'src/cli/main.ts')
const NAMES = ['a', 'b', 'c']

test(
  'each part a process of its own, and each but the server killed on the way: a driver of others ends with every pod running, and then with nothing left',
  { timeout: 120_000, skip: GCE_PD.whyNot() ?? false },
  async (context) => {
    const running = new Map<string, LoggedProgram>()
    context.after(async () => {
      for (const program of running.values()) await program.stop('SIGKILL')
    })
    const directory = await openClusterDirectory(context)
    context.after(() => releaseLoopDevices(directory))
    const [rootDir, home, kubeconfig] = [
      join(directory, 'node-1'),
      join(directory, 'home'),
      join(directory, 'kubeconfig'),
    ]
    const socket = join(rootDir, 'plugins', GCE_PD.name, 'csi.sock')
    mkdirSync(join(rootDir, 'plugins_registry'), { recursive: true })
    mkdirSync(join(rootDir, 'plugins', GCE_PD.name), { recursive: true })
    const driver = await GCE_PD.command({ socket, home })

    const commands: Readonly<Record<string, readonly string[]>> = {
      apiserver: ['--in-memory', '--port=0', `--kubeconfig=${kubeconfig}`],
      controllers: [`--kubeconfig=${kubeconfig}`],
      sidecar: [`--kubeconfig=${kubeconfig}`, `--csi-address=${socket}`],
      node: [`--kubeconfig=${kubeconfig}`, '--impersonate', '--name=node-1', `--root-dir=${rootDir}`],
      'node-driver-registrar': [
        `--csi-address=${socket}`,
        `--kubelet-registration-path=${socket}`,
        `--plugin-registration-path=${join(rootDir, 'plugins_registry')}`,
      ],
    }
    const start = (part: string): LoggedProgram => {
      const [program, ...args] = part === 'driver' ? driver : [process.execPath, MAIN, part, ...(commands[part] ?? [])]
      const started = startLogged(program, args, join(directory, `${part}.log`))
      running.set(part, started)
      return started
    }
    await start('apiserver').ready
    for (const part of ['driver', 'controllers', 'sidecar', 'node', 'node-driver-registrar']) start(part)

    const { api, close } = await connectAdmin({ kubeconfig: () => kubeconfig })
    const informers = createInformers({
      api,
      clock: createSystemClock(),
      random: createSystemRandom(),
      log: createSilentLogger(),
    })
    context.after(async () => {
      await informers.stop()
      close()
    })
    const caches = [
      informers.get(PERSISTENT_VOLUME_CLAIMS),
      informers.get(PERSISTENT_VOLUMES),
      informers.get(PODS),
      informers.get(VOLUME_ATTACHMENTS),
    ] as const
    const csiNodes = informers.get(CSI_NODES)
    await informers.synced()
    const until = (holds: (seen: Seen) => boolean): Promise<void> =>
      new Promise((resolve) => {
        const check = (): void => {
          const [claims, volumes, pods, attachments] = [
            [...caches[0].all()],
            [...caches[1].all()],
            [...caches[2].all()],
            [...caches[3].all()],
          ]
          if (holds({ claims, volumes, pods, attachments })) resolve()
        }
        for (const cache of [...caches, csiNodes]) cache.onChange(() => queueMicrotask(check))
        check()
      })

    await until(() => csiNodes.get('node-1')?.spec.drivers?.some(({ name }) => name === GCE_PD.name) ?? false)
    await install({ api }, GCE_PD)
    for (const part of ['sidecar', 'node', 'controllers', 'node-driver-registrar', 'driver']) {
      const strike = async (): Promise<void> => {
        await running.get(part)?.stop('SIGKILL')
        start(part)
      }
      for (const name of NAMES) await createPod({ api }, GCE_PD, name, false)
      await until(({ attachments }) => attachments.length > 0)
      await strike()
      await until((seen) => NAMES.every((name) => isRunning(seen, name)))
      await deleteAll({ api })
      await until(({ pods }) => pods.length < NAMES.length)
      await strike()
      await until(isEmpty)
      deepEqual(await mountsBelow(directory), [], `no mount is left after ${part}`)
      deepEqual(GCE_PD.leftovers(home), [], `the driver has nothing left after ${part}`)
      deepEqual(readdirSync(join(rootDir, 'pods')), [], `no directory of a pod is left after ${part}`)
    }
    for (const part of ['node-driver-registrar', 'node', 'sidecar', 'controllers', 'apiserver'])
      equal(await running.get(part)?.stop(), 0, part)
  },
)
