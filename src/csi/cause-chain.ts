/** An error and its causes, outermost first. Stops at a circular cause. */
export function causeChain(error: unknown): unknown[] {
  const chain = new Set<unknown>()
  for (let link = error; link !== undefined && !chain.has(link); link = link instanceof Error ? link.cause : undefined)
    chain.add(link)
  return [...chain]
}

/** The message of anything thrown. */
export const messageOf = (reason: unknown): string => (reason instanceof Error ? reason.message : String(reason))
