import type { RequestAttributes } from './request.ts'

/** The refusal as upstream words it: `pods "a" is forbidden: User "u" cannot get resource "pods" in API group "" …`. */
export function formatForbidden(attributes: RequestAttributes): string {
  const user = JSON.stringify(attributes.user.name)
  if (!attributes.isResource) return `forbidden: User ${user} cannot ${attributes.verb} path ${JSON.stringify(attributes.path)}`
  const { group, resource, subresource, namespace, name, verb } = attributes
  const whole = subresource === '' ? resource : `${resource}/${subresource}`
  const qualified = group === '' ? resource : `${resource}.${group}`
  const place = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`
  const which = name === '' ? '' : ` ${JSON.stringify(name)}`
  return `${qualified}${which} is forbidden: User ${user} cannot ${verb} resource ${JSON.stringify(whole)} in API group ${JSON.stringify(group)} ${place}`
}
