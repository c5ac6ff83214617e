/** A signal ends this process as if it had ended by itself: its exit handlers end the programs that it started, and remove its files. */
export function exitOnSignal(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
}
