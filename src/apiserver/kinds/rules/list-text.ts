const MOST = 3

/** At most three items, and how many more there are. */
export function formatSome(items: readonly string[], whenEmpty: string): string {
  if (items.length === 0) return whenEmpty
  const shown = items.slice(0, MOST).join(',')
  return items.length > MOST ? `${shown} + ${items.length - MOST} more...` : shown
}
