import { defineCommand, duration, flag, path, positional } from '../base/options/index.ts'
import { createSystemSockets } from '../csi/index.ts'
import { findNodeProblems, formatDiagnosis, readDoctorFacts } from '../node/doctor/index.ts'
import { createCommandModule } from './command-module.ts'
import { createCommandLogger, loggingOptions } from './logging.ts'

const FOUND = 3

const command = defineCommand({
  name: 'holdfast doctor',
  summary:
    'Finds out on a node why a CSI driver is not registered there: finds the directory that the kubelet uses, asks every registration socket in it and the driver that it names, looks for drivers that are registered with another directory, and for SELinux labels and denials. It only reads, and needs no access to the API server. Exit code 0: nothing is wrong. 3: something is.',
  options: {
    kubeletDir: path.optional(
      'Directory of the kubelet, or of the node agent. Default: what the command line of the kubelet says if its process is visible, or the usual directory that exists.',
      { example: '/var/lib/k0s/kubelet' },
    ),
    root: path('/', 'Where the root directory of the node is mounted: /host in a pod of kubectl debug node/NAME.'),
    json: flag(false, 'Print what was found, and the problems, as JSON.'),
    timeoutMs: duration('5s', 'Timeout of each call to a registrar or driver.', { minimum: '100ms' }),
    ...loggingOptions,
  },
  positionals: {
    driver: positional.optional('Name of the driver. Default: all that are on the node.', { name: 'DRIVER' }),
  },
  examples: [
    { text: 'On the node', command: 'holdfast doctor' },
    { text: 'In a pod of kubectl debug node/worker-3', command: 'holdfast doctor csi.example.com --root=/host' },
  ],
})

/** One look at the node. */
export const doctorCommand = createCommandModule(command, async (config, world, { driver }) => {
  const { clock, random, host } = world
  const { kubeletDir: rootDir, root, timeoutMs } = config
  const log = createCommandLogger(config, world)
  const sockets = createSystemSockets({ files: host.files, clock, random, log })
  const facts = await readDoctorFacts({ host, sockets, clock, root, rootDir, timeoutMs })
  const problems = findNodeProblems(facts, driver)
  world.out.write(
    config.json ? `${JSON.stringify({ ...facts, problems }, undefined, 2)}\n` : formatDiagnosis(facts, problems),
  )
  return problems.length === 0 ? 0 : FOUND
})
