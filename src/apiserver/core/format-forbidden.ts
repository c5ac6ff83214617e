import { ApiError } from '../../api/api-error.ts'
import { quoteGo } from '../../api/quote-go.ts'
import type { RequestAttributes } from './request.ts'
import { forbidden } from './refusals.ts'

/** The response to a request that no authorizer allowed, with upstream's text. */
export function formatForbidden(attributes: RequestAttributes, reason = ''): ApiError {
  const why = `${escapeMarkup(describeRefusal(attributes))}${reason === '' ? '' : `: ${reason}`}`
  if (!attributes.isResource) return new ApiError('Forbidden', `forbidden: ${why}`, { details: {} })
  const { group, version, resource, name } = attributes
  return forbidden({ group, version, plural: resource, kind: '', namespaced: false }, name, why)
}

/** `User "u" cannot list resource "pods" in API group "" in the namespace "ns"`. */
export function describeRefusal(attributes: RequestAttributes): string {
  const who = `User ${quoteGo(attributes.user.name)} cannot ${attributes.verb}`
  if (!attributes.isResource) return `${who} path ${quoteGo(attributes.path)}`
  const { group, resource, subresource, namespace } = attributes
  const what = subresource === '' ? resource : `${resource}/${subresource}`
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${quoteGo(namespace)}`
  return `${who} resource ${quoteGo(what)} in API group ${quoteGo(group)} ${where}`
}

// Names come from outside: a response that a browser shows must not contain markup.
const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
