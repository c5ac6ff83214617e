export { controllersOptions } from './controllers-options.ts'
export type { ControllersConfig } from './controllers-options.ts'
export {
  chooseControllers,
  CONTROLLER_NAMES,
  controllerDefinitions,
  snapshotDefinition,
} from './controller-definitions.ts'
export type { ControllerDefinition, ControllerName } from './controller-definitions.ts'
export { runControllers } from './run-controllers.ts'
export type { ControllersParts, RunningControllers } from './run-controllers.ts'
export { snapshotOptions } from './snapshot/index.ts'
export type { SnapshotConfig } from './snapshot/index.ts'
