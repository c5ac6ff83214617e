import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import type { AdmissionPlugin } from '../admission/admission.ts'
import type { WebhookAdmission } from '../admission/webhooks/webhook-admission.ts'
import type { KindRegistry } from './kind-registry.ts'
import type { Store } from './store.ts'
import type { WatchHub } from './watch-hub.ts'

/** What the operations on objects work with. */
export type ServerParts = {
  readonly store: Store
  readonly hub: WatchHub
  readonly kinds: KindRegistry
  readonly admission: readonly AdmissionPlugin[]
  readonly webhooks: WebhookAdmission
  readonly clock: Clock
  readonly random: Random
}
