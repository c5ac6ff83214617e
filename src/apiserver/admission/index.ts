export { createDisabledFields } from './disabled-fields.ts'
export { defaultAdmissionPlugins } from './default-admission-plugins.ts'
export { refuseLargeObject } from './object-limits.ts'
export { createServiceAddresses } from './service-addresses.ts'
