/** What the flag does, for each command that opens the state of an API server. */
export const ACCEPT_DATA_LOSS =
  'Start even if the stored objects are damaged or incomplete: copy the damaged files, continue with what can be read, and log what is lost. No effect if nothing is damaged.'
