/** An error and what caused it, outermost first. Ends where the causes go in a circle. */
export function causeChain(error: unknown): unknown[] {
  const chain = new Set<unknown>()
  for (let link = error; link !== undefined && !chain.has(link); link = link instanceof Error ? link.cause : undefined)
    chain.add(link)
  return [...chain]
}

/** What something that was thrown says. */
export const messageOf = (reason: unknown): string => (reason instanceof Error ? reason.message : String(reason))
