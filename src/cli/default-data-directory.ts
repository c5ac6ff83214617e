import { homedir } from 'node:os'
import { join } from 'node:path'
import type { World } from './world.ts'

/** Where `up` keeps a cluster when nothing else is said. Short, since paths of sockets have to be. */
export function defaultDataDirectory({ env }: Pick<World, 'env'>): string {
  return join(env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share'), 'holdfast')
}
