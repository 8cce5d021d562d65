/** The repair agent, and its operators for those who plant faults. */

export { applyEdit, type Draft, describeEdit, type Edit, inverseOf } from './edit.ts'
export { type FoundFile, findFiles, type ProjectFiles } from './find-files.ts'
export { type Operator, operators } from './operators/index.ts'
export {
  faultsOf,
  type PlantedFault,
  type PlantOptions,
  plant,
  plantingOperators,
  unplant,
} from './plant.ts'
export { type RepairAgentOptions, repairAgent } from './repair-agent.ts'
export { parseSource, type SourceFile } from './source-file.ts'
