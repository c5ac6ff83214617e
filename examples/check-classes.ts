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
import type { PersistentVolumeClaim, Reason } from 'holdfast/api'

const MISSING_CLASS = 'example.com/missing-class'

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

if (import.meta.main) {
  const stopped = untilStopped()
  await using cluster = await connect({
    name: 'check-classes',
    ...(process.argv[2] ? { kubeconfig: process.argv[2] } : {}),
  })
  const onState = ({ kind }: { kind: string }): boolean => process.stdout.write(`${kind}\n`)
  await using _running = runControllers(
    cluster,
    { name: 'check-classes', leaderElection: { namespace: cluster.namespace }, onState },
    ({ api, follow }) => {
      const claims = follow(PERSISTENT_VOLUME_CLAIMS)
      const classes = follow(STORAGE_CLASSES)
      const controller = defineController({
        name: 'check-classes',
        // Each claim is a key. A class that is new or gone concerns them all.
        watch: [
          on(claims, keyIfPresent),
          on(classes, ({ before, after }) => (before && after ? undefined : Array.from(claims.all(), keyOf))),
        ],
        view: (key): View | undefined => {
          const claim = claims.get(key)
          return (
            claim && {
              claim,
              hasClass: !claim.spec.storageClassName || classes.get(claim.spec.storageClassName) !== undefined,
            }
          )
        },
        decide: nextStep,
        perform: {
          mark: async ({ className }, { view: { claim }, say }) => {
            await api.patch(PERSISTENT_VOLUME_CLAIMS, refOf(claim), {
              type: 'merge',
              value: { metadata: { annotations: { [MISSING_CLASS]: className } } },
            })
            if (className)
              say(
                claim,
                { type: 'Warning', event: 'NoSuchClass' },
                `storageclass.storage.k8s.io "${className}" not found`,
              )
          },
        },
      })
      return [controller]
    },
  )
  await stopped
}
