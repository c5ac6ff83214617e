import { resolve } from 'node:path'
import { defineCommand, flag, path } from '../base/options/index.ts'
import { removeClusterData } from '../cluster/index.ts'
import { createCommandModule } from './command-module.ts'
import { defaultDataDirectory } from './default-data-directory.ts'
import { lockDirectory } from './lock-directory.ts'

const command = defineCommand({
  name: 'holdfast down',
  summary: 'Removes a cluster that was started with up: unmounts its volumes and deletes its data directory, after asking. It has to be stopped first.',
  options: {
    data: path.optional('The data directory. Default: the one of up.'),
    yes: flag(false, 'Do not ask.'),
  },
  examples: [{ text: 'Remove a cluster with all its volumes', command: 'holdfast down --data=/tmp/holdfast --yes' }],
})

// One of these is there from the first start on.
const SIGNS = ['kubeconfig', 'apiserver', 'volumes/holdfast-hostpath.json']

/** The end of a cluster and its data. */
export const downCommand = createCommandModule(command, async (config, world) => {
  const { host, out } = world
  const directory = resolve(config.data ?? defaultDataDirectory(world))
  if (!(await host.files.findStat(directory))) {
    out.write(`${directory} is not there: nothing to do\n`)
    return 0
  }
  const signs = await Promise.all(SIGNS.map((name) => host.files.findStat(`${directory}/${name}`)))
  if (signs.every((sign) => sign === undefined)) throw new Error(`${directory} is no data directory of a cluster: it has none of ${SIGNS.join(', ')}. Nothing was removed`)
  await using _held = await lockDirectory(host, directory)
  const real = await host.files.resolve(directory)
  const mounts = (await host.mounts.list()).map(({ target }) => target).filter((target) => target.startsWith(`${real}/`))
  const what = `${directory} with all volumes and objects${mounts.length === 0 ? '' : `, and what is mounted below it (${mounts.length})`}`
  if (!config.yes) {
    const answer = await world.ask(`Delete ${what}? This can't be undone. Type yes: `)
    if (answer === undefined) throw new Error('there is no terminal to ask on: give --yes to delete without asking')
    if (answer.trim().toLowerCase() !== 'yes') {
      out.write('nothing was removed\n')
      return 1
    }
  }
  await removeClusterData(host, directory)
  out.write(`removed ${what}\n`)
  return 0
})
