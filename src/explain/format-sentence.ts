import { formatReason } from '../api/reason.ts'
import type { Link, ObjectId } from './explanation.ts'
import { pathToCause, rankedPaths } from './links.ts'
import { cureOf } from './why-reason.ts'
import type { WhyReason } from './why-reason.ts'

const NOUNS: Readonly<Record<string, string>> = {
  Pod: 'pod',
  PersistentVolumeClaim: 'claim',
  PersistentVolume: 'volume',
  Node: 'node',
  Namespace: 'namespace',
  CSIDriver: 'driver',
}

/** `Pod web is waiting for claim data, which is waiting for StorageClass fast: storageclass.storage.k8s.io "fast" not found. Create it.` */
export function formatSentence(chain: Link): string {
  const path = pathToCause(chain)
  return path.length === 0 ? formatReady(chain) : formatPath(path)
}

/** A sentence for each further cause, without duplicates. */
export function formatOtherCauses(chain: Link): string[] {
  const [first, ...others] = rankedPaths(chain).map(formatPath)
  return [...new Set(others)].filter((sentence) => sentence !== first)
}

function formatPath(path: readonly Link[]): string {
  const [chain, cause] = [path[0], path.at(-1)]
  if (!chain || !cause) return ''
  const { reason } = cause
  const message = reason ? messageOf(reason) : ''
  // "Claim data is waiting for first consumer to be created before binding": the message is the rest of the sentence.
  const isRest = WAITING.test(message)
  const awaited =
    !isRest && reason?.waitsFor?.kind === 'actor' ? [{ text: reason.waitsFor.name, isLeaving: false }] : []
  const nouns = path.map((link) => ({
    text: nounOf(link, homeOf(chain.object)),
    isLeaving: link.isLeaving ?? false,
  }))
  const parts = [...nouns, ...awaited].map(({ text, isLeaving }, index, { length }) => {
    const start = index === 0 ? capitalize(text) : `waiting for ${text}`
    if (index === length - 1 && !isRest) return length === 1 ? `${start} is ${stateOf(cause)}` : start
    return `${start}${index === 0 ? '' : ', which'}${isLeaving ? ' is being deleted and' : ''} is`
  })
  const text = `${parts.join(' ')}${isRest ? ` ${lowerFirst(message)}` : message === '' ? '' : `: ${message}`}`
  const cure = reason && cureOf(reason)
  return [endSentence(text), ...(cure ? [endSentence(cure)] : [])].join(' ')
}

const WAITING = /^waiting for /i

/** A message as part of a sentence: without the full stop that some of upstream's have. */
export const messageOf = (reason: WhyReason): string => (reason.message ?? formatReason(reason)).replace(/\.$/, '')

/** `Pending`, as lists show it. States that are words of ours say nothing here. */
const stateOf = ({ state, isLeaving }: Link): string =>
  isLeaving ? 'being deleted' : /^([A-Z]|not ready$|ready to use$)/.test(state) ? state : 'waiting'

/** The namespace of a question: names in it are shown without it. */
export const homeOf = ({ kind, namespace, name }: ObjectId): string | undefined =>
  kind === 'Namespace' ? name : namespace

/** How sentences refer to an object; its namespace is left out if it is that of the question. */
export function nounOf({ object, title }: Pick<Link, 'object' | 'title'>, namespace: string | undefined): string {
  return title ?? `${NOUNS[object.kind] ?? object.kind} ${nameOf(object, namespace)}`
}

const nameOf = ({ namespace, name }: ObjectId, own: string | undefined): string =>
  namespace && namespace !== own ? `${namespace}/${name}` : name

function formatReady(link: Link): string {
  const noun = capitalize(nounOf(link, link.object.namespace))
  const { reason, state } = link
  switch (reason?.code) {
    case 'Running':
      return `${noun} is running, and its volumes are mounted.`
    case 'Finished':
      return `${noun} has finished (${state}) and is not waiting for anything.`
    case 'Bound': {
      const [other] = link.dependsOn
      return `${noun} is bound to ${other ? nounOf(other, link.object.namespace) : `volume ${reason.detail?.['volume'] ?? ''}`}.`
    }
    case 'SnapshotReady':
    case 'GroupSnapshotReady':
      return `${noun} is ready to use.`
    case 'Available':
      return `${noun} is available and is not bound to a claim.`
    case 'NothingWaits':
      return `${noun} ${reason.message}.`
    default:
      return `${noun} is ready (${state}).`
  }
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const endSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
