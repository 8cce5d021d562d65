export { type LoopOperation, loopOperation, type OperationRequest } from './loop-operation.ts'
export type {
  LoopTypeDefinition,
  PreparedLoop,
  ReadPrompts,
  ReadSection,
} from './loop-type-definition.ts'
export { type PlainLoop, type PlainSettings, plainLoop } from './plain/plain.ts'
export { type PlainProgress } from './plain/plain-progress.ts'
export { createPrompt, type PromptSection } from './plain/plain-prompt.ts'
export { loopTypes } from './registry.ts'
export { createTemplate, type Template } from './template.ts'
