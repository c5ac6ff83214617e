/** What the flag does, for each command that opens the state of an API server. */
export const ACCEPT_DATA_LOSS =
  'Start although the stored objects are damaged or incomplete: keep a copy of the damaged files, continue with what can be read, and log what is lost. Without damage it does nothing.'
