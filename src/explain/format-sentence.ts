import type { Link, ObjectId } from './explanation.ts'
import { pathToCause } from './links.ts'
import { wordsOf } from './reason-words.ts'
import type { ReasonWords } from './reason-words.ts'

const NOUNS: Readonly<Record<string, string>> = {
  Pod: 'pod',
  PersistentVolumeClaim: 'claim',
  PersistentVolume: 'volume',
  Node: 'node',
}

/** `Pod web waits for claim data, which waits for StorageClass fast: it does not exist. Create it.` */
export function formatSentence(chain: Link): string {
  const path = pathToCause(chain)
  const cause = path.at(-1)
  if (!cause) return formatReady(chain)
  const { namespace } = chain.object
  const { reason } = cause
  const { clause, cure }: ReasonWords = reason ? wordsOf(reason) : { clause: '' }
  const nouns = path.map((link) => ({ text: nounOf(link, namespace), isLeaving: link.isLeaving ?? false }))
  const awaited = reason?.waitsFor?.kind === 'actor' ? [{ text: reason.waitsFor.name, isLeaving: false }] : []
  const [first, ...others] = [...nouns, ...awaited]
  let text = capitalize(first?.text ?? '') + (others.length === 0 ? `${leaving(first)} waits` : '')
  for (const [index, noun] of others.entries()) {
    const before = index === 0 ? first : others[index - 1]
    text += `${index === 0 ? '' : ', which'}${leaving(before)} waits for ${noun.text}`
  }
  return [`${text}${clause === '' ? '' : `: ${clause}`}.`, ...(cure ? [endSentence(capitalize(cure))] : [])].join(' ')
}

const leaving = (noun: { readonly isLeaving: boolean } | undefined): string =>
  noun?.isLeaving ? ' is being deleted and' : ''

/** How sentences call an object; its namespace is left out where it is that of the question. */
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
      return `${noun} runs: its volumes are mounted.`
    case 'Finished':
      return `${noun} has ended (${state}): nothing is waited for.`
    case 'Bound': {
      const [other] = link.dependsOn
      return `${noun} is ready: it is bound to ${other ? nounOf(other, link.object.namespace) : `volume ${reason.detail?.['volume'] ?? ''}`}.`
    }
    case 'Available':
      return `${noun} is ready: it is free, and waits for no one.`
    default:
      return `${noun} is ready: ${state}.`
  }
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const endSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
