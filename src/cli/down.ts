import { resolve } from 'node:path'
import { defineCommand, flag, path, UsageError } from '../base/options/index.ts'
import { findClusterData, removeClusterData } from '../cluster/index.ts'
import { createCommandModule } from './command-module.ts'
import { defaultDataDirectory } from './default-data-directory.ts'
import { lockDirectory } from './lock-directory.ts'

const command = defineCommand({
  name: 'holdfast down',
  summary:
    'Deletes a cluster that was started with up: unmounts its volumes and deletes its data, after confirmation. Stop the cluster first. Other files in the data directory are not deleted.',
  options: {
    data: path.optional('Data directory of the cluster. Default: the default of up.'),
    yes: flag(false, 'Do not ask for confirmation.'),
  },
  examples: [{ text: 'Delete a cluster with all its volumes', command: 'holdfast down --data=/tmp/holdfast --yes' }],
})

/** The end of a cluster and its data. */
export const downCommand = createCommandModule(command, async (config, world, _positionals, given) => {
  const { host, out } = world
  // An empty variable of a shell must not become the default.
  if (given.has('data') && config.data === undefined)
    throw new UsageError(['--data: the value is empty; specify a directory'])
  const directory = resolve(config.data ?? defaultDataDirectory(world))
  const stat = await host.files.findStat(directory)
  if (!stat) {
    out.write(`${directory} is not there: nothing to do\n`)
    return 0
  }
  // Behind a link, the data is what is asked for.
  const real = await host.files.resolve(directory)
  const data =
    (await host.files.findStat(real))?.kind === 'directory' ? await findClusterData(host.files, real) : undefined
  if (!data) throw new Error(`${directory} contains no data of a cluster that was started with up. Nothing was deleted`)
  await using _held = await lockDirectory(host, real)
  const mounts = (await host.mounts.list()).filter(({ target }) =>
    data.own.some((name) => target.startsWith(`${real}/${name}/`)),
  )
  const what = `the cluster in ${directory} with all its volumes and objects${mounts.length === 0 ? '' : `, and what is mounted there (${mounts.length})`}`
  if (!config.yes) {
    const answer = await world.ask(`Delete ${what}? This can't be undone. Type yes: `)
    if (answer === undefined)
      throw new Error('there is no terminal to ask for confirmation: use --yes to delete without confirmation')
    if (answer.trim().toLowerCase() !== 'yes') {
      out.write('nothing was deleted\n')
      return 1
    }
  }
  await removeClusterData(host, real, data.own)
  out.write(`deleted ${what}\n`)
  if (data.foreign.length > 0) out.write(`left in ${directory}, not of the cluster: ${data.foreign.join(', ')}\n`)
  return 0
})
