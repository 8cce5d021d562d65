/** The repair agent, and its operators for those who plant faults. */

export { describeEdit } from './edit.ts'
export { findFiles } from './find-files.ts'
export { operators } from './operators/index.ts'
export {
  listDefects,
  type PlantedFault,
  type PlantOptions,
  plant,
  plantingOperators,
  unplant,
} from './plant.ts'
export { parseSource } from './source-file.ts'
