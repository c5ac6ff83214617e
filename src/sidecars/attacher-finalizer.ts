/**
 * The finalizer that the attacher of a driver puts on attachments and volumes. The same name as upstream's, so that either can complete the work of
 * the other.
 */
export function attacherFinalizer(driver: string): string {
  const name = driver.replaceAll(/[^a-zA-Z0-9-]/g, '-')
  return `external-attacher/${name.endsWith('-') ? `${name}X` : name}`
}
