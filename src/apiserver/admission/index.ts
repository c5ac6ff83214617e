export { defaultAdmissionPlugins } from './default-admission-plugins.ts'
export { refuseLargeObject } from './object-limits.ts'
