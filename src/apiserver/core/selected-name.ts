import { findExactField, parseFieldSelector } from '../../api/field-selector.ts'

/** The one name that a list or watch is limited to by its selector, so that a right to that name suffices. Empty: none. */
export function selectedName(fieldSelector: string | undefined): string {
  if (fieldSelector === undefined || fieldSelector === '') return ''
  try {
    const name = findExactField(parseFieldSelector(fieldSelector), 'metadata.name') ?? ''
    return name === '.' || name === '..' || /[/%]/.test(name) ? '' : name
  } catch {
    // Reading the options of the request refuses the selector, once the request is authorized.
    return ''
  }
}
