import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import { configMap } from './objects-under-test.ts'
import type { StallAttack } from './stall-attack.ts'

const CONFIG_MAP_PATH = '/api/v1/namespaces/default/configmaps'

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index))

const LISTED = 20_000
const LISTS: readonly StallAttack[] = [
  {
    name: 'a list of many objects',
    prepare: async (api) => {
      const data = { text: 'x'.repeat(500) }
      await Promise.all(times(LISTED, (index) => api.create(CONFIG_MAPS, configMap(`listed-${index}`, { labels: { listed: 'true' } }, data))))
    },
    request: () => ({ path: `${CONFIG_MAP_PATH}?labelSelector=listed%3Dtrue` }),
    status: 200,
  },
]

/** Each is one request that once blocked or killed the server. */
export const STALL_ATTACKS: readonly StallAttack[] = [...LISTS]
