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
import { keyOf, refOf } from 'holdfast/api'
import type { ControllerRole } from 'holdfast'
import type { PersistentVolumeClaim, Reason } from 'holdfast/api'

const MISSING_CLASS = 'example.com/missing-class'
const NO_SUCH_CLASS = { type: 'Warning', event: 'NoSuchClass' } as const

type View = { readonly claim: PersistentVolumeClaim; readonly hasClass: boolean }
type Step =
  | { readonly kind: 'wait'; readonly reason: Reason }
  | { readonly kind: 'mark'; readonly className: string | null }

/** Decides without doing anything, so a test needs neither a server nor a clock. */
export function nextStep({ claim, hasClass }: View): Step {
  const wanted = hasClass ? undefined : claim.spec.storageClassName
  if (claim.metadata.annotations?.[MISSING_CLASS] !== wanted) return { kind: 'mark', className: wanted ?? null }
  if (wanted === undefined) return { kind: 'wait', reason: { code: 'ClassExists' } }
  return {
    kind: 'wait',
    reason: { code: 'ClassMissing', waitsFor: { kind: 'object', kindName: 'StorageClass', name: wanted } },
  }
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
        if (className) say(claim, NO_SUCH_CLASS, `storageclass.storage.k8s.io "${className}" not found`)
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
