/** A name for a lease or a holder as in upstream: everything but letters, digits and dashes becomes a dash. */
export function leaseName(text: string): string {
  const name = text.replaceAll(/[^A-Za-z0-9-]/g, '-')
  return name.endsWith('-') ? `${name}X` : name
}
