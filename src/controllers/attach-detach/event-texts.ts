import { quoteGo } from '../../api/quote-go.ts'
import type { Pod } from '../../api/kinds/pod.ts'

/** What a pod is told whose volume is on another node, in the words that people search for. Pods of other namespaces are only counted. */
export function multiAttachText(volume: string, pod: Pod, otherPods: readonly Pod[]): string {
  return `Multi-Attach error for volume ${quoteGo(volume)} ${whoHasIt(pod, otherPods)}`
}

function whoHasIt({ metadata: { namespace } }: Pod, otherPods: readonly Pod[]): string {
  const near = otherPods
    .filter(({ metadata }) => metadata.namespace === namespace)
    .map(({ metadata }) => metadata.name ?? '')
  const far = otherPods.length - near.length
  const elsewhere = `${far} pod(s) in different namespaces`
  if (otherPods.length === 0)
    return "Volume is already exclusively attached to one node and can't be attached to another"
  if (near.length === 0) return `Volume is already used by ${elsewhere}`
  return `Volume is already used by pod(s) ${near.join(', ')}${far === 0 ? '' : ` and ${elsewhere}`}`
}

/** What a pod is told when attaching its volume failed. */
export const attachFailedText = (volume: string, why: string): string =>
  `AttachVolume.Attach failed for volume ${quoteGo(volume)} : ${why}`

/** What a pod is told when its volume is attached. */
export const attachedText = (volume: string): string => `AttachVolume.Attach succeeded for volume ${quoteGo(volume)} `
