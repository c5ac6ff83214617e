import type { Api } from '../../api/api.ts'
import type { ConfigMap } from '../../api/kinds/config-map.ts'
import type { ObjectMeta } from '../../api/object.ts'

/** What the parts of `describeApi` work on. */
export interface ApiUnderTest {
  readonly api: Api
  /** A unique name. */
  nameFor(what: string): string
  /** Has no effect on a server with a real clock. */
  advance(byMs: number): Promise<void>
  hasSimulatedClock(): boolean
}

/** A ConfigMap in the default namespace. */
export const configMap = (name: string, data: Record<string, string> = {}, metadata: ObjectMeta = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name, ...metadata },
  data,
})
