import type { Api } from '../../api/api.ts'
import { traceIdOf } from '../../base/tracing/index.ts'
import type { Tracer } from '../../base/tracing/index.ts'
import { decorateApi } from './decorate-api.ts'

/** The part of a controller that tells which traces its steps belong to. */
type TracedController<View> = { readonly name: string; lifeOf?(view: View): readonly (string | undefined)[] }

/** Runs a step as a span in the traces that it belongs to. */
export function traceStep<View, T>(
  tracer: Tracer,
  { name: controller, lifeOf }: TracedController<View>,
  { key, view }: { readonly key: string; readonly view: View },
  { name, act }: { readonly name: string; act(): Promise<T> | T },
): Promise<T> {
  const uids = new Set(lifeOf?.(view))
  const traceIds = Array.from(uids).flatMap((uid) => (uid ? [traceIdOf(uid)] : []))
  return tracer.step(traceIds, { name, attributes: { 'holdfast.controller': controller, 'holdfast.key': key } }, act)
}

/** The API, with a span for every request that is made in a step. */
export const traceRequests = (api: Api, tracer: Tracer): Api =>
  decorateApi(api, {
    request: ({ verb, type: { kind } }, send) =>
      tracer.call({ name: `${verb} ${kind}`, attributes: { 'k8s.verb': verb, 'k8s.kind': kind } }, () => send()),
  })
