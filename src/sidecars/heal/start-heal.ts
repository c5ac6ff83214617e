import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { reason } from '../../api/reason.ts'
import { after, defineController, DONE, on, startControllers } from '../../kube/controller/index.ts'
import type { WaitStep } from '../../kube/controller/index.ts'
import type { SidecarRole, StartRole } from '../role.ts'
import type { HealConfig } from './heal-options.ts'
import { HEAL_REQUESTED, performHeal } from './perform-heal.ts'
import { readVolumeObjects } from '../volume-objects.ts'
import { planHeal } from './plan-heal.ts'

type View = { readonly attachment: VolumeAttachment; readonly driverName: string }
type Step = WaitStep | { readonly kind: 'heal' }

/** Detaches what `holdfast heal` has asked for: it has no socket of the driver, and this process has. */
export const startHeal: StartRole<HealConfig> = (config, parts, signal) =>
  startControllers(parts, signal, (role) => Promise.resolve([defineHeal(role, config)]))

const NOT_REQUESTED = reason('HealNotRequested', 'nobody asked to heal this attachment, or it is not being deleted')

/** Whether somebody asked for it, and it is an attachment of this driver that is being deleted. */
export function nextHealStep({ attachment, driverName }: View): Step {
  const isAsked = attachment.metadata.annotations?.[HEAL_REQUESTED] !== undefined
  const isOurs = attachment.spec.attacher === driverName && attachment.metadata.deletionTimestamp !== undefined
  return isAsked && isOurs ? { kind: 'heal' } : { kind: 'wait', reason: NOT_REQUESTED }
}

function defineHeal({ api, driver, facts, events, follow, createQueue }: SidecarRole, config: HealConfig) {
  const attachments = follow(VOLUME_ATTACHMENTS)
  return defineController<View, Step>({
    name: 'heal',
    queue: createQueue({ name: 'heal', lanes: { default: 1 } }),
    watch: [on(attachments, ({ key, after: now }) => (now?.metadata.annotations?.[HEAL_REQUESTED] ? key : undefined))],
    view: (key) => {
      const attachment = attachments.get(key)
      return attachment && { attachment, driverName: facts.name }
    },
    decide: nextHealStep,
    perform: {
      heal: async (_step, { view: { attachment }, signal, log }) => {
        const { actions, advice } = planHeal(await readVolumeObjects(api, signal), facts.name)
        const action = actions.find(
          (each) => each.kind === 'detach' && each.attachment.metadata.uid === attachment.metadata.uid,
        )
        if (!action) {
          log.warn('attachment cannot be healed', { attachment: attachment.metadata.name, advice })
          return after(config.retryMs)
        }
        const { result, message } = await performHeal(action, {
          api,
          driver,
          events,
          timeoutMs: config.timeoutMs,
          signal,
        })
        log.info('attachment', { attachment: attachment.metadata.name, result, message })
        return result === 'healed' ? DONE : after(config.retryMs)
      },
    },
  })
}
