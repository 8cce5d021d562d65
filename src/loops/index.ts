export {
  type LoopOperation,
  loopOperation,
  type OperationAsked,
  type OperationParts,
} from './loop-operation.ts'
export type {
  Beginning,
  LoopGiven,
  LoopTypeDefinition,
  PreparedLoop,
  ReadPrompts,
  ReadSection,
} from './loop-type-definition.ts'
export {
  type CheckedPlain,
  checkPlain,
  type PlainLoop,
  type PlainSettings,
  plainLoop,
} from './plain/plain.ts'
export {
  type CheckEntry,
  describeProgress,
  type PlainEntry,
  type PlainProgress,
  type PlainResult,
} from './plain/plain-progress.ts'
export {
  createPrompt,
  type IterationInfo,
  type PlainContext,
  type PlainInput,
  type Prompt,
  type PromptSection,
} from './plain/plain-prompt.ts'
export { type PlainKeys, plainType } from './plain/plain-type.ts'
export { loopTypes } from './registry.ts'
export { createTemplate, type Template, type TemplateOptions } from './template.ts'
export { sanitize } from './template-engine.ts'
export type { VariableShape } from './template-variables.ts'
