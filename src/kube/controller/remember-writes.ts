import type { Api } from '../../api/api.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { decorateApi } from './decorate-api.ts'
import type { ApiRequest } from './decorate-api.ts'

/** The API, with the response to every write passed on, so that the next decision is based on the last write. */
export const rememberWrites = (api: Api, remember: (type: ResourceType, object: KubeObject) => void): Api =>
  decorateApi(api, {
    request: (request, send) =>
      WRITES.has(request.verb) && !request.options.dryRun
        ? send().then((answer) => {
            if (isPresent(answer, request)) remember(request.type, answer)
            return answer
          })
        : send(),
  })

const WRITES: ReadonlySet<string> = new Set<ApiRequest['verb']>(['create', 'update', 'patch', 'delete'])

// If a deletion removes the object, it returns a Status. A returned object still has finalizers or a grace period.
const isPresent = (answer: unknown, { verb }: ApiRequest): answer is KubeObject =>
  verb !== 'delete' || (answer as Partial<KubeObject>).metadata?.deletionTimestamp !== undefined
