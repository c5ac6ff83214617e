import type { Api } from '../../api/api.ts'
import { decorateApi } from '../controller/decorate-api.ts'

/** The API until the signal aborts. After that, every request fails, whichever part still uses the API. */
export const fenceApi = (api: Api, signal: AbortSignal): Api =>
  decorateApi(api, {
    request: (_request, send) => (signal.aborted ? Promise.reject(signal.reason as Error) : send()),
    beforeWatch: () => signal.throwIfAborted(),
  })
