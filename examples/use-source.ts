import { registerHooks } from 'node:module'

// For tests that import an example instead of starting it: `holdfast/…` means the source, as with --conditions=holdfast-source. It holds for
// what is imported after this, so `await import(…)` the example.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, { ...context, conditions: [...context.conditions, 'holdfast-source'] }),
})
