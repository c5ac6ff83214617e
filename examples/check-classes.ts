// A controller: reports claims whose storage class does not exist, and marks each of them with an annotation until it does.
import {
  connect,
  defineController,
  keyIfPresent,
  on,
  PERSISTENT_VOLUME_CLAIMS,
  runControllers,
  STORAGE_CLASSES,
  untilStopped,
} from 'holdfast'
import { formatReason, keyOf, objectAwaited, reason, refOf } from 'holdfast/api'
import type { ControllerRole } from 'holdfast'
import type { PersistentVolumeClaim, ReasonIn } from 'holdfast/api'

const MISSING_CLASS = 'example.com/missing-class'
const NO_SUCH_CLASS = { type: 'Warning', event: 'NoSuchClass' } as const

/** Why nothing has to be done. Comparing with a code that is not in this table does not compile. */
const REASONS = {
  exists: reason('ClassExists', 'the storage class exists'),
  missing: (name: string) =>
    reason('ClassMissing', `storageclass.storage.k8s.io "${name}" not found`, {
      waitsFor: objectAwaited(STORAGE_CLASSES, { name }),
      cure: 'Create it.',
    }),
}

type View = { readonly claim: PersistentVolumeClaim; readonly hasClass: boolean }
type Step =
  | { readonly kind: 'wait'; readonly reason: ReasonIn<typeof REASONS> }
  | { readonly kind: 'mark'; readonly className: string | null }

/** Decides without doing anything, so a test needs neither a server nor a clock. */
export function nextStep({ claim, hasClass }: View): Step {
  const wanted = hasClass ? undefined : claim.spec.storageClassName
  if (claim.metadata.annotations?.[MISSING_CLASS] !== wanted) return { kind: 'mark', className: wanted ?? null }
  return { kind: 'wait', reason: wanted === undefined ? REASONS.exists : REASONS.missing(wanted) }
}

/** The controller on what a program or a test gives it. */
export const checkClasses = ({ api, follow }: Pick<ControllerRole, 'api' | 'follow'>) => {
  const claims = follow(PERSISTENT_VOLUME_CLAIMS)
  const classes = follow(STORAGE_CLASSES)
  const controller = defineController({
    name: 'check-classes',
    // Each claim is a key. A class that is created or deleted concerns them all.
    watch: [
      on(claims, keyIfPresent),
      on(classes, ({ before, after }) => (before && after ? undefined : Array.from(claims.all(), keyOf))),
    ],
    view: (key): View | undefined => {
      const claim = claims.get(key)
      const className = claim?.spec.storageClassName
      return claim && { claim, hasClass: !className || classes.get(className) !== undefined }
    },
    decide: nextStep,
    perform: {
      mark: async ({ className }, { view: { claim }, say }) => {
        const annotations = { [MISSING_CLASS]: className }
        await api.patch(PERSISTENT_VOLUME_CLAIMS, refOf(claim), { type: 'merge', value: { metadata: { annotations } } })
        if (className) say(claim, NO_SUCH_CLASS, formatReason(REASONS.missing(className)))
      },
    },
  })
  return [controller]
}

if (import.meta.main) {
  const stopped = untilStopped()
  const [kubeconfig] = process.argv.slice(2)
  await using cluster = await connect({ name: 'check-classes', ...(kubeconfig ? { kubeconfig } : {}) })
  const onState = ({ kind }: { kind: string }): boolean => process.stdout.write(`${kind}\n`)
  const leaderElection = { namespace: cluster.namespace }
  await using _running = runControllers(cluster, { name: 'check-classes', leaderElection, onState }, checkClasses)
  await stopped
}
