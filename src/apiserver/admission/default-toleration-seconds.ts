import { PODS } from '../../api/kinds/pod.ts'
import type { Pod, Toleration } from '../../api/kinds/pod.ts'
import { NOT_READY, UNREACHABLE } from '../../api/node-taints.ts'
import { storageOf } from '../core/stored-object.ts'
import type { Loose } from '../kinds/loose.ts'
import type { AdmissionPlugin } from './admission.ts'

const SECONDS = 300
const ADDED = [NOT_READY, UNREACHABLE].map(
  (key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: SECONDS }) satisfies Toleration,
)

/** Pods stay for five minutes on a node that is not ready or unreachable, unless they say otherwise. */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  mutate({ operation, kind, subresource, object }) {
    if (operation === 'DELETE' || subresource !== '' || kind.storage !== storageOf(PODS) || !object) return
    const pod = object as Loose<Pod>
    const own = pod.spec?.tolerations ?? []
    const isOwn = ({ key }: Toleration): boolean =>
      own.some((each) => (!each?.key || each.key === key) && (!each?.effect || each.effect === 'NoExecute'))
    const missing = ADDED.filter((toleration) => !isOwn(toleration))
    if (missing.length > 0 && pod.spec) pod.spec = { ...pod.spec, tolerations: [...own, ...missing] }
  },
}
