import { text } from '../options/index.ts'

/** The flag that every program with steps has. */
export const otlpEndpoint = text(
  '',
  'Send the spans of each volume to this OTLP/HTTP collector, for example http://127.0.0.1:4318. Empty: none are sent.',
)
