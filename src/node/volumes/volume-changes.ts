import { isEqualJson } from '../../api/equal-json.ts'
import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { CacheChange } from '../../kube/object-cache.ts'
import { retryNow } from './failures.ts'
import type { Failures } from './failures.ts'

/** The pods that a change is about: a pod may have been replaced by another one of the same name. */
export const uidsOf = ({ before, after }: CacheChange<Pod>): Set<string> =>
  new Set([before, after].flatMap((pod) => pod?.metadata.uid ?? []))

/** Whether the driver is to be treated differently from now on. */
export const isSpecChange = ({ before, after }: CacheChange<CSIDriver>): boolean =>
  !isEqualJson(before?.spec ?? null, after?.spec ?? null) ||
  !isEqualJson(before?.metadata.annotations ?? {}, after?.metadata.annotations ?? {})

/** Ends the backoff of the entries that match. Returns them. */
export function retryAll<Entry extends { readonly failures: Failures }>(
  entries: Iterable<Entry>,
  matches: (entry: Entry) => boolean,
): Entry[] {
  const matching = [...entries].filter(matches)
  for (const { failures } of matching) retryNow(failures)
  return matching
}
