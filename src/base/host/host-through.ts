import type { Host } from './host.ts'

/** A machine each of whose steps, also those that only look, goes through `call`. */
export function hostThrough(
  { files, mounts, loops, processes }: Host,
  call: <T>(act: () => Promise<T>) => Promise<T>,
): Host {
  const watch = <Group extends object>(group: Group): Group =>
    new Proxy(group, {
      get: (target, name) => {
        // All members of the host's groups are methods that return a promise.
        const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>
        return (...args: unknown[]) => call(() => method.apply(target, args))
      },
    })
  return { files: watch(files), mounts: watch(mounts), loops: watch(loops), processes: watch(processes) }
}
