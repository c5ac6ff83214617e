export { builtInKinds } from './built-in-kinds.ts'
export { CLEANUP_FINALIZER } from './custom-resource-definition.ts'
export { formatAge, formatHumanDuration } from './human-duration.ts'
