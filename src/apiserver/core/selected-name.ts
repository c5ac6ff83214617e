import { findExactField, parseFieldSelector } from '../../api/field-selector.ts'

/** The single name that the selector of a list or watch requires, so that a permission for that name suffices. Empty if there is none. */
export function selectedName(fieldSelector: string | undefined): string {
  if (fieldSelector === undefined || fieldSelector === '') return ''
  try {
    const name = findExactField(parseFieldSelector(fieldSelector), 'metadata.name') ?? ''
    return name === '.' || name === '..' || /[/%]/.test(name) ? '' : name
  } catch {
    // An invalid selector is rejected later, when the options of the authorized request are read.
    return ''
  }
}
